/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Perfetto's trace format: dispatches and wake-ups as ftrace events, from which its viewer makes
 * the tracks of CPUs and threads; interrupts, system calls and user records as slices; samples as
 * those of Perfetto's profiler. Packets are written one by one: the first ones hold the names that
 * others refer to by number. Times are those of CLOCK_BOOTTIME; the first packet relates the
 * clocks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "export/frame_list.h"
#include "export/protobuf.h"
#include "export/texts.h"
#include "export/timeline.h"
#include "export/writer.h"
#include "job.h"
#include "report/calls_report.h"

/* Field numbers from perfetto's protos/perfetto/trace. */
enum { TRACE_PACKET = 1 };
enum packet {
	PACKET_FTRACE = 1,
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_SAMPLE = 66,
};
enum { CLEARED = 1, NEEDS = 2 }; /* PACKET_FLAGS */
enum { CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIME = 2 };
enum { REALTIME = 1, MONOTONIC = 3, BOOTTIME = 6 };
enum {
	DEFAULTS_SAMPLE = 12,
	SAMPLE_TIMEBASE = 1,
	TIMEBASE_PERIOD = 1,
	TIMEBASE_RATE = 2,
	TIMEBASE_NAME = 10
};
enum interned {
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME = 6,
	INTERNED_STACK = 7,
	INTERNED_BUILD_ID = 16,
	INTERNED_PATH = 17,
	INTERNED_MAPPING = 19,
};
enum { TEXT_ID = 1, TEXT_BYTES = 2 };
enum { FRAME_ID = 1, FRAME_FUNCTION, FRAME_MAPPING, FRAME_ADDRESS };
enum { STACK_ID = 1, STACK_FRAME };
enum { MAPPING_ID = 1, MAPPING_BUILD_ID = 2, MAPPING_PATH = 7 };
enum { SAMPLE_CPU = 1, SAMPLE_PID, SAMPLE_TID, SAMPLE_STACK, SAMPLE_MODE, SAMPLE_COUNT };
enum { MODE_KERNEL = 1, MODE_USER = 2 };
enum { BUNDLE_CPU = 1, BUNDLE_EVENT };
enum { FTRACE_TIME = 1, FTRACE_TID = 2, FTRACE_SWITCH = 4, FTRACE_WAKING = 20 };
enum {
	SWITCH_OLD_NAME = 1,
	SWITCH_OLD,
	SWITCH_OLD_PRIORITY,
	SWITCH_OLD_STATE,
	SWITCH_NAME,
	SWITCH_TID,
	SWITCH_PRIORITY
};
enum { WAKING_NAME = 1, WAKING_TID, WAKING_PRIORITY, WAKING_SUCCESS, WAKING_CPU };
enum { TRACK_ID = 1, TRACK_NAME, TRACK_PROCESS, TRACK_THREAD, TRACK_PARENT };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23
};
enum { SLICE_BEGIN = 1, SLICE_END, INSTANT };
enum {
	ANNOTATION_BOOL = 2,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10
};

#define SEQUENCE 1

/* Tracks: the interrupts of a CPU, processes, threads, pairs of a thread; ids of spans have the
 * highest bit set. */
#define TRACK(kind, i) ((uint64_t)(kind) << 32 | (i))
enum { TRACKS_IRQ = 1, TRACKS_PROCESS, TRACKS_THREAD, TRACKS_PAIR, TRACKS_SPAN };

struct perfetto_writing {
	const struct job *job;
	const struct names *names;
	struct frame_list list;
	struct texts texts;
	struct protobuf p;
	FILE *out;
	struct keys tracks; /* tracks that have been written */
	uint64_t *track;
	uint32_t ntrack, room_track;
};

static void flush(struct perfetto_writing *w)
{
	fwrite(w->p.data, 1, w->p.used, w->out);
	w->p.used = 0;
}

static size_t packet(struct perfetto_writing *w, uint64_t time)
{
	size_t at = protobuf_begin(&w->p, TRACE_PACKET);

	if (time)
		protobuf_uint(&w->p, PACKET_TIME, time);
	protobuf_uint(&w->p, PACKET_SEQUENCE, SEQUENCE);
	return at;
}

static void end(struct perfetto_writing *w, size_t at)
{
	protobuf_end(&w->p, at);
	flush(w);
}

