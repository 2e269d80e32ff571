/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf's records told in ours: names (MTE), samples with their stacks, dispatches. What perf does
 * not tell is left 0: start times, cgroups and namespaces of tasks; whether a child shares its
 * parent's memory (it is told as a copy); that memory is unmapped (what is mapped over it ends it).
 */
#ifndef PITRACE_PERF_RECORDS_H
#define PITRACE_PERF_RECORDS_H

#include <pitrace.h>
#include "collect/perf/perf_decode.h"

/* Takes one record: 0 or -errno, which ends what calls it. */
typedef int (*perf_put)(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
			uint64_t time);

/* COMM, FORK, EXIT, MMAP, MMAP2; others are nothing. A mapping that is told by its build id has
 * that in place of its file's identity. */
int perf_put_name(const struct perf_item *item, perf_put put, void *arg);

/* How stacks are told: what the session wants, and how the event was opened. */
struct perf_registers;
struct perf_stacks {
	uint32_t want;			/* PITRACE_WANT_* */
	uint32_t depth;			/* most addresses of each part: PERF_CHAIN_MAX, and
					   PITRACE_STACK_MAX where stacks are copied */
	uint32_t most;			/* of both together, as the kernel was told; 0: unknown */
	uint64_t regs;			/* mask of user registers */
	uint32_t copy;			/* most bytes of a copied stack, up to PERF_COPY_MAX */
	const struct perf_registers *registers;
};
#define PERF_COPY_MAX	65536
#define PERF_CHAIN_MAX	8192	/* a record has room for fewer */

/* How a machine's registers (utsname's name of it) are numbered. NULL: stacks from there are not
 * unwound. */
const struct perf_registers *perf_registers_of(const char *machine);
const struct perf_registers *perf_registers_here(void);
/* The mask for REGS_USER on this machine; 0: stacks are not copied here. */
uint64_t perf_user_registers(void);

/* A SAMPLE, of event number `event` (UINT32_MAX: the timer). */
int perf_put_sample(const struct perf_item *item, const struct perf_stacks *stacks, uint32_t event,
		    perf_put put, void *arg);
/* Who runs on a CPU, by its last dispatch; zeroed at first. */
struct perf_running {
	uint32_t pid, tid;
	bool known;
};
/* SWITCH_CPU_WIDE: the half that tells who leaves; where the kernel left that out (as it does for
 * some threads), the half that tells who came. SWITCH does not tell who else: nobody (idle). */
int perf_put_dispatch(const struct perf_item *item, struct perf_running *running, perf_put put,
		      void *arg);

#endif
