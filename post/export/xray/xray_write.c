/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writer of XRay's flight data recorder format: converts function entries and exits, or an
 * instruction trace, to a log of version 5. Each buffer belongs to one thread; buffers are written
 * when they are full.
 */
#include "export/xray/xray_runs.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/writer.h"
#include "job.h"
#include "record/record_as.h"

#define BUFFER   (1u << 20) /* bytes of records in a buffer */
#define METADATA 16
#define VERSION  5

enum fdr_byte { /* kind << 1 | 1 */
		BYTE_NEW_BUFFER = 0x01,
		BYTE_NEW_CPU = 0x05,
		BYTE_TSC_WRAP = 0x07,
		BYTE_WALL = 0x09,
		BYTE_CUSTOM = 0x0b,
		BYTE_ARGUMENT = 0x0d,
		BYTE_EXTENTS = 0x0f,
		BYTE_TYPED = 0x11,
		BYTE_PID = 0x13,
};

struct xray_buffer {
	uint32_t pid, tid, cpu;
	uint64_t stamp; /* of its last record */
	uint8_t *buffer;
	size_t used, room;
};

struct xray_writing {
	FILE *out;
	struct xray_buffer *thread;
	uint32_t nthread, room;
	struct keys by_thread;
};

static struct xray_buffer *get_thread(struct xray_writing *w, uint32_t pid, uint32_t tid)
{
	struct xray_buffer new = { .pid = pid, .tid = tid };
	uint64_t hash = hash_mix(pid, tid);
	uint32_t i = keys_find(&w->by_thread, hash, w->thread, e,
			       e->pid == new.pid && e->tid == new.tid);

	if (i != NO_KEY)
		return &w->thread[i];
	if (keys_next(&w->by_thread, hash, w->thread, w->nthread, w->room))
		return NULL;
	w->thread[w->nthread] = new;
	return &w->thread[w->nthread++];
}

static void flush(struct xray_writing *w, struct xray_buffer *t)
{
	uint8_t extents[METADATA] = { BYTE_EXTENTS };
	uint64_t size = t->used;

	if (!t->used)
		return;
	size = htole64(size);
	memcpy(extents + 1, &size, sizeof(size));
	fwrite(extents, sizeof(extents), 1, w->out);
	fwrite(t->buffer, 1, t->used, w->out);
	t->used = 0;
}

/* Appends n bytes to the buffer; NULL: no memory. */
static uint8_t *put(struct xray_buffer *t, size_t n)
{
	if (array_room(t->buffer, t->room, t->used + n))
		return NULL;
	t->used += n;
	return t->buffer + t->used - n;
}

/* Appends a metadata record: a kind, then two values. */
static bool metadata(struct xray_buffer *t, uint8_t kind, uint64_t first, size_t nfirst,
		     uint64_t second, size_t nsecond)
{
	uint8_t *p = put(t, METADATA);

	if (!p)
		return false;
	memset(p, 0, METADATA);
	first = htole64(first);
	second = htole64(second);
	p[0] = kind;
	memcpy(p + 1, &first, nfirst);
	memcpy(p + 1 + nfirst, &second, nsecond);
	return true;
}

/* Writes the records that must precede a function record: the start of a buffer, a new CPU, a time
 * too far for a delta. *delta is the remaining time. */
static bool begin_record(struct xray_writing *w, struct xray_buffer *t, const struct pirecord *r,
			 uint32_t *delta)
{
	bool ok = true, begins, far;

	if (t->used > BUFFER)
		flush(w, t);
	begins = !t->used || t->cpu != r->cpu;
	far = r->stamp < t->stamp || r->stamp - t->stamp > INT32_MAX;
	if (!t->used)
		ok = metadata(t, BYTE_NEW_BUFFER, t->tid, 4, 0, 0) &&
		     metadata(t, BYTE_WALL, r->time / 1000000000, 8, r->time % 1000000000 / 1000,
			      4) &&
		     metadata(t, BYTE_PID, t->pid, 4, 0, 0);
	if (begins)
		ok = ok && metadata(t, BYTE_NEW_CPU, r->cpu, 2, r->stamp, 8);
	else if (far)
		ok = ok && metadata(t, BYTE_TSC_WRAP, r->stamp, 8, 0, 0);
	*delta = begins || far ? 0 : (uint32_t)(r->stamp - t->stamp);
	t->stamp = r->stamp;
	t->cpu = r->cpu;
	return ok;
}

