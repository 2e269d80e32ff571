/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data of perf beyond our own records. No driver writes these: they come from a reader, and except
 * for DETAIL_EVENT only if asked for (INPUT_DETAILS). Those of a sample come before it, with its
 * time, CPU, thread and event. All begin with their thread; 0: none.
 */
#ifndef POST_DETAIL_H
#define POST_DETAIL_H

#include <string.h>

#include <pifile.h>

#define DETAIL_RECORD 0xCE /* major; PITRACE_TYPE_STRUCT */
#define DETAIL_KIND \
	0xFF /* of the minor; from PITRACE_TPROF_EVENT_SHIFT on the
					   event's number + 1 */

enum detail_kind {
	DETAIL_EVENT = 0, /* behind the SYSINFO EVENT that names it */
	/* Details of the next sample: */
	DETAIL_BRANCHES,
	DETAIL_RAW,
	DETAIL_ACCESS,
	DETAIL_REGS_USER,
	DETAIL_REGS_INTR,
	DETAIL_CGROUP_OF,
	DETAIL_CGROUP,
	DETAIL_NAMESPACES,
	DETAIL_POKE,
	/* The kernel's mappings and symbols as perf has them, in addition to MTE records of the
	 * same: */
	DETAIL_KERNEL_MAP,
	DETAIL_KSYMBOL,
};

/* Fields of struct perf_event_attr. */
struct detail_event {
	uint32_t pid, tid;
	uint32_t type, reserved;
	uint64_t config, config1, config2;
	uint64_t sample_type, branch_type;
	uint64_t regs_user, regs_intr; /* masks */
	uint64_t flags;                /* the attr's, as on a little-endian machine */
} __attribute__((packed, aligned(4)));

struct detail_branch { /* newest first */
	uint64_t from, to;
	uint64_t flags;    /* as of a little-endian machine */
	uint64_t counters; /* events since the branch before: fields of a few bits */
} __attribute__((packed, aligned(4)));

struct detail_branches {
	uint32_t pid, tid;
	uint32_t count;
	uint8_t has_counters;   /* PERF_SAMPLE_BRANCH_COUNTERS */
	uint8_t counters, bits; /* of each branch, from the lowest bit; 0: unknown */
	uint8_t reserved;
	uint64_t index; /* of the hardware; UINT64_MAX: unknown */
	struct detail_branch branch[];
} __attribute__((packed, aligned(4)));

/* In the byte order of the machine that recorded it. */
struct detail_raw {
	uint32_t pid, tid;
	uint32_t bytes;
	uint8_t data[];
} __attribute__((packed, aligned(4)));

/* Fields that the event's sample_type lacks are 0. */
struct detail_access {
	uint32_t pid, tid;
	uint64_t address, weight, source, transaction, physical, data_page, code_page;
} __attribute__((packed, aligned(4)));

/* Registers of user code, or those at the sample's interrupt. */
struct detail_registers {
	uint32_t pid, tid;
	uint32_t count;
	uint32_t machine; /* EM_*, as perf numbers them there; 0: unknown */
	uint64_t abi;     /* PERF_SAMPLE_REGS_ABI_*; NONE: no registers */
	uint64_t mask;    /* which registers, lowest number first */
	uint64_t value[];
} __attribute__((packed, aligned(4)));

struct detail_cgroup {
	uint32_t pid, tid;
	uint64_t id;
	char path[]; /* with a NUL; "" is not known */
} __attribute__((packed, aligned(4)));

struct detail_space {
	uint64_t device, inode;
} __attribute__((packed, aligned(4)));

struct detail_namespaces {
	uint32_t pid, tid;
	uint32_t count, reserved;
	struct detail_space space[]; /* net uts ipc pid user mnt cgroup */
} __attribute__((packed, aligned(4)));

/* The kernel changed its own code. */
struct detail_poke {
	uint32_t pid, tid;
	uint64_t address;
	uint16_t before, after; /* bytes */
	uint8_t code[];
} __attribute__((packed, aligned(4)));

/* A mapping of the kernel or one of its modules. */
struct detail_kernel_map {
	uint32_t pid, tid;
	uint64_t start, length;
	uint64_t offset;    /* kernel only: address of the symbol in its name */
	uint32_t id_length; /* 0: no build id */
	uint8_t id[20];
	char path[]; /* with a NUL */
} __attribute__((packed, aligned(4)));

/* Code that the kernel made (a BPF program, for example) was added or removed. */
struct detail_ksymbol {
	uint32_t pid, tid;
	uint64_t start;
	uint32_t length;
	uint16_t type, flags; /* PERF_RECORD_KSYMBOL_TYPE_*, _FLAGS_* */
	char name[];          /* with a NUL */
} __attribute__((packed, aligned(4)));

static inline bool detail_is(const struct pirecord *r, enum detail_kind kind)
{
	return r->major == DETAIL_RECORD && (r->minor & DETAIL_KIND) == kind;
}

/* Whether the record is long enough for its counts. */
static inline bool detail_whole(const struct pirecord *r)
{
	const struct detail_branches *b = r->data;
	const struct detail_raw *raw = r->data;
	const struct detail_namespaces *n = r->data;
	const struct detail_registers *g = r->data;
	const struct detail_cgroup *c = r->data;
	const struct detail_poke *p = r->data;
	const struct detail_kernel_map *m = r->data;
	const struct detail_ksymbol *k = r->data;

	if (r->type != PITRACE_TYPE_STRUCT)
		return false;
	switch (r->minor & DETAIL_KIND) {
	case DETAIL_EVENT:
		return r->size >= sizeof(struct detail_event);
	case DETAIL_BRANCHES:
		return r->size >= sizeof(*b) &&
		       b->count <= (r->size - sizeof(*b)) / sizeof(b->branch[0]);
	case DETAIL_RAW:
		return r->size >= sizeof(*raw) && raw->bytes <= r->size - sizeof(*raw);
	case DETAIL_ACCESS:
		return r->size >= sizeof(struct detail_access);
	case DETAIL_REGS_USER:
	case DETAIL_REGS_INTR:
		return r->size >= sizeof(*g) &&
		       g->count <= (r->size - sizeof(*g)) / sizeof(g->value[0]) &&
		       g->count == (g->abi ? (uint32_t)__builtin_popcountll(g->mask) : 0);
	case DETAIL_CGROUP_OF:
	case DETAIL_CGROUP:
		return r->size > sizeof(*c) && memchr(c->path, 0, r->size - sizeof(*c));
	case DETAIL_NAMESPACES:
		return r->size >= sizeof(*n) &&
		       n->count <= (r->size - sizeof(*n)) / sizeof(n->space[0]);
	case DETAIL_POKE:
		return r->size >= sizeof(*p) &&
		       (uint32_t)p->before + p->after <= r->size - sizeof(*p);
	case DETAIL_KERNEL_MAP:
		return r->size > sizeof(*m) && m->id_length <= sizeof(m->id) &&
		       memchr(m->path, 0, r->size - sizeof(*m));
	case DETAIL_KSYMBOL:
		return r->size > sizeof(*k) && memchr(k->name, 0, r->size - sizeof(*k));
	}
	return false;
}

#endif
