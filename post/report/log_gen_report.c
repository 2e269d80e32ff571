/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -calls: each entry and exit in a log-gen, one line each in JProf's format: the values since the
 * thread's previous line, the direction, the method with its type letter, the thread.
 */
#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "record/call_record.h"
#include "record/record_as.h"
#include "record/stack_record.h"
#include "report/table.h"

struct event_line {
	uint64_t value, delta;
	const char *event, *name, *thread;
	char type[2];
	const char *letter;
	uint32_t pid, tid;
};

#define AT(member) COLUMN_AT(struct event_line, member)
static const struct column columns[] = {
	{ "base", AT(value) },  { "delta", AT(delta) },   { "event", AT(event) },
	{ "type", AT(letter) }, { "name", AT(name) },     { "pid", AT(pid) },
	{ "tid", AT(tid) },     { "thread", AT(thread) }, COLUMNS_END,
};
#undef AT

struct event_lines {
	const struct job *job;
	struct table *table; /* NULL: text */
	FILE *out;
	bool raw;
	uint64_t lines;
};

static void print_event(const struct event_lines *l, const struct event_line *line)
{
	fprintf(l->out, "%9" PRIu64 " %c %s:", line->value,
		*line->event == 'e' ? (line->event[1] == 'n' ? '>' : '<') :
		*line->event == 'p' ? '^' :
				      '!',
		line->type);
	escape_print(l->out, line->name);
	fprintf(l->out, " %x_", line->tid);
	escape_print(l->out, line->thread);
	putc('\n', l->out);
}

static int each_record(void *arg, const struct pirecord *r)
{
	const struct call_record *c = r->major == CALL_RECORD ? RECORD_AS(r, struct call_record) :
								NULL;
	struct event_lines *l = arg;
	struct names *n = &l->job->model->names;
	struct event_line line = { 0 };
	struct sample_place place;
	const stack_word *argument;
	int rc;

	if (!c || c->arguments < 3 || r->size < sizeof(*c) + 24)
		return 0;
	argument = (const stack_word *)(c + 1);
	rc = names_sample(n,
			  &(struct pitrace_sample){
				  .pid = c->pid,
				  .tid = c->tid,
				  .address = c->address,
			  },
			  r->time, false, &place);
	if (rc)
		return rc;
	line.value = argument[0] + (l->raw ? argument[1] : 0);
	line.delta = argument[1];
	line.event = r->minor == CALL_UNWIND                                    ? "unwind" :
		     r->minor == CALL_POPPED                                    ? "popped" :
		     r->minor == CALL_ENTRY || r->minor == CALL_ENTRY_ARGUMENTS ? "enter" :
										  "exit";
	line.name = n->symbols.symbol[place.symbol].name;
	line.thread = n->thread[place.thread].name;
	line.type[0] = (char)argument[2];
	line.letter = line.type;
	line.pid = input_pid(l->job->input, c->pid);
	line.tid = c->tid;
	l->lines++;
	if (l->table)
		table_row(l->table, &line);
	else
		print_event(l, &line);
	return 0;
}

static int no_run(void *arg, const struct run *run)
{
	(void)arg;
	(void)run;
	return 0;
}

static int read_lines(struct event_lines *l, const struct job *job)
{
	struct runs_reader reader = { .run = no_run, .record = each_record, .arg = l };

	l->job = job;
	l->raw = job->options->event && !strncmp(job->options->event, "raw", 3);
	return read_runs(job->input, job->trace, job->model, &job->read, &reader);
}

static int calls_write(const struct job *job, FILE *out)
{
	struct event_lines l = { .out = out };
	int rc = read_lines(&l, job);

	/* Uses the words of log-gen for missing data. */
	if (job->input->values && !job->input->complete)
		fputs("incomplete: see the faults of the log (-validate)\n", out);
	return rc;
}

static int calls_rows(struct table *t)
{
	struct event_lines l = { .table = t };
	int rc;

	table_begin(t, columns, "calls");
	rc = read_lines(&l, t->job);
	table_end(t);
	return rc;
}

static bool calls_absent(const struct job *job)
{
	if (job->input->java_events)
		return false;
	complain("-calls: the trace has no entries and exits, which a log-gen has");
	return true;
}

const struct report report_calls = {
	.name = "calls",
	.usage = "  -calls            each entry and exit of methods and functions, of a log-gen\n"
		 "                    (calls.out)\n",
	.kinds = REPORT_OF_CALLS,
	.path = "calls.out",
	.mode = 0666,
	.needs = NEED_RUNS,
	.absent = calls_absent,
	.write = calls_write,
	.rows = calls_rows,
};
