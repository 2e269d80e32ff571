/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines are joined by the code of -flow, so that both have the same ones. */
#include "export/html/html_flow.h"

#include <stdlib.h>

#include "report/run_lines.h"

#define MOST_LINES (1u << 18)

struct reading_flow {
	struct run_lines lines; /* first: callbacks get it */
	struct html_flow *flow;
};

static void take_line(struct run_lines *l, const struct run *run)
{
	struct html_flow *f = ((struct reading_flow *)l)->flow;
	const struct symbol *symbols = l->job->model->names.symbols.symbol;
	bool known = itrace_place(&run->r) || l->job->input->calls;

	if (f->count == MOST_LINES) {
		f->left++;
		return;
	}
	if (array_next(f->line, f->count, f->room)) {
		l->failed = true;
		return;
	}
	f->line[f->count++] = (struct html_flow_line){
		.count = run->r.count,
		.thread = run->place.thread,
		.symbol = known ? symbols[run->place.symbol].base : NO_KEY,
		.depth = run->depth,
		.doubt = run->r.doubt,
		.kernel = run->r.kernel,
	};
}

int html_flow_read(struct html_flow *f, const struct job *job)
{
	struct reading_flow r = {
		.lines = {
			.by_function = true,
			.plt_once = job->options->plt_once,
			.print = take_line,
			.nested = true,
		},
		.flow = f,
	};
	struct trace books = { 0 };
	struct runs_reader reader;
	int rc;

	names_rewind(&job->model->names);
	rc = run_lines_read(&r.lines, job, &books, &reader);
	trace_free(&books);
	return rc;
}

void html_flow_free(struct html_flow *f)
{
	free(f->line);
}
