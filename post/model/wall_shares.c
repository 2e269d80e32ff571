/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps one running sum of the share per running thread: a thread's share is the growth of that sum
 * while it ran, so a change costs the same for any number of CPUs. */
#include "model/wall_shares.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

void shares_begin(struct wall_shares *s, uint64_t time)
{
	s->since = time;
}

static int advance(struct wall_shares *s, uint64_t time)
{
	uint64_t took;

	if (time <= s->since)
		return 0;
	took = time - s->since;
	s->since = time;
	s->wall += took;
	if (!s->running) {
		s->nobody += took;
		return 0;
	}
	if (array_reach(s->left, s->nleft, s->running - 1))
		return -ENOMEM;
	took += s->left[s->running - 1];
	s->each += took / s->running;
	s->left[s->running - 1] = took % s->running;
	return 0;
}

/* Returns the total of a row. */
static uint64_t *sum_of(struct wall_shares *s, uint32_t row)
{
	return row == SHARES_OTHERS ? &s->others : &s->row[row];
}

int shares_run(struct wall_shares *s, uint32_t cpu, uint32_t row, uint64_t time)
{
	struct wall_shares_cpu *c;
	int rc = advance(s, time);

	if (rc || array_reach(s->cpu, s->ncpus, cpu) ||
	    (row < SHARES_OTHERS && array_reach(s->row, s->nrow, row)))
		return -ENOMEM;
	c = &s->cpu[cpu];
	if (c->runs) {
		*sum_of(s, c->row) += s->each - c->so_far;
		s->running--;
	}
	c->runs = row != SHARES_IDLE;
	if (!c->runs)
		return 0;
	c->row = s->last = row;
	c->so_far = s->each;
	s->running++;
	return 0;
}

int shares_end(struct wall_shares *s, uint64_t time)
{
	uint32_t i;
	int rc = advance(s, time);

	for (i = 0; i < s->ncpus && !rc; i++)
		rc = shares_run(s, i, SHARES_IDLE, time);
	for (i = 0; i < s->nleft && !rc; i++) {
		if (s->left[i]) /* a thread was running then */
			*sum_of(s, s->last) += s->left[i];
		s->left[i] = 0;
	}
	return rc;
}

void shares_free(struct wall_shares *s)
{
	free(s->cpu);
	free(s->left);
	free(s->row);
	*s = (struct wall_shares){ 0 };
}
