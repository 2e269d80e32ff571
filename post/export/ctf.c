/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Common Trace Format 1.8, as babeltrace2 and Trace Compass read it: a folder with a description in
 * CTF's metadata language and a file of events for each CPU. Numbers are in native byte order, as
 * the description declares; nothing is aligned.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "export/timeline.h"
#include "export/writer.h"
#include "job.h"
#include "report/calls_report.h"
#include "sandbox/opener.h"

#define CTF_MAGIC 0xC1FC1FC1u
#define NAME_ROOM 256

/* Event numbers are values of enum moment_kind; those of named events follow. */
#define NAMED_FIRST 64u
#define NAMED_MOST  (UINT16_MAX - NAMED_FIRST)

static const char description[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 16; align = 8; signed = true; } := int16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false;\n"
	"	map = clock.monotonic.value; } := ns_t;\n"
	"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double_t;\n"
	"trace {\n"
	"	major = 1;\n"
	"	minor = 8;\n"
	"	byte_order = %s;\n"
	"	packet.header := struct { uint32_t magic; uint32_t stream_id; };\n"
	"};\n"
	"env {\n"
	"	tracer_name = \"pitrace\";\n"
	"	hostname = \"%s\";\n"
	"};\n"
	"clock {\n"
	"	name = monotonic;\n"
	"	freq = 1000000000;\n"
	"	offset = %" PRId64 ";\n"
	"};\n"
	"stream {\n"
	"	id = 0;\n"
	"	packet.context := struct { uint32_t cpu_id; };\n"
	"	event.header := struct { uint16_t id; ns_t timestamp; };\n"
	"};\n"
	"%s";

static const char events[] =
	"event { name = sample; id = 0; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; uint64_t ticks; uint64_t counted;\n"
	"	uint16_t frames; string stack[frames]; }; };\n"
	"event { name = dispatch; id = 1; stream_id = 0; fields := struct {\n"
	"	uint32_t prev_tid; string prev_comm; uint16_t prev_left; int16_t prev_priority;\n"
	"	uint32_t pid; uint32_t tid; string comm; int16_t priority; }; };\n"
	"event { name = wakeup; id = 2; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; uint32_t waker_tid; }; };\n"
	"event { name = interrupt_entry; id = 3; stream_id = 0; fields := struct { string name; }; };\n"
	"event { name = interrupt_exit; id = 4; stream_id = 0; fields := struct { string name; }; };\n"
	"event { name = syscall_entry; id = 5; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; string name; }; };\n"
	"event { name = syscall_exit; id = 6; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; string name; int64_t result; }; };\n"
	"event { name = pair_begin; id = 7; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; string name; }; };\n"
	"event { name = pair_end; id = 8; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; string name; }; };\n"
	"event { name = mark; id = 9; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; string name; hex64_t value; }; };\n"
	"event { name = page_fault; id = 10; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; string name; hex64_t address; }; };\n"
	"event { name = span_begin; id = 11; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; string name; uint64_t id;\n"
	"	uint16_t shared; }; };\n"
	"event { name = span_end; id = 12; stream_id = 0; fields := struct {\n"
	"	uint32_t pid; uint32_t tid; string comm; string name; uint64_t id;\n"
	"	uint16_t shared; }; };\n";

struct ctf_writing {
	const struct job *job;
	const struct names *names;
	int folder;
	FILE **stream; /* by CPU */
	uint32_t cpus;
	FILE *out; /* the stream of the event's CPU */
	struct whole_stacks whole;
};

static void put(struct ctf_writing *w, const void *data, size_t size)
{
	fwrite(data, 1, size, w->out);
}

static void put16(struct ctf_writing *w, uint16_t value)
{
	put(w, &value, sizeof(value));
}

static void put32(struct ctf_writing *w, uint32_t value)
{
	put(w, &value, sizeof(value));
}

static void put64(struct ctf_writing *w, uint64_t value)
{
	put(w, &value, sizeof(value));
}

/* CTF strings are UTF-8 and NUL-terminated. */
static void put_text(struct ctf_writing *w, const char *text)
{
	escape_print(w->out, text);
	putc('\0', w->out);
}

static FILE *open_in(const struct ctf_writing *w, const char *name)
{
	int fd = opener_in_folder(w->folder, name);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file && fd >= 0)
		close(fd);
	if (fd < 0)
		errno = -fd;
	return file;
}

