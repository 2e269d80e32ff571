/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wall time, divided evenly among the running threads: while n threads run, each gets 1/n of the
 * time. While none runs, the time goes to `nobody`. All shares add up to wall time, to the
 * nanosecond.
 */
#ifndef POST_WALL_SHARES_H
#define POST_WALL_SHARES_H

#include <stdbool.h>
#include <stdint.h>

struct wall_shares {
	struct wall_shares_cpu {
		bool runs;
		uint32_t row;    /* of its thread */
		uint64_t so_far; /* `each` when it began */
	} * cpu;
	uint32_t ncpus;
	uint64_t *left; /* by n - 1: the undivided remainder, less than n */
	uint32_t nleft;
	uint64_t *row; /* ns, by row */
	uint32_t nrow;
	uint32_t running;
	uint32_t last;                 /* row of the thread that began last */
	uint64_t since, each;          /* accounted up to here; sum of the share per thread */
	uint64_t wall, nobody, others; /* others: threads without a row */
};

/* Instead of a row: the CPU is idle; it runs a thread without a row. */
#define SHARES_IDLE   UINT32_MAX
#define SHARES_OTHERS (UINT32_MAX - 1)

void shares_begin(struct wall_shares *s, uint64_t time);
/* From now on this CPU runs `row`, or SHARES_*. Returns 0 or -ENOMEM. */
int shares_run(struct wall_shares *s, uint32_t cpu, uint32_t row, uint64_t time);
/* Stops all CPUs; the remainder goes to the thread that began last. Returns 0 or -ENOMEM. */
int shares_end(struct wall_shares *s, uint64_t time);
void shares_free(struct wall_shares *s);

#endif
