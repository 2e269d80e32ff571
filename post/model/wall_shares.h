/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wall time, divided evenly among the threads that run: a thread that runs while n do gets 1/n of
 * that time. While none runs nobody gets it. All together are wall time, to the nanosecond.
 */
#ifndef POST_WALL_SHARES_H
#define POST_WALL_SHARES_H

#include <stdbool.h>
#include <stdint.h>

struct wall_shares {
	struct wall_shares_cpu {
		bool runs;
		uint32_t row;    /* who */
		uint64_t so_far; /* each one's sum when he began */
	} * cpu;
	uint32_t ncpus;
	uint64_t *left; /* by n - 1: what did not divide, less than n */
	uint32_t nleft;
	uint64_t *row; /* ns, by row */
	uint32_t nrow;
	uint32_t running;
	uint32_t last;                 /* who began last */
	uint64_t since, each;          /* up to here; sum of what each running thread got */
	uint64_t wall, nobody, others; /* others: of who has no row */
};

/* Instead of a row: a CPU is idle; runs a thread that has none. */
#define SHARES_IDLE   UINT32_MAX
#define SHARES_OTHERS (UINT32_MAX - 1)

void shares_begin(struct wall_shares *s, uint64_t time);
/* From now on this CPU runs `row`, or SHARES_*. 0 or -ENOMEM. */
int shares_run(struct wall_shares *s, uint32_t cpu, uint32_t row, uint64_t time);
/* All CPUs stop; what did not divide goes to who began last. 0 or -ENOMEM. */
int shares_end(struct wall_shares *s, uint64_t time);
void shares_free(struct wall_shares *s);

#endif
