/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes one JSON object. Its texts come from the code of the terminal's report, so that both have
 * the same words and numbers.
 */
#include "export/html/html_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "base/memstream.h"
#include "escape.h"
#include "report/calls_report.h"

/* A copy of the job with the options of a sample report or another one. */
struct emitted_as {
	struct options options;
	struct job job;
};

static void emit_as(struct emitted_as *as, const struct job *job, bool samples)
{
	as->options = *job->options;
	as->job = *job;
	as->job.options = &as->options;
	if (samples)
		as->options.kinds |= REPORT_TELLS_TOTALS;
	else
		as->options.kinds &= ~(unsigned int)REPORT_TELLS_TOTALS;
}

/* Writes a name. Reverses the escaping where JSON would escape the text once more. */
static void name_member(struct json *j, const char *key, const char *name)
{
	char *text = escape_text(name);

	json_string(j, key, text ? text : "(no memory)");
	free(text);
}

void html_facts_lines(struct json *j, const char *key, char *text)
{
	char *line, *end;

	json_array(j, key);
	for (line = text; line && *line; line = end + 1) {
		end = strchrnul(line, '\n');
		if (!*end)
			end = line + strlen(line) - 1;
		else
			*end = '\0';
		json_string(j, NULL, line);
	}
	json_end(j, ']');
}

/* Writes a member whose text `write` prints. Reports escape names, and JSON would escape them
 * again: only backslashes are left to escape. */
static int text_member(struct json *j, const char *key, const struct job *job,
		       int (*write)(const struct job *job, FILE *out))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int rc = out ? write(job, out) : -ENOMEM;

	if (out && memstream_close(out, &text) && !rc)
		rc = -ENOMEM;
	html_facts_lines(j, key, rc ? NULL : text);
	free(text);
	return rc;
}

static int write_header(const struct job *job, FILE *out)
{
	screen_header(job, out);
	return 0;
}

static int write_unknown(const struct job *job, FILE *out)
{
	tprof_others(job, out);
	tprof_modes(job, out);
	tprof_unknown(job, out);
	tprof_mangled(job, out);
	return 0;
}

static int write_damage(const struct job *job, FILE *out)
{
	preamble_damage(job, out);
	return 0;
}

static int write_about(const struct job *job, FILE *out)
{
	preamble_system(job, out);
	preamble_run(job, out);
	putc('\n', out);
	print_stack_books(job, out, "Call stacks");
	return 0;
}

static void add_warning(void *arg, const char *line)
{
	name_member(arg, NULL, line);
}

static int texts(struct json *j, const struct html_tree *t, bool samples)
{
	struct emitted_as as;
	int rc;

	emit_as(&as, t->job, samples);
	rc = text_member(j, "header", &as.job, write_header);
	if (!rc && samples)
		rc = text_member(j, "unknown", &as.job, write_unknown);
	if (!rc)
		rc = text_member(j, "missing", &as.job, screen_missing);
	if (!rc)
		rc = text_member(j, "damage", &as.job, write_damage);
	if (!rc)
		rc = text_member(j, "about", &as.job, write_about);
	json_array(j, "warnings");
	if (!rc)
		warnings_emit(t->job, add_warning, j);
	json_end(j, ']');
	return rc;
}

static const char *unit(const struct job *job)
{
	return job->options->offcpu                            ? "us" :
	       job->options->instructions && job->input->calls ? "ns" :
	       job->options->instructions                      ? "instructions" :
								 mode_unit(job);
}

/* The events of the samples, the chosen one first. */
static void kinds(struct json *j, const struct html_tree *t, bool samples)
{
	const struct events *e = &t->job->trace->events;
	uint32_t i;

	json_array(j, "events");
	for (i = 0; i < t->kinds && samples; i++) {
		const bool counted = t->counted && html_tree_event(t, i) == t->counted;
		const char *unit = mode_unit_of(t->job, t->kind[i]);

		json_object(j, NULL);
		name_member(j, "name", t->counted && !counted ? unit : e->kind[t->kind[i]].name);
		name_member(j, "unit", counted ? t->job->input->counted_unit : unit);
		json_uint(j, "total", t->totals[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static int write_object(const void *arg, struct json *j)
{
	const struct html_tree *t = arg;
	const struct job *job = t->job;
	const struct trace *trace = job->trace;
	const struct html_grid *g = &t->grid;
	bool samples = !job->options->offcpu && !job->options->instructions;
	char number[24];
	unsigned int i;
	int rc;

	json_object(j, NULL);
	json_string(j, "generator", "pitrace post " PITRACE_VERSION);
	name_member(j, "file", job->input->name);
	name_member(j, "unit", unit(job));
	name_member(j, "event", samples && mode_name(trace) ? mode_name(trace) : "");
	json_string(j, "of",
		    job->options->offcpu       ? "time off the CPU" :
		    job->options->instructions ? "calls" :
						 "samples");
	json_uint(j, "total", t->total);
	/* Strings, because JavaScript's numbers are exact only up to 2^53. */
	snprintf(number, sizeof(number), "%" PRIu64, g->from);
	json_string(j, "from", number);
	json_uint(j, "slices", g->count);
	json_uint(j, "slice_ns", g->count ? 1ull << g->shift : 0);
	json_uint(j, "least_ns", t->events.least);
	json_uint(j, "moment_step", t->events.step);
	kinds(j, t, samples);
	json_uint(j, "flow_left", t->flow.left);
	json_array(j, "doubts");
	for (i = 0; i < ITRACE_DOUBTS && !samples; i++)
		json_string(j, NULL, i ? itrace_doubt_word(i) : "");
	json_end(j, ']');
	json_bool(j, "counts_calls", job->options->instructions && job->input->calls);
	json_bool(j, "incomplete", !damage_none(job) || trace->unstable_clock);
	rc = texts(j, t, samples);
	json_end(j, '}');
	return rc;
}

int html_facts_write(struct html_block *b, const struct html_tree *t, FILE *out)
{
	return html_block_json(b, out, "facts", write_object, t);
}
