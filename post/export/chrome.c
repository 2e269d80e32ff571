/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chrome's trace events as JSON. CPUs and their interrupts are threads of two synthetic processes;
 * a sample is an instant event on its thread with a stack, whose frames are at the end of the file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "escape.h"
#include "export/frame_list.h"
#include "export/timeline.h"
#include "export/writer.h"
#include "job.h"
#include "json.h"
#include "model/event_words.h"
#include "model/named_json.h"

/* Above the greatest pid of Linux. */
#define PID_CPUS 4194305u
#define PID_IRQS 4194306u

struct chrome_writing {
	const struct job *job;
	const struct names *names;
	const struct symbol *symbol;
	struct frame_list list;
	struct json j;
	bool *named; /* threads whose names have been written */
	uint32_t threads;
	uint32_t *running; /* per CPU: its thread, or NO_KEY */
	uint32_t cpus;
};

static struct json *event(struct chrome_writing *w, const char *phase, uint32_t pid, uint32_t tid)
{
	struct json *j = &w->j;

	fputc('\n', json_out(j));
	json_object(j, NULL);
	json_string(j, "ph", phase);
	json_uint(j, "pid", pid);
	json_uint(j, "tid", tid);
	return j;
}

/* Times are in microseconds. */
static struct json *event_at(struct chrome_writing *w, const char *phase, uint32_t pid,
			     uint32_t tid, uint64_t time)
{
	struct json *j = event(w, phase, pid, tid);
	char number[32];

	snprintf(number, sizeof(number), "%" PRIu64 ".%03" PRIu64, time / 1000, time % 1000);
	json_number(j, "ts", number);
	return j;
}

static void emit_name(struct chrome_writing *w, const char *what, uint32_t pid, uint32_t tid,
		      const char *name)
{
	struct json *j = event(w, "M", pid, tid);

	json_string(j, "name", what);
	json_object(j, "args");
	json_string(j, "name", name);
	json_end(j, '}');
	json_end(j, '}');
}

static bool more_cpus(struct chrome_writing *w, uint32_t cpu)
{
	uint32_t n = w->cpus;

	if (array_room(w->running, w->cpus, cpu + 1ull))
		return false;
	while (n < w->cpus)
		w->running[n++] = NO_KEY;
	return true;
}

/* Writes the names of a thread and its process before the thread's first event. */
static int name_thread(struct chrome_writing *w, uint32_t thread)
{
	const struct trace_thread *t;
	const struct trace_process *p;

	if (thread == NO_KEY)
		return 0;
	if (array_reach(w->named, w->threads, thread))
		return -ENOMEM;
	if (w->named[thread])
		return 0;
	w->named[thread] = true;
	t = &w->names->thread[thread];
	p = &w->names->process[t->process];
	emit_name(w, "process_name", names_unique(p), t->tid, p->name);
	emit_name(w, "thread_name", names_unique(p), t->tid, t->name);
	return 0;
}

static uint32_t pid_of(const struct chrome_writing *w, uint32_t thread)
{
	return names_unique(&w->names->process[w->names->thread[thread].process]);
}

static void emit_sample(struct chrome_writing *w, const struct timeline_moment *m)
{
	const struct profile_sample *s = m->sample;
	uint32_t stack = frame_list_stack(&w->list, s->stack);
	struct json *j = event_at(w, "i", pid_of(w, m->thread), w->names->thread[m->thread].tid,
				  m->time);

	json_string(j, "s", "t");
	json_string(j, "cat", "sample");
	json_string(j, "name",
		    stack == NO_KEY ?
			    "sample" :
			    w->symbol[w->list.frame[w->list.stack[stack].frame].symbol].name);
	if (stack != NO_KEY)
		json_uint(j, "sf", stack);
	json_object(j, "args");
	json_uint(j, "cpu", m->cpu);
	json_uint(j, "ticks", s->ticks);
	json_uint(j, "counted", s->counted);
	json_end(j, '}');
	json_end(j, '}');
}

static int emit_runs(struct chrome_writing *w, const struct timeline_moment *m)
{
	const struct trace_thread *t;
	struct json *j;

	if (m->cpu >= w->cpus && !more_cpus(w, m->cpu))
		return -ENOMEM;
	if (w->running[m->cpu] != NO_KEY) {
		j = event_at(w, "E", PID_CPUS, m->cpu, m->time);
		/* Some viewers find the start of the trace by this name. */
		json_string(j, "name", w->names->thread[w->running[m->cpu]].name);
		json_object(j, "args");
		json_string(j, "left", reason_name(m->why));
		json_end(j, '}');
		json_end(j, '}');
	}
	w->running[m->cpu] = m->thread;
	if (m->thread == NO_KEY)
		return 0;
	t = &w->names->thread[m->thread];
	j = event_at(w, "B", PID_CPUS, m->cpu, m->time);
	json_string(j, "cat", "dispatch");
	json_string(j, "name", t->name);
	json_object(j, "args");
	json_uint(j, "pid", pid_of(w, m->thread));
	json_uint(j, "tid", t->tid);
	if (m->priority != PITRACE_PRIORITY_UNKNOWN)
		json_int(j, "priority", m->priority);
	json_end(j, '}');
	json_end(j, '}');
	return 0;
}

/* Writes the begin or end of an interval on a thread. A program's pairs may overlap system calls,
 * so they are asynchronous events ("b" and "e"). */