/* Writes a name as UTF-8, which protobuf strings require. */
static void put_name(struct perfetto_writing *w, uint32_t field, const char *name)
{
	uint32_t i = texts_name(&w->texts, name);

	if (i == NO_KEY)
		w->p.no_memory = true;
	else
		protobuf_string(&w->p, field, w->texts.string[i]);
}

/* The same for a temporary string. */
static void put_text(struct perfetto_writing *w, uint32_t field, const char *text)
{
	char room[256];

	protobuf_string(&w->p, field, escape_into(room, sizeof(room), text));
}

/* The same without truncation. */
static void put_long_text(struct perfetto_writing *w, uint32_t field, const char *text)
{
	char room[4 * PITRACE_USER_MAX];

	protobuf_string(&w->p, field, escape_into(room, sizeof(room), text));
}

/* ---- the first packets ----------------------------------------------------------------------- */

static void put_clock(struct perfetto_writing *w, uint32_t id, uint64_t time)
{
	size_t at = protobuf_begin(&w->p, CLOCKS_CLOCK);

	protobuf_uint(&w->p, CLOCK_ID, id);
	protobuf_uint(&w->p, CLOCK_TIME, time);
	protobuf_end(&w->p, at);
}

static void write_clocks(struct perfetto_writing *w)
{
	const struct trace *t = w->job->trace;
	size_t at = packet(w, t->first), clocks;

	clocks = protobuf_begin(&w->p, PACKET_CLOCKS);
	put_clock(w, BOOTTIME, t->first);
	put_clock(w, MONOTONIC, t->first);
	if (t->start_realtime)
		put_clock(w, REALTIME, t->start_realtime);
	protobuf_uint(&w->p, CLOCKS_PRIMARY, BOOTTIME);
	protobuf_end(&w->p, clocks);
	end(w, at);
}

static void write_defaults(struct perfetto_writing *w)
{
	const struct trace *t = w->job->trace;
	const struct event *e = &t->events.kind[t->events.chosen];
	size_t at = packet(w, 0), defaults, sample, base;

	protobuf_uint(&w->p, PACKET_FLAGS, CLEARED);
	defaults = protobuf_begin(&w->p, PACKET_DEFAULTS);
	sample = protobuf_begin(&w->p, DEFAULTS_SAMPLE);
	base = protobuf_begin(&w->p, SAMPLE_TIMEBASE);
	if (!t->events.chosen)
		protobuf_uint(&w->p, TIMEBASE_RATE, t->rate);
	else
		protobuf_uint(&w->p,
			      e->flags & PITRACE_EVENT_RATE ? TIMEBASE_RATE : TIMEBASE_PERIOD,
			      e->period);
	put_name(w, TIMEBASE_NAME, e->name);
	protobuf_end(&w->p, base);
	protobuf_end(&w->p, sample);
	protobuf_end(&w->p, defaults);
	end(w, at);
}

static size_t interned(struct perfetto_writing *w, size_t *data)
{
	size_t at = packet(w, 0);

	protobuf_uint(&w->p, PACKET_FLAGS, NEEDS);
	*data = protobuf_begin(&w->p, PACKET_INTERNED);
	return at;
}

static void put_interned(struct perfetto_writing *w, uint32_t field, uint64_t id, const char *text)
{
	size_t at = protobuf_begin(&w->p, field);

	protobuf_uint(&w->p, TEXT_ID, id);
	put_name(w, TEXT_BYTES, text);
	protobuf_end(&w->p, at);
}

static void write_modules(struct perfetto_writing *w)
{
	const uint8_t *id;
	size_t at, data, m, n;
	uint32_t i;

	for (i = 0; i < w->names->nmodule; i++) {
		at = interned(w, &data);
		put_interned(w, INTERNED_PATH, i + 1ull, w->names->module[i].name);
		n = profile_build_id(w->names, i, &id);
		m = protobuf_begin(&w->p, INTERNED_BUILD_ID);
		protobuf_uint(&w->p, TEXT_ID, i + 1ull);
		protobuf_bytes(&w->p, TEXT_BYTES, id, n);
		protobuf_end(&w->p, m);
		m = protobuf_begin(&w->p, INTERNED_MAPPING);
		protobuf_uint(&w->p, MAPPING_ID, i + 1ull);
		protobuf_uint(&w->p, MAPPING_BUILD_ID, i + 1ull);
		protobuf_uint(&w->p, MAPPING_PATH, i + 1ull);
		protobuf_end(&w->p, m);
		protobuf_end(&w->p, data);
		end(w, at);
	}
}

