/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load_trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "called_as.h"
#include "complain.h"
#include "input/merged.h"
#include "input/readers.h"
#include "model/feed.h"
#include "report/report.h"
#include "sandbox/sandbox.h"

static int failed(const char *what, int rc)
{
	complain("%s: %s", what, strerror(-rc));
	return EXIT_UNREADABLE;
}

void load_shut_in(const struct options *o, const struct opener_output *output, unsigned int n)
{
	const struct opener_task task = {
		.output = output,
		.outputs = n,
		.debuginfod = o->names.debuginfod,
	};
	struct sandbox s = { .calls = NULL };
	int rc = opener_begin(&task);

	if (!rc)
		s = sandbox_enter();
	if (o->verbose && rc)
		complain("no sandbox: %s", strerror(-rc));
	if (o->verbose && s.calls)
		complain("no sandbox by seccomp: %s", s.calls);
	if (o->verbose && s.files)
		complain("no sandbox by Landlock: %s", s.files);
}

static int open_input(struct loaded *l, struct pifile_fault *fault)
{
	const struct options *o = l->options;
	int rc;

	memset(fault, 0, sizeof(*fault));
	l->input.program = o->program;
	l->input.descriptors = o->descriptors;
	l->input.inlined = o->names.inlined;
	if (o->more) {
		rc = merged_open(&l->input, o->more, o->inputs);
		return rc == -EINVAL ? EXIT_UNREADABLE : rc ? failed("traces", rc) : EXIT_CLEAN;
	}
	if (input_open(&l->input, o->input, fault) < 0)
		return EXIT_UNREADABLE;
	if (!o->program || l->input.reader->numbers)
		return EXIT_CLEAN;
	complain("-program: %s is no XRay log", o->input);
	return EXIT_UNREADABLE;
}

/* Returns a time that the user gave, on the trace's clock. */
static uint64_t on_clock(const struct loaded *l, uint64_t time)
{
	return time > UINT64_MAX - l->job.start ? UINT64_MAX : l->job.start + time;
}

static int begin(struct loaded *l)
{
	struct options *o = l->options;
	int rc;

	/* The tree of calls is made from the values, not from instructions. */
	if (l->input.values && !l->input.calls)
		o->instructions = false;
	l->job = (struct job){
		.options = o,
		.input = &l->input,
		.trace = &l->trace,
		.model = &l->model,
		.read = {
			.filter = &o->filter,
			.names = &o->names,
			.event = o->event,
			.kernel_map = o->kernel_map,
			.quiet = o->quiet,
		},
	};
	rc = o->filter.relative ? input_start(&l->input, &l->job.start) : 0;
	if (rc)
		return failed("records", rc);
	if (filter_wanted(&o->filter)) {
		l->filtered = (struct filtered){
			.base = &l->input,
			.filter = &o->filter,
			.names = &l->model.names,
			.from = on_clock(l, o->filter.from),
			.to = on_clock(l, o->filter.to),
		};
		filter_input(&l->passing, &l->filtered);
		l->job.input = &l->passing;
		l->job.left = &l->filtered.left;
	}
	l->model.ground = &l->ground;
	l->model.counts.by_cpu = o->per_cpu;
	l->model.counts.unnamed_only = o->unnamed_offsets && !o->names.annotate;
	l->model.counts.by_offset = o->offsets || o->names.annotate;
	trace_begin(&l->trace, l->job.input, o->event);
	if (o->filter.timed)
		trace_between(&l->trace, on_clock(l, o->filter.from), on_clock(l, o->filter.to));
	return EXIT_CLEAN;
}

int load_try(struct loaded *l, struct options *o, struct pifile_fault *fault)
{
	int code;

	*l = (struct loaded){ .options = o, .input = { .spool = -1 } };
	code = open_input(l, fault);
	return code ? code : begin(l);
}

int load_open(struct loaded *l, struct options *o)
{
	struct pifile_fault fault;
	int code = load_try(l, o, &fault);

	if (!*fault.what)
		return code;
	input_complain(o->input, &fault);
	if (fault.offset == NO_OFFSET && o->default_input)
		fprintf(stderr, "Make a trace with: %s run -- COMMAND\n",
			called_by_front() ? "pitrace" : "swtrace");
	return code;
}

