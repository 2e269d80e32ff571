/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export/thread_samples.h"

#include <errno.h>
#include <stdlib.h>

static int take(void *arg, const struct profile_sample *s)
{
	struct thread_samples *t = arg;
	uint32_t group = s->thread < t->threads ? t->names->thread[s->thread].group : NO_KEY;
	const struct thread_sample kept = {
		.time = s->time,
		.counted = s->counted,
		.stack = s->stack,
		.ticks = s->ticks,
	};

	if (group >= t->threads)
		return -EBADMSG; /* the file changed since the first pass */
	if (t->first > s->time)
		t->first = s->time;
	t->sums[group].counted += s->counted;
	t->sums[group].ticks += s->ticks;
	return by_thread_add(&t->by, group, &kept);
}

int thread_samples_read(struct thread_samples *t, const struct job *job)
{
	struct profile_reader reader = { .sample = take, .arg = t };
	int rc;

	*t = (struct thread_samples){
		.names = &job->model->names,
		.threads = job->model->names.nthread, /* the first pass has found all threads */
		.first = UINT64_MAX,
	};
	by_thread_open(&t->by, sizeof(struct thread_sample));
	t->sums = calloc((size_t)t->threads + 1, sizeof(*t->sums));
	rc = t->sums ? job_samples(job, &reader) : -ENOMEM;
	return rc ? rc : by_thread_end(&t->by);
}

void thread_samples_free(struct thread_samples *t)
{
	by_thread_free(&t->by);
	free(t->sums);
	*t = (struct thread_samples){ .names = NULL };
}
