/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of reports, and how the requested ones are written: to files, as one JSON object, on the
 * screen. */
#include "reports.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "escape.h"
#include "export/writer.h"
#include "fit.h"
#include "output.h"
#include "record/listed.h"
#include "report/table.h"

static const struct report *const reports[REPORT_COUNT] = {
#define LISTED(name) &report_##name,
	REPORTS(LISTED)
#undef LISTED
};

LISTED_AT(report, reports)

unsigned int report_bit(const struct report *r)
{
	unsigned int i;

	for (i = 0; i < REPORT_COUNT && reports[i] != r; i++)
		;
	return REPORT_BIT(i);
}

void reports_kinds(struct options *o)
{
	unsigned int i;

	o->kinds = 0;
	o->all_kinds = ~0u;
	for (i = 0; i < REPORT_COUNT; i++) {
		if (!(o->reports & REPORT_BIT(i)))
			continue;
		o->kinds |= reports[i]->kinds;
		o->all_kinds &= reports[i]->kinds;
	}
}

/* Returns the i-th requested report; NULL: no more. */
static const struct report *wanted(const struct options *o, unsigned int i)
{
	unsigned int id;

	for (id = 0; id < REPORT_COUNT; id++) {
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
	return o->offcpu ? NEED_TIMES | NEED_STACKS : o->instructions ? NEED_INSTRUCTIONS : needs;
}

static int failed(const char *what, int rc)
{
	if (rc < 0)
		complain("%s: %s", what, output_error(rc));
	return rc == REPORT_WRONG ? EXIT_DAMAGED : EXIT_UNREADABLE;
}

/* The first failure decides, but "unreadable" has priority over "damaged". */
static int worse(int a, int b)
{
	return a > b ? a : b;
}

/* Returns whether the report's JSON is a member of the one JSON object. */
static bool in_object(const struct report *r)
{
	return r->json || r->rows;
}

bool reports_meet_damage(unsigned int needs)
{
	return !needs || needs & NEED_RUNS;
}

/* Writes the faults that were found while reading. */
static int damage_at_end(const struct job *job, struct json *j)
{
	struct pifile_fault *faults = NULL;
	struct job now = *job;
	int rc = damage_gather(&now, &faults);

	if (!rc)
		json_damage(&now, j);
	free(faults);
	return rc;
}

static int write_json(const struct job *job, FILE *out)
{
	bool later = reports_meet_damage(reports_need(job->options));
	const struct report *r;
	struct table t;
	struct json j;
	unsigned int i;
	int rc = 0;

	json_document(&j, out, true);
	json_preamble(job, &j, !later);
	t = table_json(job, &j);
	for (i = 0; !rc && (r = wanted(job->options, i)); i++)
		rc = r->rows ? r->rows(&t) : r->json(job, &j);
	if (!rc && later)
		rc = damage_at_end(job, &j);
	json_end(&j, '}');
	return rc;
}

static int write_csv(const struct job *job, FILE *out)
{
	const struct report *r = wanted(job->options, 0);
	struct table t = table_csv(job, out);

	return r->rows ? r->rows(&t) : r->csv(job, out);
}

/* Writes all requested reports, one after the other. */
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

/* Describes the i-th output; false: there are no more. */
static bool output_at(const struct options *o, unsigned int i, struct opener_output *out)
{
	const struct report *r = wanted(o, 0);
	bool object = o->csv || (o->json && in_object(r));

	*out = (struct opener_output){
		.mode = object ? 0666 : r->mode,
		.folder = o->convert && o->convert->write_folder,
	};
	if (object || o->output) {
		out->path = o->output ? o->output : "-";
		return !i;
	}
	r = wanted(o, i);
	if (!r)
		return false;
	out->mode = r->mode;
	out->path = o->convert ? o->convert->path : r->path;
	return true;
}

unsigned int reports_outputs(const struct options *o, struct opener_output list[REPORT_COUNT])
{
	unsigned int n;

	for (n = 0; n < REPORT_COUNT && output_at(o, n, &list[n]); n++)
		;
	return n;
}

static int convert_folder(const struct job *job, unsigned int i, const struct opener_output *to,
			  bool *renamed)
{
	int folder = opener_folder(i, to, renamed), rc;

	if (folder < 0)
		return folder;
	rc = job->options->convert->write_folder(job, folder);
	close(folder);
	return rc;
}

/* Returns whether the report has a screenful on stdout and its file has the default name. */
static bool is_beside_screen(const struct options *o, unsigned int i)
{
	const struct report *r = wanted(o, i);

	return !o->output && !o->json && !o->csv && !o->quiet && r && r->screen;
}

/* Handles a file that cannot be written: the screenful is still a result. */
static int unwritten(const struct job *job, unsigned int i, const char *path, int rc)
{
	int code = failed(path, rc);

	if (!is_beside_screen(job->options, i))
		return code;
	complain("%s could not be written: the screen is all there is (-o names another file)",
		 path);
	return EXIT_DAMAGED;
}

/* Writes the i-th output. */
static int write_to(const struct job *job, struct reports_written *w, unsigned int i,
		    int (*write)(const struct job *job, FILE *out))
{
	struct opener_output to = { .path = "-" };
	struct output out = { 0 };
	int rc, closed;

	output_at(job->options, i, &to);
	if (to.folder) {
		rc = convert_folder(job, i, &to, &out.renamed);
	} else {
		rc = opener_output(i, &to, &out);
		if (rc)
			return unwritten(job, i, to.path, rc);
		rc = write(job, out.file);
	}
	closed = output_close(&out);
	if (!rc && closed)
		return unwritten(job, i, to.path, closed);
	if (rc)
		return failed(to.path, rc);
	if (strcmp(to.path, "-") != 0 && w->n < REPORT_COUNT)
		w->list[w->n++] = (struct written){ to.path, out.renamed };
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

int reports_write(const struct job *job, struct reports_written *w)
{
	const struct options *o = job->options;
	const struct report *r;
	unsigned int i;
	int code = EXIT_CLEAN;

	r = wanted(o, 0);
	if (o->csv || (o->json && in_object(r)))
		return write_to(job, w, 0, o->csv ? write_csv : write_json);
	if (o->output)
		return write_to(job, w, 0, write_texts);
	for (i = 0; (r = wanted(o, i)); i++)
		code = worse(code, write_to(job, w, i, r->write));
	return code;
}

static bool has_screen(const struct options *o)
{
	return !o->json && !o->csv && wanted(o, 0)->screen;
}

static int write_screens(const struct job *job, const struct reports_written *w, FILE *out)
{
	bool screen = has_screen(job->options);
	const struct report *r;
	unsigned int i;
	int rc = 0;

	if (screen) {
		screen_header(job, out);
		for (i = 0; !rc && (r = wanted(job->options, i)); i++)
			rc = r->screen ? r->screen(job, out) : 0;
		if (!rc)
			rc = screen_missing(job, out);
	}
	for (i = 0; i < w->n; i++) {
		if (screen)
			fputs("full report: ", out);
		escape_print(out, w->list[i].path);
		if (!screen) {
			fprintf(out, ": %" PRIu64 " records from ", job->trace->records);
			escape_print(out, job->input->name);
		} else if (w->list[i].renamed) {
			fputs(" (the one before is now ", out);
			escape_print(out, w->list[i].path);
			fputs(".old)", out);
		}
		putc('\n', out);
	}
	if (!rc)
		screen_next(job, out);
	return rc;
}

int reports_screen(const struct job *job, const struct reports_written *w, int code)
{
	const struct options *o = job->options;
	struct job shown = *job;
	struct output out;
	struct fit lines;
	FILE *text;
	int rc;

	if (o->quiet || (o->output && !strcmp(o->output, "-")) || (!has_screen(o) && !w->n))
		return code;
	output_open(&out, "-", 0);
	text = fit_begin(&lines, out.file);
	shown.terminal = lines.columns;
	rc = write_screens(&shown, w, text);
	fit_end(&lines);
	if (!rc)
		rc = output_close(&out);
	return rc ? worse(code, failed("stdout", rc)) : code;
}
