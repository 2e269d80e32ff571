/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of the kernel's perf events, taken apart: as they lie in a ring of perf_event_open(2) or
 * in a perf.data file. Which fields a record has is said by the attributes of its event. Nothing
 * is believed: a record that is shorter than its fields is refused.
 */
#ifndef PITRACE_PERF_DECODE_H
#define PITRACE_PERF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

/* What matters of an event's struct perf_event_attr, in this machine's byte order. */
struct perf_shape {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t period;		/* of each sample that does not tell its own */
	uint64_t regs_user, regs_intr;	/* masks */
	bool id_all;			/* records other than samples end with a sample id */
	uint64_t branch_type;		/* branch_sample_type: two bits of it add words */
	bool build_id;			/* the event asked for them: kernels up to 6.18 at least
					   leave the flag set for the next event's record, too */
	bool swap;			/* records are of the other byte order */
};
struct perf_shape perf_shape_of(const struct perf_event_attr *attr);

/* Bits of a newer kernel's that add to a sample nobody knows what nor where; 0: all are known.
 * *of: whose they are. perf_decode() refuses such samples. */
uint64_t perf_shape_unknown(const struct perf_shape *shape, const char **of);

/* Since Linux 6.8. */
#define PERF_BRANCH_COUNTERS	(1ull << 19)

/* Since Linux 6.19: a user stack that is taken when the thread goes back to its program, and the
 * word in a sample's chain that promises it, with a cookie behind. */
#define PERF_CALLCHAIN_DEFERRED		22
#define PERF_CHAIN_USER_DEFERRED	((uint64_t)-640)

/* Pointers lead into the record. What a record does not tell is 0. */
struct perf_item {
	uint32_t type;			/* PERF_RECORD_* */
	uint16_t misc;
	bool	 swap;
	/* Of the sample, or of the sample id behind other records. */
	uint32_t pid, tid, cpu;
	uint64_t time, id;
	/* SAMPLE */
	uint64_t ip, period;
	const uint8_t *values;		/* READ: nvalues counters of value_words words each: value,
					   perhaps id, perhaps lost */
	uint64_t nvalues;
	uint32_t value_words;
	const uint8_t *chain;		/* callchain: nchain words, see perf_word */
	uint64_t nchain;
	bool deferred;			/* the user's part is still to come, with this cookie */
	uint64_t cookie;		/* … or, CALLCHAIN_DEFERRED, is this chain */
	const uint8_t *regs;		/* user registers: nregs words */
	uint32_t nregs;
	uint64_t abi;			/* PERF_SAMPLE_REGS_ABI_* */
	const uint8_t *intr_regs;	/* those that it was interrupted with, in either mode */
	uint32_t nintr_regs;
	uint64_t intr_abi;
	const uint8_t *stack;		/* user stack */
	uint64_t nstack;
	const uint8_t *raw;
	uint32_t nraw;
	const uint8_t *branches;	/* nbranches of three words: from, to, flags */
	const uint8_t *branch_counters;	/* a word for each branch; NULL: none were asked for */
	uint64_t nbranches, branch_index;
	bool has_branches;
	/* What the instruction did (PERF_SAMPLE_ADDR, _WEIGHT, _DATA_SRC, _TRANSACTION, _PHYS_ADDR,
	 * _DATA_PAGE_SIZE, _CODE_PAGE_SIZE). */
	uint64_t address, weight, source, transaction, physical, data_page, code_page;
	uint64_t cgroup;		/* its id; CGROUP: too */
	/* COMM, MMAP, MMAP2: whom they are about; FORK, EXIT: the child, the one that ended;
	 * SWITCH_CPU_WIDE: the next or previous thread; NAMESPACES: whose they are. */
	uint32_t of_pid, of_tid;
	uint32_t parent_pid, parent_tid;	/* FORK, EXIT */
	const char *text;		/* name or path, with its NUL */
	size_t text_len;
	uint64_t start, length, offset;	/* MMAP, MMAP2; KSYMBOL: the first two */
	bool gone;			/* KSYMBOL: it is not there any more */
	uint16_t symbol_type;		/* … PERF_RECORD_KSYMBOL_TYPE_* */
	uint32_t dev_major, dev_minor, generation, prot, flags;
	uint64_t inode;
	const uint8_t *build_id;	/* instead of device, inode and generation */
	uint32_t build_id_size;
	uint64_t lost;			/* LOST, LOST_SAMPLES */
	const uint8_t *spaces;		/* NAMESPACES: nspaces of two words, device and inode */
	uint64_t nspaces;
	const uint8_t *poke;		/* TEXT_POKE, at start: the bytes before, those behind */
	uint16_t poke_old, poke_new;
};

/* One whole record, its header included. 0; or -EBADMSG with a sentence in *why. Kinds that are
 * not listed above have type, misc and sample id alone. */
int perf_decode(const struct perf_shape *shape, const void *record, size_t size,
		struct perf_item *item, const char **why);

/* The i-th 64-bit word of chain or regs. */
uint64_t perf_word(const struct perf_item *item, const uint8_t *words, uint64_t i);

#endif
