/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Converts perf's records to trace records: names (MTE), samples with their stacks, dispatches.
 * Fields that perf does not report stay 0: start times, cgroups and namespaces of tasks. A child's
 * memory is reported as a copy even if it is shared. Unmapping is not reported; a new mapping ends
 * what it covers.
 */
#ifndef PITRACE_PERF_RECORDS_H
#define PITRACE_PERF_RECORDS_H

#include <pitrace.h>
#include "collect/perf/perf_decode.h"

/* Receives one record. 0 or -errno, which ends the caller. */
typedef int (*perf_put)(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
			uint64_t time);

/* Converts COMM, FORK, EXIT, MMAP and MMAP2; ignores others. A mapping that is reported with its
 * build id has the id in place of its file's inode. */
int perf_put_name(const struct perf_item *item, perf_put put, void *arg);

/* Stack settings: parts that the session requests, and limits of the opened event. */
struct perf_registers;
struct perf_stacks {
	uint32_t want; /* PITRACE_WANT_* */
	/* maximum addresses of each part: PERF_CHAIN_MAX, or PITRACE_STACK_MAX if stacks are
	 * copied */
	uint32_t depth;
	/* maximum of both together, as set in the kernel; 0: unknown */
	uint32_t most;
	uint64_t regs; /* mask of user registers */
	uint32_t copy; /* maximum bytes of a copied stack, up to PERF_COPY_MAX */
	const struct perf_registers *registers;
};
#define PERF_COPY_MAX  65536
#define PERF_CHAIN_MAX 8192 /* a record has space for fewer */

/* Returns the register numbers of a machine (by its utsname). NULL: stacks of that machine are not
 * unwound. */
const struct perf_registers *perf_registers_of(const char *machine);
const struct perf_registers *perf_registers_here(void);
/* Returns the mask for REGS_USER on this machine; 0: stacks are not copied here. */
uint64_t perf_user_registers(void);

/* The stack of a sample, in the layout of records. */
#define PERF_REGISTERS_MAX 64
struct perf_stack {
	struct pitrace_stack head;
	uint64_t words[2 * PITRACE_STACK_MAX + PERF_REGISTERS_MAX + PERF_COPY_MAX / 8];
} __attribute__((packed, aligned(4)));

/* Fills in the parts that the session requests. Returns the bytes in use. */
size_t perf_take_stack(const struct perf_item *item, const struct perf_stacks *stacks,
		       struct perf_stack *stack);

/* Converts a SAMPLE of event number `event` (UINT32_MAX: the timer). */
int perf_put_sample(const struct perf_item *item, const struct perf_stacks *stacks, uint32_t event,
		    perf_put put, void *arg);
/* The thread that runs on a CPU, by its last dispatch; initially zero. */
struct perf_running {
	uint32_t pid, tid;
	bool known;
};
/* Converts SWITCH_CPU_WIDE: the record of the thread that leaves. If the kernel omits it (as for
 * some threads), the record of the next thread is used. SWITCH names no other thread: idle. */
int perf_put_dispatch(const struct perf_item *item, struct perf_running *running, perf_put put,
		      void *arg);

/* Returns why a thread left, from the kernel's state bits in sched_switch; 0x100: preempted. */
uint32_t perf_why_left(uint64_t state);

/* The last sample of sched_switch: a switch record that follows on its CPU names both threads. */
struct perf_left {
	bool valid;
	uint32_t tid; /* UINT32_MAX: an exiting thread */
	uint32_t why; /* PITRACE_LEFT_* */
	int16_t old_priority, new_priority;
	size_t stack_bytes; /* 0: none */
	struct perf_stack stack;
};

void perf_left_take(struct perf_left *left, const struct perf_item *item, uint64_t state,
		    int16_t old_priority, int16_t new_priority, const struct perf_stacks *stacks);
/* Puts a dispatch with the sample's data, if that belongs to the same switch. */
int perf_left_put(struct perf_left *left, uint32_t minor, const struct pitrace_dispatch *dispatch,
		  uint64_t time, perf_put put, void *arg);

#endif
