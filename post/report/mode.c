/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says in words what samples count: ticks of the timer or of one of the events. */
#include "report/report.h"

#include <inttypes.h>

#include "escape.h"

/* Whether reports are not simply of the timer's ticks, the only ones there are. */
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
		if (kind->period && kind->flags & PITRACE_EVENT_RATE)
			fprintf(out, ", about %" PRIu64 " samples a second and CPU", kind->period);
		else if (kind->period)
			fprintf(out, ", a tick is %" PRIu64 " of them", kind->period);
		fprintf(out, "; %" PRIu64 " counted in all\n", kind->counted);
	}
	if (!worth_listing(e))
		return;
	fputs("Events          this report is of one (*), others by -e NAME or -e NUMBER\n", out);
	for (i = 0; i < EVENT_KINDS; i++) {
		if (!e->kind[i].samples && (i == 0 || i >= e->kinds))
			continue;
		fprintf(out, "%12u %c  %12" PRIu64 " ticks  ", i, kind == &e->kind[i] ? '*' : ' ',
			e->kind[i].samples);
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

/* The user asked for an event that the trace doesn't have. */
void mode_absent(const struct job *job)
{
	const struct events *e = &job->trace->events;
	const char *comma = "";
	unsigned int i;

	escape_printf(stderr, "post: -e: the trace has no event %s: it has ", job->options->event);
	for (i = 0; i < EVENT_KINDS; i++) {
		if (!e->kind[i].samples && (i == 0 || i >= e->kinds))
			continue;
		fputs(comma, stderr);
		escape_print(stderr, e->kind[i].name);
		comma = ", ";
	}
	fputs(*comma ? "\n" : "no samples\n", stderr);
}
