/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of reports, and how those asked for reach files, one JSON object, the screen. */
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "output.h"
#include "sandbox/opener.h"

static const struct report *const reports[REPORTS] = {
	[REPORT_TPROF] = &report_tprof,
	[REPORT_CALLTREE] = &report_calltree,
	[REPORT_CALLERS] = &report_callers,
	[REPORT_FOLDED] = &report_folded,
	[REPORT_ANNOTATE] = &report_annotate,
	[REPORT_EXPLAIN] = &report_explain,
	[REPORT_SCHED] = &report_sched,
	[REPORT_OFFCPU] = &report_offcpu,
	[REPORT_IRQ] = &report_irq,
	[REPORT_SYSCALLS] = &report_syscalls,
	[REPORT_FAULTS] = &report_faults,
	[REPORT_MARKS] = &report_marks,
	[REPORT_CONVERT] = &report_convert,
	[REPORT_SHOW] = &report_show,
	[REPORT_ARC] = &report_arc,
	[REPORT_FLOW] = &report_flow,
	[REPORT_FUNCTIONS] = &report_functions,
	[REPORT_INSTRUCTIONS] = &report_instructions,
	[REPORT_VERIFY] = &report_verify,
	[REPORT_STATS] = &report_stats,
	[REPORT_INFO] = &report_info,
	[REPORT_VALIDATE] = &report_validate,
};

/* The i-th of those asked for; NULL: no more. */
static const struct report *wanted(const struct options *o, unsigned int i)
{
	unsigned int id;

	for (id = 0; id < REPORTS; id++) {
		if (o->reports & REPORT_BIT(id) && !i--)
			return reports[id];
	}
	return NULL;
}

unsigned int reports_need(const struct options *o)
{
	const struct report *r;
	unsigned int i, needs = 0;

	for (i = 0; (r = wanted(o, i)); i++)
		needs |= r->needs;
	if (o->convert)
		needs |= o->convert->needs;
	return o->away ? NEED_TIMES | NEED_STACKS : o->instructions ? NEED_INSTRUCTIONS : needs;
}

static int failed(const char *what, int rc)
{
	if (rc < 0)
		complain("%s: %s", what, output_error(rc));
	return rc == REPORT_WRONG ? EXIT_DAMAGED : EXIT_UNREADABLE;
}

/* The first that went wrong decides, but what is unreadable decides over what is damaged. */
static int worse(int a, int b)
{
	return a > b ? a : b;
}

static int write_json(const struct job *job, FILE *out)
{
	const struct report *r;
	struct json j;
	unsigned int i;
	int rc = 0;

	json_begin(&j, out, true);
	json_object(&j, NULL);
	json_preamble(job, &j);
	for (i = 0; !rc && (r = wanted(job->options, i)); i++)
		rc = r->json(job, &j);
	json_end(&j, '}');
	return rc;
}

static int write_csv(const struct job *job, FILE *out)
{
	return wanted(job->options, 0)->csv(job, out);
}

/* All reports asked for, one after the other. */
static int write_texts(const struct job *job, FILE *out)
{
	const struct report *r;
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && (r = wanted(job->options, i)); i++) {
		if (i)
			putc('\n', out);
		rc = r->write(job, out);
	}
	return rc;
}

const char *reports_output(const struct options *o, unsigned int i, mode_t *mode)
{
	const struct report *r = wanted(o, 0);
	bool object = o->csv || (o->json && r->json);

	*mode = object ? 0666 : r->mode;
	if (object || o->output)
		return i ? NULL : o->output ? o->output : "-";
	r = wanted(o, i);
	if (!r)
		return NULL;
	*mode = r->mode;
	return o->convert ? o->convert->path : r->path;
}

/* The i-th output. */
static int write_to(struct job *job, unsigned int i,
		    int (*write)(const struct job *job, FILE *out))
{
	const struct format *convert = job->options->convert;
	struct output out = { 0 };
	mode_t mode;
	const char *path = reports_output(job->options, i, &mode);
	int rc, closed;

	if (convert && convert->write_folder) {
		rc = convert_folder(job, i, &out.renamed);
	} else {
		rc = opener_output(job->options, i, &out);
		if (rc)
			return failed(path, rc);
		rc = write(job, out.file);
	}
	closed = output_close(&out);
	if (rc || closed)
		return failed(path, rc < 0 || !closed ? rc : closed);
	if (strcmp(path, "-") != 0 && job->nwritten < REPORTS)
		job->written[job->nwritten++] = (struct written){ path, out.renamed };
	return EXIT_CLEAN;
}

bool reports_absent(const struct job *job)
{
	const struct report *r;
	unsigned int i;

	for (i = 0; (r = wanted(job->options, i)); i++) {
		if (r->absent && r->absent(job))
			return true;
	}
	return false;
}

int reports_write(struct job *job)
{
	const struct options *o = job->options;
	const struct report *r;
	unsigned int i;
	int code = EXIT_CLEAN;

	r = wanted(o, 0);
	if (o->csv || (o->json && r->json))
		return write_to(job, 0, o->csv ? write_csv : write_json);
	if (o->output)
		return write_to(job, 0, write_texts);
	for (i = 0; (r = wanted(o, i)); i++)
		code = worse(code, write_to(job, i, r->write));
	return code;
}

static int write_screens(const struct job *job, FILE *out)
{
	const struct report *r;
	unsigned int i;
	int rc = 0;

	screen_header(job, out);
	for (i = 0; !rc && (r = wanted(job->options, i)); i++)
		rc = r->screen ? r->screen(job, out) : 0;
	if (!rc)
		rc = screen_missing(job, out);
	return rc;
}

int reports_screen(struct job *job, int code)
{
	const struct options *o = job->options;
	bool screen = !o->json && !o->csv && wanted(o, 0)->screen;
	struct output out;
	unsigned int i;
	int rc = 0;

	if (o->quiet || (o->output && !strcmp(o->output, "-")) || (!screen && !job->nwritten))
		return code;
	output_open(&out, "-", 0);
	if (screen)
		rc = write_screens(job, out.file);
	for (i = 0; i < job->nwritten; i++) {
		if (screen)
			fputs("full report: ", out.file);
		escape_print(out.file, job->written[i].path);
		if (!screen) {
			fprintf(out.file, ": %" PRIu64 " records from ", job->trace->records);
			escape_print(out.file, job->input->name);
		} else if (job->written[i].renamed) {
			fputs(" (the one before is now ", out.file);
			escape_print(out.file, job->written[i].path);
			fputs(".old)", out.file);
		}
		putc('\n', out.file);
	}
	if (!rc)
		rc = output_close(&out);
	return rc ? worse(code, failed("stdout", rc)) : code;
}
