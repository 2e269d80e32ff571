/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * post: a trace in, reports out. Open, tell the names to liba2n, count, report: this file only
 * wires.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "complain.h"
#include "input/merged.h"
#include "input/readers.h"
#include "model/feed.h"
#include "model/read.h"
#include "reports.h"
#include "sandbox/sandbox.h"

static int failed(const char *what, int rc)
{
	complain("%s: %s", what, strerror(-rc));
	return EXIT_UNREADABLE;
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

/* From here on others' files are read. */
static void shut_in(const struct options *o)
{
	struct opener_output outputs[REPORT_COUNT];
	const struct opener_task task = {
		.output = outputs,
		.outputs = reports_outputs(o, outputs),
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

static int open_trace(const struct options *o, struct input *input)
{
	struct pifile_fault fault;
	int rc;

	input->program = o->program;
	input->descriptors = o->descriptors;
	if (o->more) {
		rc = merged_open(input, o->more, o->inputs);
		return rc == -EINVAL ? EXIT_UNREADABLE : rc ? failed("traces", rc) : EXIT_CLEAN;
	}
	if (input_open(input, o->input, &fault) >= 0) {
		if (!o->program || input->reader->numbers)
			return EXIT_CLEAN;
		complain("-program: %s is no XRay log", o->input);
		return EXIT_UNREADABLE;
	}
	input_complain(o->input, &fault);
	if (fault.offset == NO_OFFSET && o->default_input)
		fputs("Make a trace with: swtrace run -- COMMAND\n", stderr);
	return EXIT_UNREADABLE;
}

/* A report of records reads them itself. */
static int read_model(struct job *job, unsigned int needs)
{
	const struct pifile_header *header = &job->input->header;
	char machine[sizeof(header->machine) + 1];
	struct model *m = job->model;
	int rc, code;

	if (!needs)
		return EXIT_CLEAN;
	rc = names_open(&m->names, &job->options->names);
	m->names.jit.tables = needs & NEED_STACKS;
	if (!rc)
		rc = names_origins(&m->names, job->input->origin, job->input->origins);
	if (rc)
		return failed("names", rc);
	m->marks.names = &m->names;
	m->marks.sched = needs & NEED_TIMES ? &m->times.sched : NULL;
	m->switches.ignored = job->options->own_runs;
	m->marks.events = &m->named;
	times_begin(&m->times, &m->names, job->trace, header);
	m->sums.wanted = needs & NEED_SUMS;
	m->slices.wanted = needs & NEED_SLICES;
	if (needs & NEED_STACKS) {
		snprintf(machine, sizeof(machine), "%.*s", (int)sizeof(header->machine),
			 header->machine);
		rc = stacks_open(job->options->away ? &m->times.away.stacks : &m->stacks, &m->names,
				 machine, job->input->size);
		if (rc)
			return failed("stacks", rc);
	}
	code = kernel_files(job->options, m->names.a2n, job->input->origins);
	if (code)
		return code;
	rc = read_trace(job->input, job->trace, m, &job->read, needs);
	if (rc)
		return failed(job->options->input, rc);
	job->stacks = job->options->away ? &m->times.away.stacks : &m->stacks;
	job->stack_total = job->options->away         ? m->times.away.total :
			   job->options->instructions ? m->stacks.with :
							trace_total(job->trace);
	if (needs & NEED_SAMPLES && job->options->event && !job->trace->events.has_chosen) {
		mode_absent(job);
		return EXIT_UNREADABLE;
	}
	return EXIT_CLEAN;
}

static int report_all(struct job *job, unsigned int needs)
{
	bool on_the_way = !needs || needs & NEED_RUNS, absent;
	struct reports_written written = { .n = 0 };
	struct pifile_fault *faults = NULL;
	int rc, code;

	/* A report of names tells the damage itself; one of records meets it on its way. */
	rc = on_the_way ? 0 : damage_gather(job, &faults);
	if (rc)
		return failed("faults", rc);
	absent = reports_absent(job);
	code = absent ? EXIT_UNREADABLE : reports_write(job, &written);
	if (!code && needs & NEED_TIMES && !times_add_up(&job->model->times))
		code = EXIT_DAMAGED;
	rc = on_the_way ? damage_gather(job, &faults) : 0;
	if (rc < 0)
		code = failed("faults", rc);
	if (!absent)
		code = reports_screen(job, &written, code);
	if (!(job->options->kinds & REPORT_TELLS_DAMAGE))
		damage_print(job);
	warnings_print(job);
	if (!code && (job->nfaults || jit_damaged(&job->model->names.jit) ||
		      !job->input->complete || trace_lossy(job->trace)))
		code = EXIT_DAMAGED;
	free(faults);
	return code;
}

int main(int argc, char **argv)
{
	struct options options;
	struct input input = { 0 }, passing;
	struct trace trace = { 0 };
	struct model model = { 0 };
	struct filtered filtered = {
		.base = &input,
		.filter = &options.filter,
		.names = &model.names,
	};
	struct job job = { .options = &options, .input = &input, .trace = &trace, .model = &model };
	unsigned int needs;
	int code = parse_options(&options, argc, argv);

	if (code >= 0)
		return code;
	shut_in(&options);
	code = open_trace(&options, &input);
	/* Their tree is that of their values. */
	if (!code && input.values && !input.calls)
		options.instructions = false;
	if (code) {
		opener_end();
		return code;
	}
	job.read = (struct read_options){
		.filter = &options.filter,
		.names = &options.names,
		.event = options.event,
		.kernel_map = options.kernel_map,
		.quiet = options.quiet,
	};
	needs = reports_need(&options);
	options.names.places = needs & NEED_PLACES;
	model.counts.by_cpu = options.per_cpu;
	model.counts.unnamed_only = options.unnamed_offsets && !options.names.annotate;
	model.counts.by_offset = options.offsets || options.names.annotate;
	if (filter_wanted(&options.filter)) {
		filter_input(&passing, &filtered);
		job.input = &passing;
	}
	trace_begin(&trace, job.input, options.event);
	if (options.filter.timed)
		trace_between(&trace, options.filter.from, options.filter.to);
	code = read_model(&job, needs);
	if (!code)
		code = report_all(&job, needs);
	marks_free(&model.marks);
	switches_free(&model.switches);
	named_events_free(&model.named);
	times_free(&model.times);
	stacks_free(&model.stacks);
	sums_free(&model.sums);
	slices_free(&model.slices);
	counts_free(&model.counts);
	names_close(&model.names);
	trace_free(&trace);
	input_close(&input);
	opener_end();
	return code;
}