static void emit_span(struct chrome_writing *w, const struct timeline_moment *m, const char *phase,
		      const char *category)
{
	uint32_t tid = w->names->thread[m->thread].tid;
	struct json *j = event_at(w, phase, pid_of(w, m->thread), tid, m->time);

	json_string(j, "cat", category);
	json_string(j, "name", m->name);
	if (*phase == 'b' || *phase == 'e')
		json_uint(j, "id", tid);
	if (*phase == 'i')
		json_string(j, "s", "t");
	if (m->kind == MOMENT_CALL_ENDS || m->kind == MOMENT_MARK || m->kind == MOMENT_FAULT) {
		json_object(j, "args");
		if (m->kind == MOMENT_CALL_ENDS)
			json_int(j, "result", (int64_t)m->value);
		else
			json_hex(j, "value", m->value);
		json_end(j, '}');
	}
	json_end(j, '}');
}

/* A span may begin and end in different threads, and overlap others of its name: viewers pair begin
 * and end by category, scope and id. */
static void emit_named_span(struct chrome_writing *w, const struct timeline_moment *m,
			    const char *phase)
{
	struct json *j = event_at(w, phase, pid_of(w, m->thread), w->names->thread[m->thread].tid,
				  m->time);
	char id[32];

	snprintf(id, sizeof(id), "%#" PRIx64, m->id);
	json_string(j, "cat", "span");
	json_string(j, "name", m->name);
	json_string(j, "scope", m->name);
	json_object(j, "id2");
	json_string(j, m->shared ? "global" : "local", id);
	json_end(j, '}');
	json_object(j, "args");
	if (m->id >> 53)
		json_string(j, "id", id);
	else
		json_uint(j, "id", m->id);
	json_end(j, '}');
	json_end(j, '}');
}

static void emit_named(struct chrome_writing *w, const struct timeline_moment *m)
{
	struct json *j = event_at(w, "i", pid_of(w, m->thread), w->names->thread[m->thread].tid,
				  m->time);

	json_string(j, "s", "t");
	json_string(j, "cat", "event");
	json_string(j, "name", m->name);
	json_object(j, "args");
	named_json(j, "", m->event, m->record);
	json_end(j, '}');
	json_end(j, '}');
}

static void emit_irq(struct chrome_writing *w, const struct timeline_moment *m)
{
	struct json *j = event_at(w, m->kind == MOMENT_IRQ_BEGINS ? "B" : "E", PID_IRQS, m->cpu,
				  m->time);

	json_string(j, "cat", "interrupt");
	json_string(j, "name", m->name);
	json_end(j, '}');
}

static int each(void *arg, const struct timeline_moment *m)
{
	struct chrome_writing *w = arg;
	int rc = name_thread(w, m->thread);

	if (rc)
		return rc;
	switch (m->kind) {
	case MOMENT_SAMPLE:
		emit_sample(w, m);
		break;
	case MOMENT_RUNS:
		return emit_runs(w, m);
	case MOMENT_WAKES:
		if (m->thread != NO_KEY) {
			struct timeline_moment wake = *m;

			wake.name = "woken";
			emit_span(w, &wake, "i", "wakeup");
		}
		break;
	case MOMENT_IRQ_BEGINS:
	case MOMENT_IRQ_ENDS:
		emit_irq(w, m);
		break;
	case MOMENT_CALL_BEGINS:
		emit_span(w, m, "B", "syscall");
		break;
	case MOMENT_CALL_ENDS:
		emit_span(w, m, "E", "syscall");
		break;
	case MOMENT_PAIR_BEGINS:
		emit_span(w, m, "b", "pair");
		break;
	case MOMENT_PAIR_ENDS:
		emit_span(w, m, "e", "pair");
		break;
	case MOMENT_SPAN_BEGINS:
		emit_named_span(w, m, "b");
		break;
	case MOMENT_SPAN_ENDS:
		emit_named_span(w, m, "e");
		break;
	case MOMENT_MARK:
		emit_span(w, m, "i", "mark");
		break;
	case MOMENT_FAULT:
		emit_span(w, m, "i", "fault");
		break;
	case MOMENT_NAMED:
		emit_named(w, m);
		break;
	}
	return 0;
}

static void write_frames(struct chrome_writing *w)
{
	struct json *j = &w->j;
	char number[16];
	uint32_t i;

	json_object(j, "stackFrames");
	for (i = 0; i < w->list.stacks; i++) {
		const struct symbol *s = &w->symbol[w->list.frame[w->list.stack[i].frame].symbol];

		snprintf(number, sizeof(number), "%u", i);
		json_object(j, number);
		json_string(j, "category", w->names->module[s->module].name);
		json_string(j, "name", s->name);
		if (w->list.stack[i].caller != NO_KEY)
			json_uint(j, "parent", w->list.stack[i].caller);
		json_end(j, '}');
	}
	json_end(j, '}');
}

static int chrome_write(const struct job *job, FILE *out)
{
	const struct names *n = &job->model->names;
	struct chrome_writing w = { .job = job, .names = n, .symbol = n->symbols.symbol };
	int rc = frame_list_make(&w.list, job, false);

	if (!rc) {
		json_begin(&w.j, out, false);
		w.j.as_doubles = true; /* because arguments may be texts */
		json_object(&w.j, NULL);
		json_string(&w.j, "displayTimeUnit", "ns");
		json_array(&w.j, "traceEvents");
		emit_name(&w, "process_name", PID_CPUS, 0, "CPUs");
		emit_name(&w, "process_name", PID_IRQS, 0, "Interrupts");
		rc = timeline_read(job, each, &w);
		json_end(&w.j, ']');
		write_frames(&w);
		json_end(&w.j, '}');
	}
	frame_list_free(&w.list);
	free(w.named);
	free(w.running);
	return rc;
}

const struct writer writer_chrome = {
	.name = "chrome",
	.what = "JSON of trace events: chrome://tracing, ui.perfetto.dev",
	.path = "post.trace.json",
	.needs = NEED_SAMPLES | NEED_STACKS | NEED_PLACES,
	.whole = true,
	.write = chrome_write,
};
