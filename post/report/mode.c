/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes what samples count: ticks of the timer or of one of the events. */
#include "report/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "fit.h"

/* Returns whether there are events other than the timer. */
static bool worth_listing(const struct events *e)
{
	unsigned int i, n = 0;

	for (i = 0; i < EVENT_KINDS; i++)
		n += e->kind[i].samples != 0;
	return n > 1;
}

const char *mode_name(const struct trace *t)
{
	return t->events.has_chosen ? t->events.kind[t->events.chosen].name : NULL;
}

/* Returns the unit of a log's values: base, raw and delta belong to a metric (numbered if there are
 * several). */
const char *mode_unit_of(const struct job *job, unsigned int event)
{
	const struct event *kind = &job->trace->events.kind[event];

	static const char *const of_metric[] = { "base", "raw", "delta" };
	const char *name = kind->name;

	if (!job->input->values || kind == &job->trace->events.kind[0])
		return "ticks";
	for (size_t i = 0; i < sizeof(of_metric) / sizeof(*of_metric); i++) {
		size_t n = strlen(of_metric[i]);
		unsigned long number;
		char *end;

		if (strncmp(name, of_metric[i], n) != 0)
			continue;
		number = name[n] ? strtoul(name + n, &end, 10) : 1;
		if (number && number <= INPUT_UNITS && job->input->unit[number - 1][0])
			return job->input->unit[number - 1];
	}
	return name;
}

const char *mode_unit(const struct job *job)
{
	const struct events *e = &job->trace->events;

	return mode_unit_of(job, e->has_chosen ? e->chosen : 0);
}

const char *mode_title(const struct job *job, char title[MODE_UNIT])
{
	const char *unit = mode_unit(job);
	size_t i;

	for (i = 0; unit[i] && i + 1 < MODE_UNIT; i++)
		title[i] = isprint((unsigned char)unit[i]) ? (char)toupper((unsigned char)unit[i]) :
							     '?';
	title[i] = '\0';
	return title;
}

void print_mode(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;
	const struct events *e = &t->events;
	const struct event *kind = &e->kind[e->has_chosen ? e->chosen : 0];
	unsigned int i;

	fprintf(out, "%-16s", "Mode");
	if (kind == &e->kind[0]) {
		fputs("time", out);
		if (t->rate)
			fprintf(out, ", %u ticks a second and CPU, dither %u.%u %%", t->rate,
				t->dither / 10, t->dither % 10);
		putc('\n', out);
	} else {
		fputs("event ", out);
		escape_print(out, kind->name);
		if (job->input->values && strcmp(mode_unit(job), "ticks") != 0) {
			if (strcmp(mode_unit(job), kind->name) != 0) {
				fputs(", ", out);
				escape_print(out, mode_unit(job));
			}
		} else if (kind->period && kind->flags & PITRACE_EVENT_RATE) {
			fprintf(out, ", about %" PRIu64 " samples a second and CPU", kind->period);
		} else if (kind->period) {
			fprintf(out, ", a tick is %" PRIu64 " of them", kind->period);
		}
		fprintf(out, "; %" PRIu64 " counted in all\n", kind->counted);
	}
	if (!worth_listing(e))
		return;
	fputs("Events          this report is of one (*), others by -e NAME or -e NUMBER\n", out);
	for (i = 0; i < EVENT_KINDS; i++) {
		if (!e->kind[i].samples && (i == 0 || i >= e->kinds))
			continue;
		fprintf(out, "%12u %c  %12" PRIu64 " ", i, kind == &e->kind[i] ? '*' : ' ',
			e->kind[i].samples);
		escape_print(out, mode_unit_of(job, i));
		fputs("  ", out);
		escape_print(out, e->kind[i].name);
		putc('\n', out);
	}
}

void json_events(const struct job *job, struct json *j)
{
	const struct events *e = &job->trace->events;
	unsigned int i;

	if (mode_name(job->trace))
		json_string(j, "event", mode_name(job->trace));
	json_array(j, "events");
	for (i = 0; i < EVENT_KINDS; i++) {
		const struct event *kind = &e->kind[i];

		if (!kind->samples && (i == 0 || i >= e->kinds))
			continue;
		json_object(j, NULL);
		json_uint(j, "number", i);
		json_string(j, "name", kind->name);
		if (i)
			json_uint(j, kind->flags & PITRACE_EVENT_RATE ? "rate" : "period",
				  kind->period);
		json_uint(j, "ticks", kind->samples);
		if (i)
			json_uint(j, "counted", kind->counted);
		json_end(j, '}');
	}
	json_end(j, ']');
}

/* Reports that the trace lacks the requested event. */
void mode_absent(const struct job *job)
{
	const struct events *e = &job->trace->events;
	const char *comma = "";
	struct fit line;
	FILE *out = fit_begin(&line, stderr);
	unsigned int i;

	escape_printf(out, "post: -e: the trace has no event %s: it has ", job->options->event);
	for (i = 0; i < EVENT_KINDS; i++) {
		if (!e->kind[i].samples && (i == 0 || i >= e->kinds))
			continue;
		fputs(comma, out);
		escape_print(out, e->kind[i].name);
		comma = ", ";
	}
	fputs(*comma ? "\n" : "no samples\n", out);
	fit_end(&line);
}