static int kernel_files(const struct options *o, struct a2n *a, uint32_t machines)
{
	const char *why = o->kernel_map ? feed_kernel_map(a, machines, o->kernel_map) : NULL;

	if (why) {
		complain("-kmap: %s: %s", o->kernel_map, why);
		return EXIT_UNREADABLE;
	}
	why = o->kernel_image ? feed_kernel_image(a, machines, o->kernel_image) : NULL;
	if (why)
		complain("-k: %s: %s", o->kernel_image, why);
	return why ? EXIT_UNREADABLE : EXIT_CLEAN;
}

static int open_critical(struct loaded *l)
{
	struct times *t = &l->model.times;

	return critical_open(&t->critical, &t->sched, &t->irqs, &l->options->filter,
			     &l->job.input->header);
}

static void open_locks(struct loaded *l)
{
	struct times *t = &l->model.times;

	locks_open(&t->locks, &t->sched, &t->offcpu, &l->options->filter, &l->job.input->header);
}

/* Opens the stacks of samples, or of threads that leave their CPUs; lock reports also show the
 * latter. */
static int open_stacks(struct loaded *l, unsigned int needs)
{
	struct model *m = &l->model;
	bool offcpu = needs & NEED_STACKS && l->options->offcpu;
	int rc = 0;

	if (offcpu || needs & NEED_LOCKS)
		rc = stacks_open(&m->times.offcpu.stacks, &m->names, l->job.input);
	return rc || offcpu || !(needs & NEED_STACKS) ?
		       rc :
		       stacks_open(&m->stacks, &m->names, l->job.input);
}

static void choose_stacks(struct loaded *l)
{
	struct model *m = &l->model;

	l->job.stacks = l->options->offcpu ? &m->times.offcpu.stacks : &m->stacks;
	l->job.stack_total = l->options->offcpu       ? m->times.offcpu.total :
			     l->options->instructions ? m->stacks.with :
							trace_total(&l->trace);
}

int load_read(struct loaded *l, unsigned int needs)
{
	const struct options *o = l->options;
	struct model *m = &l->model;
	struct job *job = &l->job;
	int rc, code;

	/* A report of records reads the input itself. */
	if (!needs)
		return EXIT_CLEAN;
	rc = names_open(&m->names, &o->names);
	m->names.jit.tables = needs & (NEED_STACKS | NEED_LOCKS);
	if (!rc)
		rc = names_origins(&m->names, job->input->origin, job->input->origins);
	if (rc)
		return failed("names", rc);
	m->marks.names = &m->names;
	m->marks.sched = needs & NEED_TIMES ? &m->times.sched : NULL;
	m->switches.ignored = o->own_runs;
	m->marks.events = &m->named;
	times_begin(&m->times, &m->names, &l->trace, &job->input->header);
	m->times.offcpu.filter = &l->options->filter;
	rc = needs & NEED_CRITICAL ? open_critical(l) : 0;
	if (rc)
		return failed("waits", rc);
	if (needs & NEED_LOCKS)
		open_locks(l);
	m->sums.wanted = needs & NEED_SUMS;
	m->slices.wanted = needs & NEED_SLICES;
	rc = open_stacks(l, needs);
	if (rc)
		return failed("stacks", rc);
	code = kernel_files(o, m->names.a2n, job->input->origins);
	if (code)
		return code;
	rc = read_trace(job->input, &l->trace, m, &job->read, needs);
	if (rc)
		return failed(o->input, rc);
	choose_stacks(l);
	if (needs & NEED_SAMPLES && o->event && !l->trace.events.has_chosen) {
		mode_absent(job);
		return EXIT_UNREADABLE;
	}
	return EXIT_CLEAN;
}

void load_close(struct loaded *l)
{
	struct model *m = &l->model;

	marks_free(&m->marks);
	switches_free(&m->switches);
	named_events_free(&m->named);
	times_free(&m->times);
	stacks_free(&m->stacks);
	sums_free(&m->sums);
	slices_free(&m->slices);
	counts_free(&m->counts);
	tree_ground_free(&l->ground);
	names_close(&m->names);
	trace_free(&l->trace);
	input_close(&l->input);
}