static void write_frames(struct perfetto_writing *w)
{
	size_t at, data, m;
	uint32_t i;

	for (i = 0; i < w->list.frames; i++) {
		const struct list_frame *f = &w->list.frame[i];
		const struct symbol *s = &w->names->symbols.symbol[f->symbol];

		at = interned(w, &data);
		put_interned(w, INTERNED_FUNCTION, i + 1ull, s->name);
		m = protobuf_begin(&w->p, INTERNED_FRAME);
		protobuf_uint(&w->p, FRAME_ID, i + 1ull);
		protobuf_uint(&w->p, FRAME_FUNCTION, i + 1ull);
		protobuf_uint(&w->p, FRAME_MAPPING, s->module + 1ull);
		protobuf_uint(&w->p, FRAME_ADDRESS, f->address);
		protobuf_end(&w->p, m);
		protobuf_end(&w->p, data);
		end(w, at);
	}
}

/* Writes a stack's frames, outermost first. */
static void put_frames(struct perfetto_writing *w, uint32_t stack)
{
	const uint32_t *frames;
	uint32_t n = frame_list_path(&w->list, stack, &frames);

	while (n--)
		protobuf_uint(&w->p, STACK_FRAME, frames[n] + 1ull);
}

static void write_stacks(struct perfetto_writing *w)
{
	const struct calls *c = &w->job->stacks->calls;
	size_t at, data, m;
	uint32_t i, stack;

	for (i = 0; i < c->ncall; i++) {
		stack = w->list.of_call[i];
		/* Only stacks that samples have. */
		if (!c->call[i].self || stack == NO_KEY)
			continue;
		at = interned(w, &data);
		m = protobuf_begin(&w->p, INTERNED_STACK);
		protobuf_uint(&w->p, STACK_ID, stack + 1ull);
		put_frames(w, stack);
		protobuf_end(&w->p, m);
		protobuf_end(&w->p, data);
		end(w, at);
	}
}

/* ---- tracks ---------------------------------------------------------------------------------- */

/* Returns whether the track is new. */
static bool new_track(struct perfetto_writing *w, uint64_t id)
{
	uint64_t hash = hash_mix(id, 0);

	if (keys_find(&w->tracks, hash, w->track, e, *e == id) != NO_KEY)
		return false;
	if (keys_next(&w->tracks, hash, w->track, w->ntrack, w->room_track)) {
		w->p.no_memory = true;
		return false;
	}
	w->track[w->ntrack++] = id;
	return true;
}

static size_t track(struct perfetto_writing *w, uint64_t id, size_t *data)
{
	size_t at = packet(w, 0);

	*data = protobuf_begin(&w->p, PACKET_TRACK);
	protobuf_uint(&w->p, TRACK_ID, id);
	return at;
}

static void emit_thread(struct perfetto_writing *w, uint32_t thread)
{
	const struct trace_thread *t = &w->names->thread[thread];
	const struct trace_process *p = &w->names->process[t->process];
	size_t at, data, m;

	if (new_track(w, TRACK(TRACKS_PROCESS, t->process))) {
		at = track(w, TRACK(TRACKS_PROCESS, t->process), &data);
		m = protobuf_begin(&w->p, TRACK_PROCESS);
		protobuf_uint(&w->p, PROCESS_PID, names_unique(p));
		put_name(w, PROCESS_NAME, p->name);
		protobuf_end(&w->p, m);
		protobuf_end(&w->p, data);
		end(w, at);
	}
	if (!new_track(w, TRACK(TRACKS_THREAD, thread)))
		return;
	at = track(w, TRACK(TRACKS_THREAD, thread), &data);
	m = protobuf_begin(&w->p, TRACK_THREAD);
	protobuf_uint(&w->p, THREAD_PID, names_unique(p));
	protobuf_uint(&w->p, THREAD_TID, names_unique_tid(w->names, thread));
	put_name(w, THREAD_NAME, t->name);
	protobuf_end(&w->p, m);
	protobuf_end(&w->p, data);
	end(w, at);
}