static int write_call(struct xray_writing *w, const struct pirecord *r)
{
	const struct call_record *c = RECORD_AS(r, struct call_record);
	struct xray_buffer *t = c ? get_thread(w, c->pid, c->tid) : NULL;
	uint32_t word, delta, i;
	uint64_t argument;
	uint8_t *p;

	if (!c || r->minor > CALL_ENTRY_ARGUMENTS)
		return 0;
	p = t && begin_record(w, t, r, &delta) ? put(t, 8) : NULL;
	if (!p)
		return -ENOMEM;
	word = htole32(c->function << 4 | r->minor << 1);
	delta = htole32(delta);
	memcpy(p, &word, sizeof(word));
	memcpy(p + 4, &delta, sizeof(delta));
	for (i = 0; i < c->arguments && (i + 1) * sizeof(argument) <= r->size - sizeof(*c); i++) {
		memcpy(&argument, (const uint8_t *)(c + 1) + i * sizeof(argument),
		       sizeof(argument));
		if (!metadata(t, BYTE_ARGUMENT, argument, 8, 0, 0))
			return -ENOMEM;
	}
	return 0;
}

static int write_event(struct xray_writing *w, const struct pirecord *r)
{
	struct pifile_user x;
	struct xray_buffer *t;
	bool typed = r->major == CALL_TYPED_EVENT;
	const char *text;
	uint32_t delta;
	size_t length;
	uint8_t *p;

	if (pifile_user_record(r, &x) || !x.strs)
		return 0;
	text = pifile_user_string(&x, 0, &length);
	t = get_thread(w, x.pid, x.tid);
	if (!t || !begin_record(w, t, r, &delta) ||
	    !metadata(t, typed ? BYTE_TYPED : BYTE_CUSTOM, (uint64_t)delta << 32 | length, 8,
		      typed ? r->minor : 0, 2))
		return -ENOMEM;
	p = put(t, length);
	if (!p)
		return -ENOMEM;
	memcpy(p, text, length);
	return 0;
}

/* Instruction traces have one cycle per nanosecond. */
static void write_header(struct xray_writing *w, const struct input *in)
{
	const uint16_t version = htole16(VERSION), type = htole16(1);
	const uint32_t bits = htole32(3); /* constant and nonstop TSC */
	const uint64_t hz = in->calls ? in->header.clock_hz : 1000000000;
	const uint64_t words[3] = { htole64(hz), htole64(BUFFER), 0 };

	fwrite(&version, sizeof(version), 1, w->out);
	fwrite(&type, sizeof(type), 1, w->out);
	fwrite(&bits, sizeof(bits), 1, w->out);
	fwrite(words, sizeof(words), 1, w->out);
}

static int each_call(void *arg, const struct pirecord *r)
{
	return write_call(arg, r);
}

static int write_records(struct xray_writing *w, const struct job *job)
{
	struct input *in = job->input;
	struct pirecord r = { 0 };
	int rc = in->reader->begin(in, PIMERGE_TRACE);

	while (!rc && (rc = in->reader->next(in, &r)) > 0) {
		rc = trace_record(job->trace, in, &r);
		if (!rc && r.major == CALL_RECORD)
			rc = write_call(w, &r);
		else if (!rc && (r.major == CALL_CUSTOM_EVENT || r.major == CALL_TYPED_EVENT))
			rc = write_event(w, &r);
	}
	return rc;
}

static int xray_write(const struct job *job, FILE *out)
{
	struct xray_functions f = { 0 };
	struct xray_writing w = { .out = out };
	uint32_t i;
	int rc;

	write_header(&w, job->input);
	rc = job->input->calls ? write_records(&w, job) : xray_runs(job, &f, each_call, &w);
	xray_functions_free(&f);
	for (i = 0; i < w.nthread; i++) {
		if (!rc)
			flush(&w, &w.thread[i]);
		free(w.thread[i].buffer);
	}
	free(w.thread);
	keys_free(&w.by_thread);
	return rc;
}

const struct writer writer_xray = {
	.name = "xray",
	.what = "XRay logs of clang's runtime, FDR and basic",
	.write = xray_write,
	.path = "post.xray",
	.needs = NEED_RUNS,
};
