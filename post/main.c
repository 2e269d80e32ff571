/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * post: reads a trace and writes reports. Opens the input, feeds liba2n, counts, reports: this file
 * only connects the parts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "compare/compare.h"
#include "complain.h"
#include "fit.h"
#include "load_trace.h"
#include "reports.h"

static int failed(const char *what, int rc)
{
	complain("%s: %s", what, strerror(-rc));
	return EXIT_UNREADABLE;
}

static int report_all(struct job *job, unsigned int needs)
{
	bool on_the_way = reports_meet_damage(needs), absent;
	struct reports_written written = { .n = 0 };
	struct pifile_fault *faults = NULL;
	int rc, code;

	/* Reports of records find damage while they read; for the others it is gathered first. */
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
	if (!code && !damage_none(job))
		code = EXIT_DAMAGED;
	free(faults);
	return code;
}

static int show_difference_of(struct options *o)
{
	struct compare_options how = {
		.what = COMPARE_DIFFERENCE,
		.key = BY_NAME,
		.folded = o->reports & report_bit(&report_folded),
		.rows = o->output ? 0 : COMPARE_ROWS,
		.page = o->reports & report_bit(&report_html),
	};
	const char *const *traces = o->more;
	int code;

	if (how.page && !o->output)
		o->output = report_html.path;
	if (how.folded || how.page)
		how.key = BY_PROCESS;
	else if (o->reports & report_bit(&report_calltree))
		how.key = BY_PATH;
	how.totals = how.key == BY_PATH;
	o->more = NULL;
	code = compare_files(o, &how, traces, o->inputs);
	if (how.page && code != EXIT_UNREADABLE && !o->quiet && strcmp(o->output, "-") != 0)
		printf("full report: %s\n", o->output);
	return code;
}

static int report_trace(struct options *options)
{
	struct opener_output outputs[REPORT_COUNT];
	static struct loaded loaded;
	unsigned int needs;
	int code;

	load_shut_in(options, outputs, reports_outputs(options, outputs));
	code = load_open(&loaded, options);
	if (!code) {
		needs = reports_need(options);
		options->names.places = needs & NEED_PLACES;
		code = load_read(&loaded, needs);
		if (!code)
			code = report_all(&loaded.job, needs);
	}
	load_close(&loaded);
	opener_end();
	return code;
}

int main(int argc, char **argv)
{
	struct options options;
	int code = parse_options(&options, argc, argv);

	if (code < 0) {
		if (!options.diff)
			fit_locale();
		code = options.diff ? show_difference_of(&options) : report_trace(&options);
	}
	filter_free(&options.filter);
	return code;
}
