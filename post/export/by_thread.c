/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One array for each thread; the first pass has found all threads. */
#include "export/by_thread.h"

#include <errno.h>
#include <stdlib.h>

#include "job.h"

static int take(void *arg, const struct profile_sample *s)
{
	struct by_thread *b = arg;
	uint32_t group = s->thread < b->threads ? b->names->thread[s->thread].group : NO_KEY;
	struct thread_samples *t = b->thread;
	struct thread_sample *to;

	if (group >= b->threads)
		return -EBADMSG; /* the file changed since the first pass */
	t += group;
	if (b->first > s->time)
		b->first = s->time;
	if (b->last < s->time)
		b->last = s->time;
	if (array_next(t->sample, t->count, t->room))
		return -ENOMEM;
	to = &t->sample[t->count++];
	*to = (struct thread_sample){
		.time = s->time,
		.counted = s->counted,
		.stack = s->stack,
		.ticks = s->ticks,
	};
	return 0;
}

int by_thread_read(struct by_thread *b, const struct job *job)
{
	struct profile_reader reader = { .sample = take, .arg = b };

	*b = (struct by_thread){
		.names = &job->model->names,
		.threads = job->model->names.nthread,
		.first = UINT64_MAX,
	};
	b->thread = calloc((size_t)b->threads + 1, sizeof(*b->thread));
	return b->thread ? job_samples(job, &reader) : -ENOMEM;
}

void by_thread_free(struct by_thread *b)
{
	uint32_t i;

	for (i = 0; b->thread && i < b->threads; i++)
		free(b->thread[i].sample);
	free(b->thread);
	*b = (struct by_thread){ 0 };
}