/* Opens the CPU's file and writes the packet header: each file is one packet. */
static int select_cpu(struct ctf_writing *w, uint32_t cpu)
{
	char name[32];

	if (array_reach(w->stream, w->cpus, cpu))
		return -ENOMEM;
	if (!w->stream[cpu]) {
		snprintf(name, sizeof(name), "cpu%u", cpu);
		w->stream[cpu] = open_in(w, name);
		if (!w->stream[cpu])
			return -errno;
		w->out = w->stream[cpu];
		put32(w, CTF_MAGIC);
		put32(w, 0);
		put32(w, cpu);
	}
	w->out = w->stream[cpu];
	return 0;
}

static void put_thread(struct ctf_writing *w, uint32_t thread)
{
	const struct trace_thread idle = { .name = "Idle" };
	const struct trace_thread *t = thread == NO_KEY ? &idle : &w->names->thread[thread];

	put32(w, thread == NO_KEY ? 0 : w->names->process[t->process].pid);
	put32(w, t->tid);
	put_text(w, t->name);
}

/* Writes function names, innermost first, including inlined ones. */
static void put_stack(struct ctf_writing *w, uint32_t call)
{
	const struct calls *c = &w->job->stacks->calls;
	const uint32_t *list;
	uint32_t calls = c->call[call].depth, i, k, n, frames = 0;

	calls = whole_stacks_take(&w->whole, calls < UINT16_MAX ? calls : UINT16_MAX);
	for (i = call, k = 0; k < calls; i = c->call[i].parent, k++)
		frames += profile_frames(w->names, c->call[i].id, &list);
	if (frames > UINT16_MAX)
		frames = UINT16_MAX;
	put16(w, (uint16_t)frames);
	for (i = call; calls--; i = c->call[i].parent) {
		n = profile_frames(w->names, c->call[i].id, &list);
		for (k = 0; k < n && frames; k++, frames--)
			put_text(w, w->names->symbols.symbol[list[k]].name);
	}
}

static void put_named(struct ctf_writing *w, const struct timeline_moment *m)
{
	struct named_walk walk = named_walk(m->event, m->record);
	struct named_value v;

	put_thread(w, m->thread);
	while (named_next(&walk, &v)) {
		uint8_t flag = v.value != 0;

		if (v.field->kind == NAMED_STRING)
			put_text(w, v.text);
		else if (v.field->kind == NAMED_BOOL)
			put(w, &flag, sizeof(flag));
		else
			put64(w, v.value);
	}
}

static void put_fields(struct ctf_writing *w, const struct timeline_moment *m)
{
	switch (m->kind) {
	case MOMENT_SAMPLE:
		put_thread(w, m->thread);
		put64(w, m->sample->ticks);
		put64(w, m->sample->counted);
		put_stack(w, m->sample->stack);
		break;
	case MOMENT_RUNS:
		put32(w, m->old == NO_KEY ? 0 : w->names->thread[m->old].tid);
		put_text(w, m->old == NO_KEY ? "Idle" : w->names->thread[m->old].name);
		put16(w, (uint16_t)m->why);
		put16(w, (uint16_t)m->old_priority);
		put_thread(w, m->thread);
		put16(w, (uint16_t)m->priority);
		break;
	case MOMENT_WAKES:
		put_thread(w, m->thread);
		put32(w, m->old == NO_KEY ? 0 : w->names->thread[m->old].tid);
		break;
	case MOMENT_IRQ_BEGINS:
	case MOMENT_IRQ_ENDS:
		put_text(w, m->name);
		break;
	case MOMENT_SPAN_BEGINS:
	case MOMENT_SPAN_ENDS:
		put_thread(w, m->thread);
		put_text(w, m->name);
		put64(w, m->id);
		put16(w, m->shared);
		break;
	case MOMENT_NAMED:
		put_named(w, m);
		break;
	default:
		put_thread(w, m->thread);
		put_text(w, m->name);
		if (m->kind == MOMENT_CALL_ENDS || m->kind == MOMENT_MARK ||
		    m->kind == MOMENT_FAULT)
			put64(w, m->value);
		break;
	}
}

