/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rare cases: new threads, deeper stacks, exits that do not match the innermost call. */
#include "model/callflow.h"

/* Limit on the frames searched for exits of functions that were not entered. Beyond it only the
 * innermost frames are searched: otherwise a file full of such exits would take time proportional
 * to its size times its depth. */
#define SEARCHED  (1u << 26)
#define INNERMOST 256u

int callflow_new_thread(struct callflow *cf, uint32_t pid, uint32_t tid)
{
	struct callflow_thread new = { .pid = pid, .tid = tid };
	uint64_t hash = hash_mix(pid, tid);

	cf->last = keys_find(&cf->by_thread, hash, cf->thread, e,
			     e->pid == new.pid && e->tid == new.tid);
	if (cf->last != NO_KEY)
		return 0;
	cf->last = 0;
	if (keys_next(&cf->by_thread, hash, cf->thread, cf->nthread, cf->room))
		return -ENOMEM;
	cf->last = cf->nthread;
	cf->thread[cf->nthread++] = new;
	return 0;
}

void callflow_exit(struct callflow *cf, struct callflow_thread *th, uint32_t function,
		   struct callflow_step *step)
{
	uint32_t i, end;

	if (th->below) {
		th->below--; /* the exit of a call that was not kept */
		return;
	}
	end = cf->searched > SEARCHED && th->depth > INNERMOST ? th->depth - INNERMOST : 0;
	for (i = th->depth; i > end && th->frame[i - 1].function != function; i--)
		;
	if (i == end) {
		cf->searched += th->depth - end;
		cf->unentered++;
		return;
	}
	step->left = th->depth - (i - 1);
	cf->unleft += step->left - 1;
	th->depth = i - 1;
}

uint64_t callflow_open(const struct callflow *cf)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < cf->nthread; i++)
		n += cf->thread[i].depth + cf->thread[i].below;
	return n;
}

void callflow_free(struct callflow *cf)
{
	uint32_t i;

	for (i = 0; i < cf->nthread; i++)
		free(cf->thread[i].frame);
	free(cf->thread);
	keys_free(&cf->by_thread);
	*cf = (struct callflow){ 0 };
}
