/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Derives function entries and exits from an instruction trace: each run has a function and a call
 * depth. At the start of a run, functions that are no longer on the thread's stack have been left,
 * and new ones entered. Functions are numbered from 1 in order of appearance.
 */
#include "export/xray/xray_runs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "complain.h"
#include "job.h"
#include "model/read.h"

#define FUNCTIONS (1u << 28) /* limit of a record's function number */

struct run_frame {
	uint32_t depth, function;
};

struct run_thread {
	struct run_frame *frame;
	uint32_t depth, room;
};

struct run_reading {
	const struct job *job;
	struct xray_functions *functions;
	struct run_thread *thread; /* by index of the run's thread */
	uint32_t nthread;
	xray_each each;
	void *arg;
};

static int number_of(struct run_reading *rd, const struct run *run, uint32_t *number)
{
	struct xray_functions *f = rd->functions;
	uint32_t symbol = rd->job->model->names.symbols.symbol[run->place.symbol].base;

	if (array_reach(f->number, f->nnumber, symbol))
		return -ENOMEM;
	if (!f->number[symbol]) {
		if (f->count + 1 == FUNCTIONS)
			return -EOVERFLOW;
		if (array_next(f->symbol, f->count, f->room))
			return -ENOMEM;
		f->symbol[f->count++] = symbol;
		f->number[symbol] = f->count;
	}
	*number = f->number[symbol];
	return 0;
}

static struct run_thread *get_thread(struct run_reading *rd, uint32_t i)
{
	return array_reach(rd->thread, rd->nthread, i) ? NULL : &rd->thread[i];
}

static int emit(const struct run_reading *rd, const struct run *run, enum call_kind kind,
		uint32_t function)
{
	struct call_record call = {
		.pid = run->r.pid,
		.tid = run->r.tid,
		.function = function,
	};
	struct pirecord r = {
		.ring = PITRACE_RING_TRACE,
		.type = PITRACE_TYPE_STRUCT,
		.major = CALL_RECORD,
		.minor = kind,
		.cpu = run->r.cpu,
		.time = run->since,
		.stamp = run->since,
		.data = &call,
		.size = sizeof(call),
	};

	return rd->each ? rd->each(rd->arg, &r) : 0;
}

static int take_run(void *arg, const struct run *run)
{
	struct run_reading *rd = arg;
	struct run_thread *th = get_thread(rd, run->r.thread);
	uint32_t number;
	int rc = th ? number_of(rd, run, &number) : -ENOMEM;

	while (!rc && th->depth) {
		const struct run_frame *top = &th->frame[th->depth - 1];

		if (top->depth < run->depth)
			break;
		if (top->depth == run->depth && top->function == number)
			return 0;
		rc = emit(rd, run, CALL_EXIT, top->function);
		th->depth--;
	}
	if (!rc)
		rc = array_next(th->frame, th->depth, th->room);
	if (rc)
		return rc;
	th->frame[th->depth++] = (struct run_frame){ run->depth, number };
	return emit(rd, run, CALL_ENTRY, number);
}

int xray_runs(const struct job *job, struct xray_functions *f, xray_each each, void *arg)
{
	struct run_reading rd = { .job = job, .functions = f, .each = each, .arg = arg };
	struct runs_reader reader = { .run = take_run, .arg = &rd };
	int rc = read_runs(job->input, job->trace, job->model, &job->read, &reader);

	for (uint32_t i = 0; i < rd.nthread; i++)
		free(rd.thread[i].frame);
	free(rd.thread);
	if (rc || f->count)
		return rc;
	complain("the trace has neither function entries and exits nor instructions");
	return -EOPNOTSUPP;
}

void xray_functions_free(struct xray_functions *f)
{
	free(f->number);
	free(f->symbol);
}