static uint64_t irq_track(struct perfetto_writing *w, uint32_t cpu)
{
	uint64_t id = TRACK(TRACKS_IRQ, cpu);
	size_t at, data;
	char name[32];

	if (new_track(w, id)) {
		at = track(w, id, &data);
		snprintf(name, sizeof(name), "CPU %u interrupts", cpu);
		protobuf_string(&w->p, TRACK_NAME, name);
		protobuf_end(&w->p, data);
		end(w, at);
	}
	return id;
}

static uint64_t pair_track(struct perfetto_writing *w, uint32_t thread)
{
	uint64_t id = TRACK(TRACKS_PAIR, thread);
	size_t at, data;

	if (new_track(w, id)) {
		at = track(w, id, &data);
		protobuf_string(&w->p, TRACK_NAME, "pairs");
		protobuf_uint(&w->p, TRACK_PARENT, TRACK(TRACKS_THREAD, thread));
		protobuf_end(&w->p, data);
		end(w, at);
	}
	return id;
}

/* An open span has its own track below its process: others of its name may overlap it, and it may
 * end in another thread or, if shared, in another process. */
static uint64_t span_track(struct perfetto_writing *w, const struct timeline_moment *m)
{
	uint32_t process = m->shared ? 0 : w->names->thread[m->thread].process + 1;
	uint64_t id = hash_mix((uint64_t)process << 32 | m->place, TRACKS_SPAN) | 1ull << 63;
	size_t at, data;

	if (new_track(w, id)) {
		at = track(w, id, &data);
		protobuf_string(&w->p, TRACK_NAME, "spans");
		if (process)
			protobuf_uint(&w->p, TRACK_PARENT, TRACK(TRACKS_PROCESS, process - 1));
		protobuf_end(&w->p, data);
		end(w, at);
	}
	return id;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void emit_event(struct perfetto_writing *w, const struct timeline_moment *m, uint64_t on,
		       uint32_t type, const char *category, const char *value)
{
	size_t at = packet(w, m->time), data = protobuf_begin(&w->p, PACKET_EVENT), a;

	protobuf_uint(&w->p, EVENT_TYPE, type);
	protobuf_uint(&w->p, EVENT_TRACK, on);
	if (type != SLICE_END) {
		protobuf_string(&w->p, EVENT_CATEGORY, category);
		put_text(w, EVENT_NAME, m->name);
	}
	if (value) {
		a = protobuf_begin(&w->p, EVENT_ANNOTATION);
		protobuf_string(&w->p, ANNOTATION_NAME, value);
		protobuf_uint(&w->p, m->kind == MOMENT_CALL_ENDS ? ANNOTATION_INT : ANNOTATION_UINT,
			      m->kind == MOMENT_SPAN_BEGINS ? m->id : m->value);
		protobuf_end(&w->p, a);
	}
	protobuf_end(&w->p, data);
	end(w, at);
}

static void put_value(struct perfetto_writing *w, const struct named_value *v)
{
	switch (v->field->kind) {
	case NAMED_SIGNED:
		protobuf_uint(&w->p, ANNOTATION_INT, v->value);
		return;
	case NAMED_HEX:
		protobuf_uint(&w->p, ANNOTATION_POINTER, v->value);
		return;
	case NAMED_BOOL:
		protobuf_uint(&w->p, ANNOTATION_BOOL, v->value != 0);
		return;
	case NAMED_DOUBLE:
		protobuf_fixed64(&w->p, ANNOTATION_DOUBLE, v->value);
		return;
	default:
		break;
	}
	if (v->text)
		put_long_text(w, ANNOTATION_STRING, v->text);
	else
		protobuf_uint(&w->p, ANNOTATION_UINT, v->value);
}

static void emit_named(struct perfetto_writing *w, const struct timeline_moment *m)
{
	size_t at = packet(w, m->time), data = protobuf_begin(&w->p, PACKET_EVENT), a;
	struct named_walk walk = named_walk(m->event, m->record);
	struct named_value v;
	char name[NAMED_ROOM];

	protobuf_uint(&w->p, EVENT_TYPE, INSTANT);
	protobuf_uint(&w->p, EVENT_TRACK, TRACK(TRACKS_THREAD, m->thread));
	protobuf_string(&w->p, EVENT_CATEGORY, "event");
	protobuf_string(&w->p, EVENT_NAME, m->name);
	while (named_next(&walk, &v)) {
		a = protobuf_begin(&w->p, EVENT_ANNOTATION);
		protobuf_string(&w->p, ANNOTATION_NAME,
				named_text(name, v.field->name, v.field->name_length));
		put_value(w, &v);
		protobuf_end(&w->p, a);
	}
	protobuf_end(&w->p, data);
	end(w, at);
}

static int emit_sample(struct perfetto_writing *w, const struct timeline_moment *m)
{
	const struct profile_sample *s = m->sample;
	const struct trace_thread *t = &w->names->thread[m->thread];
	uint32_t stack = frame_list_stack(&w->list, s->stack);
	uint64_t i;
	size_t at, data;

	if (s->ticks > PROFILE_TICKS_MOST)
		return -EFBIG;
	/* Each sample is one tick: computed idle ticks become one sample each. */
	for (i = 0; i < s->ticks; i++) {
		at = packet(w, m->time);
		protobuf_uint(&w->p, PACKET_FLAGS, NEEDS);
		data = protobuf_begin(&w->p, PACKET_SAMPLE);
		protobuf_uint(&w->p, SAMPLE_CPU, m->cpu);
		protobuf_uint(&w->p, SAMPLE_PID, names_unique(&w->names->process[t->process]));
		protobuf_uint(&w->p, SAMPLE_TID, names_unique_tid(w->names, m->thread));
		if (stack != NO_KEY)
			protobuf_uint(&w->p, SAMPLE_STACK, stack + 1ull);
		protobuf_uint(&w->p, SAMPLE_MODE, s->kernel ? MODE_KERNEL : MODE_USER);
		protobuf_end(&w->p, data);
		end(w, at);
	}
	return 0;
}

static uint32_t tid_of(const struct perfetto_writing *w, uint32_t thread)
{
	return thread == NO_KEY ? 0 : w->names->thread[thread].tid;
}

static const char *comm_of(const struct perfetto_writing *w, uint32_t thread)
{
	return thread == NO_KEY ? "swapper" : w->names->thread[thread].name;
}

/* Returns the state in which a thread left its CPU, as TASK_* of sched_switch. */
static uint32_t state_of(uint32_t why)
{
	static const uint32_t states[] = {
		[PITRACE_LEFT_RUNNING] = 0, [PITRACE_LEFT_PREEMPTED] = 0x100,
		[PITRACE_LEFT_SLEEP] = 1,   [PITRACE_LEFT_BLOCKED] = 2,
		[PITRACE_LEFT_STOPPED] = 4, [PITRACE_LEFT_TRACED] = 8,
		[PITRACE_LEFT_DEAD] = 0x10, [PITRACE_LEFT_IDLE] = 0x80,
	};

	return why < sizeof(states) / sizeof(states[0]) ? states[why] : 1;
}

static int32_t priority(int16_t p)
{
	return p == PITRACE_PRIORITY_UNKNOWN ? 120 : p;
}

static size_t ftrace(struct perfetto_writing *w, const struct timeline_moment *m, uint32_t tid,
		     size_t within[2])
{
	size_t at = packet(w, 0);

	within[0] = protobuf_begin(&w->p, PACKET_FTRACE);
	protobuf_uint(&w->p, BUNDLE_CPU, m->cpu);
	within[1] = protobuf_begin(&w->p, BUNDLE_EVENT);
	protobuf_uint(&w->p, FTRACE_TIME, m->time);
	protobuf_uint(&w->p, FTRACE_TID, tid);
	return at;
}

static void emit_switch(struct perfetto_writing *w, const struct timeline_moment *m)
{
	size_t within[2], at = ftrace(w, m, tid_of(w, m->old), within);
	size_t data = protobuf_begin(&w->p, FTRACE_SWITCH);

	put_name(w, SWITCH_OLD_NAME, comm_of(w, m->old));
	protobuf_uint(&w->p, SWITCH_OLD, tid_of(w, m->old));
	protobuf_int(&w->p, SWITCH_OLD_PRIORITY, priority(m->old_priority));
	protobuf_uint(&w->p, SWITCH_OLD_STATE, state_of(m->why));
	put_name(w, SWITCH_NAME, comm_of(w, m->thread));
	protobuf_uint(&w->p, SWITCH_TID, tid_of(w, m->thread));
	protobuf_int(&w->p, SWITCH_PRIORITY, priority(m->priority));
	protobuf_end(&w->p, data);
	protobuf_end(&w->p, within[1]);
	protobuf_end(&w->p, within[0]);
	end(w, at);
}

static void emit_waking(struct perfetto_writing *w, const struct timeline_moment *m)
{
	size_t within[2], at = ftrace(w, m, tid_of(w, m->old), within);
	size_t data = protobuf_begin(&w->p, FTRACE_WAKING);

	put_name(w, WAKING_NAME, comm_of(w, m->thread));
	protobuf_uint(&w->p, WAKING_TID, tid_of(w, m->thread));
	protobuf_int(&w->p, WAKING_PRIORITY, priority(m->priority));
	protobuf_uint(&w->p, WAKING_SUCCESS, 1);
	protobuf_uint(&w->p, WAKING_CPU, m->cpu);
	protobuf_end(&w->p, data);
	protobuf_end(&w->p, within[1]);
	protobuf_end(&w->p, within[0]);
	end(w, at);
}

static int each(void *arg, const struct timeline_moment *m)
{
	struct perfetto_writing *w = arg;
	int rc = 0;

	if (m->thread != NO_KEY)
		emit_thread(w, m->thread);
	switch (m->kind) {
	case MOMENT_SAMPLE:
		rc = emit_sample(w, m);
		break;
	case MOMENT_RUNS:
		emit_switch(w, m);
		break;
	case MOMENT_WAKES:
		emit_waking(w, m);
		break;
	case MOMENT_IRQ_BEGINS:
		emit_event(w, m, irq_track(w, m->cpu), SLICE_BEGIN, "interrupt", NULL);
		break;
	case MOMENT_IRQ_ENDS:
		emit_event(w, m, irq_track(w, m->cpu), SLICE_END, "interrupt", NULL);
		break;
	case MOMENT_CALL_BEGINS:
		emit_event(w, m, TRACK(TRACKS_THREAD, m->thread), SLICE_BEGIN, "syscall", NULL);
		break;
	case MOMENT_CALL_ENDS:
		emit_event(w, m, TRACK(TRACKS_THREAD, m->thread), SLICE_END, "syscall", "result");
		break;
	case MOMENT_PAIR_BEGINS:
		emit_event(w, m, pair_track(w, m->thread), SLICE_BEGIN, "pair", NULL);
		break;
	case MOMENT_PAIR_ENDS:
		emit_event(w, m, pair_track(w, m->thread), SLICE_END, "pair", NULL);
		break;
	case MOMENT_SPAN_BEGINS:
		emit_event(w, m, span_track(w, m), SLICE_BEGIN, "span", "id");
		break;
	case MOMENT_SPAN_ENDS:
		emit_event(w, m, span_track(w, m), SLICE_END, "span", NULL);
		break;
	case MOMENT_MARK:
		emit_event(w, m, TRACK(TRACKS_THREAD, m->thread), INSTANT, "mark", "value");
		break;
	case MOMENT_FAULT:
		emit_event(w, m, TRACK(TRACKS_THREAD, m->thread), INSTANT, "fault", "address");
		break;
	case MOMENT_NAMED:
		emit_named(w, m);
		break;
	}
	return rc ? rc : w->p.no_memory ? -ENOMEM : 0;
}

static int perfetto_write(const struct job *job, FILE *out)
{
	struct perfetto_writing w = { .job = job, .names = &job->model->names, .out = out };
	int rc = frame_list_make(&w.list, job, true);

	if (!rc)
		rc = texts_open(&w.texts);
	if (!rc) {
		write_clocks(&w);
		write_defaults(&w);
		write_modules(&w);
		write_frames(&w);
		write_stacks(&w);
		rc = w.p.no_memory ? -ENOMEM : timeline_read(job, each, &w);
	}
	if (!rc)
		rc = whole_stacks_announced(&w.list.whole, "perfetto");
	protobuf_free(&w.p);
	texts_free(&w.texts);
	frame_list_free(&w.list);
	keys_free(&w.tracks);
	free(w.track);
	return rc;
}

const struct writer writer_perfetto = {
	.name = "perfetto",
	.what = "Perfetto's trace: ui.perfetto.dev, trace_processor",
	.path = "post.perfetto-trace",
	.needs = NEED_SAMPLES | NEED_STACKS | NEED_PLACES,
	.whole = true,
	.ticks = true,
	.write = perfetto_write,
};
