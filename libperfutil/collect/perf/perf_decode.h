/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes records of the kernel's perf events, from a ring of perf_event_open(2) or a perf.data
 * file. The attributes of its event determine the fields of a record. Input is not trusted: a
 * record shorter than its fields is refused.
 */
#ifndef PITRACE_PERF_DECODE_H
#define PITRACE_PERF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

/* The relevant part of an event's struct perf_event_attr, in native byte order. */
struct perf_shape {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t period;               /* period of samples that have no period field */
	uint64_t regs_user, regs_intr; /* masks */
	bool id_all;                   /* records other than samples end with a sample id */
	uint64_t branch_type;          /* branch_sample_type: two bits of it add words */
	/* Whether it was requested for the event: kernels up to at least 6.18 leave the flag set in
	 * the next event's record too. */
	bool build_id;
	bool swap; /* records are in the other byte order */
};
struct perf_shape perf_shape_of(const struct perf_event_attr *attr);

/* Returns the bits of newer kernels that add unknown fields to samples; 0: all are known. *of: the
 * field that they belong to. perf_decode() refuses these samples. */
uint64_t perf_shape_unknown(const struct perf_shape *shape, const char **of);

/* Since Linux 6.8. */
#define PERF_BRANCH_COUNTERS (1ull << 19)

/* Since Linux 6.19: a user stack that is captured when the thread returns to user space. A marker
 * word in the sample's chain announces it, followed by a cookie. */
#define PERF_CALLCHAIN_DEFERRED  22
#define PERF_CHAIN_USER_DEFERRED ((uint64_t)-640)

/* Pointers point into the record. Fields that the record lacks are 0. */
struct perf_item {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;
	bool swap;
	/* From the sample, or the sample id at the end of other records. */
	uint32_t pid, tid, cpu;
	uint64_t time, id;
	/* SAMPLE */
	uint64_t ip, period;
	const uint8_t *values; /* READ: nvalues counters of value_words words each: value,
					   optionally id and lost */
	uint64_t nvalues;
	uint32_t value_words;
	const uint8_t *chain; /* callchain: nchain words, see perf_word */
	uint64_t nchain;
	bool deferred;       /* the user part follows later, with this cookie */
	uint64_t cookie;     /* … or, CALLCHAIN_DEFERRED, is this chain */
	const uint8_t *regs; /* user registers: nregs words */
	uint32_t nregs;
	uint64_t abi;             /* PERF_SAMPLE_REGS_ABI_* */
	const uint8_t *intr_regs; /* registers at the interrupt, in either mode */
	uint32_t nintr_regs;
	uint64_t intr_abi;
	const uint8_t *stack; /* user stack */
	uint64_t nstack;
	const uint8_t *raw;
	uint32_t nraw;
	const uint8_t *branches;        /* nbranches of three words: from, to, flags */
	const uint8_t *branch_counters; /* a word for each branch; NULL: not recorded */
	uint64_t nbranches, branch_index;
	bool has_branches;
	/* Details of the instruction (PERF_SAMPLE_ADDR, _WEIGHT, _DATA_SRC, _TRANSACTION,
	 * _PHYS_ADDR, _DATA_PAGE_SIZE, _CODE_PAGE_SIZE). */
	uint64_t address, weight, source, transaction, physical, data_page, code_page;
	uint64_t cgroup; /* cgroup id; also of CGROUP records */
	/* COMM, MMAP, MMAP2, NAMESPACES: the thread concerned; FORK, EXIT: the child, the thread
	 * that ended; SWITCH_CPU_WIDE: the next or previous thread. */
	uint32_t of_pid, of_tid;
	uint32_t parent_pid, parent_tid; /* FORK, EXIT */
	const char *text;                /* name or path, with its NUL */
	size_t text_len;
	uint64_t start, length, offset; /* MMAP, MMAP2; KSYMBOL: the first two */
	bool gone;                      /* KSYMBOL: unregistered */
	uint16_t symbol_type;           /* … PERF_RECORD_KSYMBOL_TYPE_* */
	uint32_t dev_major, dev_minor, generation, prot, flags;
	uint64_t inode;
	const uint8_t *build_id; /* instead of device, inode and generation */
	uint32_t build_id_size;
	uint64_t lost;         /* LOST, LOST_SAMPLES */
	const uint8_t *spaces; /* NAMESPACES: nspaces of two words, device and inode */
	uint64_t nspaces;
	const uint8_t *poke; /* TEXT_POKE, at start: the old bytes, the new bytes */
	uint16_t poke_old, poke_new;
};

/* Decodes one complete record, with its header. 0; or -EBADMSG with a message in *why. Types not
 * listed above have only type, misc and sample id. */
int perf_decode(const struct perf_shape *shape, const void *record, size_t size,
		struct perf_item *item, const char **why);

/* Returns the i-th 64-bit word of chain or regs. */
uint64_t perf_word(const struct perf_item *item, const uint8_t *words, uint64_t i);

#endif