static int each(void *arg, const struct timeline_moment *m)
{
	struct ctf_writing *w = arg;
	struct timeline_moment mark = *m;
	int rc = select_cpu(w, m->cpu);

	if (rc)
		return rc;
	/* The event ids are used up: write it as a mark. */
	if (m->kind == MOMENT_NAMED && m->event->id > NAMED_MOST) {
		mark.kind = MOMENT_MARK;
		m = &mark;
	}
	put16(w, (uint16_t)(m->kind == MOMENT_NAMED ? NAMED_FIRST + m->event->id : m->kind));
	put64(w, m->time);
	put_fields(w, m);
	return 0;
}

/* Names start with an _, so that they are no keyword of the language; readers remove it. */
static void describe_field(FILE *out, const struct named_field *f)
{
	static const char *const types[] = {
		[NAMED_UNSIGNED] = "uint64_t", [NAMED_SIGNED] = "int64_t",
		[NAMED_HEX] = "hex64_t",       [NAMED_BOOL] = "uint8_t",
		[NAMED_DOUBLE] = "double_t",   [NAMED_STRING] = "string",
	};
	const char *value;
	size_t length;
	uint64_t i;

	if (f->kind == NAMED_ENUM) {
		fputs("	enum : uint64_t {", out);
		for (i = 0; (value = named_value(f, i, &length)); i++)
			fprintf(out, "%s \"%.*s\" = %" PRIu64, i ? "," : "", (int)length, value, i);
		fputs(" }", out);
	} else {
		fprintf(out, "	%s", types[f->kind]);
	}
	fprintf(out, " _%.*s;\n", (int)f->name_length, f->name);
}

static void describe_named(const struct ctf_writing *w, FILE *out)
{
	const struct named_events *n = &w->job->model->named;
	uint32_t i, k;

	for (i = 0; i < n->nevent && i <= NAMED_MOST; i++) {
		const struct named_event *e = n->event[i];

		fprintf(out,
			"event { name = \"%s\"; id = %u; stream_id = 0;\n"
			"	context := struct { uint32_t pid; uint32_t tid; string comm; };\n",
			e->name, NAMED_FIRST + i);
		if (e->fields.count)
			fputs("	fields := struct {\n", out);
		for (k = 0; k < e->fields.count; k++)
			describe_field(out, &e->fields.field[k]);
		fputs(e->fields.count ? "	}; };\n" : "};\n", out);
	}
}

static int write_description(struct ctf_writing *w)
{
	const uint16_t one = 1;
	const struct trace *t = w->job->trace;
	const char *host = trace_fact(t, "host");
	int64_t offset = t->start_realtime && t->intervals ?
				 (int64_t)(t->start_realtime - t->began) :
				 0;
	char *name = escape_text(host ? host : ""), *p;
	FILE *out = open_in(w, "metadata");
	int rc = 0;

	if (!name || !out)
		rc = name ? -errno : -ENOMEM;
	for (p = name; p && *p; p++) {
		if (*p == '"' || *p == '\\')
			*p = '?';
	}
	if (!rc)
		fprintf(out, description, *(const uint8_t *)&one ? "le" : "be", name, offset,
			events);
	if (!rc)
		describe_named(w, out);
	free(name);
	if (out && fclose(out) != 0 && !rc)
		rc = -errno;
	return rc;
}

static int ctf_write(const struct job *job, int folder)
{
	struct ctf_writing w = {
		.job = job,
		.names = &job->model->names,
		.folder = folder,
		.whole = whole_stacks(job->input->size),
	};
	int rc = write_description(&w);
	uint32_t i;

	if (!rc)
		rc = timeline_read(job, each, &w);
	for (i = 0; i < w.cpus; i++) {
		int failed = w.stream[i] ? output_failed(w.stream[i]) : 0;

		if (w.stream[i] && fclose(w.stream[i]) && !failed)
			failed = -errno;
		rc = rc ? rc : failed;
	}
	free(w.stream);
	return rc ? rc : whole_stacks_announced(&w.whole, "ctf");
}

const struct writer writer_ctf = {
	.name = "ctf",
	.what = "a folder in the Common Trace Format: babeltrace2, Trace Compass",
	.path = "post.ctf",
	.needs = NEED_SAMPLES | NEED_STACKS | NEED_PLACES,
	.whole = true,
	.write_folder = ctf_write,
};
