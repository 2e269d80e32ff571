/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads records, and the sub-records of heap segments, from front to back. */
#include "hprof.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"

enum {
	RECORD_STRING = 0x01,
	RECORD_LOAD_CLASS,
	RECORD_UNLOAD_CLASS,
	RECORD_FRAME,
	RECORD_TRACE,
	RECORD_ALLOC_SITES,
	RECORD_HEAP_SUMMARY,
	RECORD_START_THREAD = 0x0a,
	RECORD_END_THREAD,
	RECORD_HEAP_DUMP,
	RECORD_CPU_SAMPLES,
	RECORD_CONTROL_SETTINGS,
	RECORD_SEGMENT = 0x1c,
	RECORD_HEAP_END = 0x2c
};
enum {
	SUB_CLASS = 0x20,
	SUB_INSTANCE,
	SUB_REFERENCES,
	SUB_PRIMITIVES,
	SUB_UNREACHABLE = 0x90, /* Android's, as the next two */
	SUB_NO_DATA = 0xc3,
	SUB_HEAP_INFO = 0xfe
};

#define RECORD_HEAD 9
#define SUB_HEAD    48 /* the longest header of a sub-record other than a class's */
#define PART        64 /* parts of an array, but for the last, are multiples of this size */

int hprof_report(struct hprof *h, uint64_t offset, const char *format, ...)
{
	va_list args;

	h->fault.offset = offset;
	va_start(args, format);
	vsnprintf(h->fault.what, sizeof(h->fault.what), format, args);
	va_end(args);
	return -EINVAL;
}

unsigned int hprof_size(const struct hprof *h, uint8_t type)
{
	static const uint8_t size[] = { 1, 2, 4, 8, 1, 2, 4, 8 };

	if (type == HPROF_REF)
		return h->id_size;
	return type >= HPROF_BOOLEAN && type <= HPROF_LONG ? size[type - HPROF_BOOLEAN] : 0;
}

static inline uint64_t take_id(const struct hprof *h, struct bytes *b)
{
	return h->id_size == 8 ? bytes_u64(b) : bytes_u32(b);
}

/* Reports that the file ends within the item at `offset`, or that gzip failed there. */
static int too_short(struct hprof *h, uint64_t offset, const char *what)
{
	const struct dump_fault *own = &h->file->fault;

	if (*own->what)
		return hprof_report(h, own->offset, "%s", own->what);
	return hprof_report(h, offset, "%s: the file ends within it", what);
}

/* ---- the heap -------------------------------------------------------------------------------- */

static int take_class(struct hprof *h, struct bytes *b, struct hprof_class *c)
{
	struct hprof_field *f;
	uint32_t n = 0, part;

	c->id = take_id(h, b);
	bytes_skip(b, 4);
	c->super = take_id(h, b);
	c->loader = take_id(h, b);
	c->signers = take_id(h, b);
	c->domain = take_id(h, b);
	bytes_skip(b, 2u * h->id_size);
	c->size = bytes_u32(b);
	c->constants = c->statics = c->fields = 0;
	for (part = 0; part < 3 && !b->bad; part++) {
		uint32_t count = bytes_u16(b);

		/* One more, so that the list is not NULL even if the class has no fields. */
		if (array_room(h->fields, h->fields_room, (uint64_t)n + count + 1))
			return -ENOMEM;
		for (uint32_t i = 0; i < count && !b->bad; i++) {
			f = &h->fields[n++];
			f->name = part ? take_id(h, b) : bytes_u16(b);
			f->type = bytes_u8(b);
			f->value = 0;
			if (b->bad)
				break;
			if (!hprof_size(h, f->type))
				return hprof_report(h, h->file->at + b->at - 1,
						    "class 0x%" PRIx64 ": unknown value type %u",
						    c->id, f->type);
			if (part < 2 && f->type == HPROF_REF)
				f->value = take_id(h, b);
			else if (part < 2)
				bytes_skip(b, hprof_size(h, f->type));
		}
		*(part == 0 ? &c->constants : part == 1 ? &c->statics : &c->fields) = count;
	}
	c->list = h->fields;
	return 0;
}

/* The sub-record has no length field: parses it from a growing part of the file. */
static int class_dump(struct hprof *h, uint64_t *left)
{
	struct hprof_class c;
	struct bytes b;
	const uint8_t *p;
	size_t have, ask = 512;
	int rc;

	for (;; ask *= 8) {
		if (ask > DUMP_LOOK_MOST)
			ask = DUMP_LOOK_MOST;
		p = dump_look(h->file, ask, &have);
		b = bytes_of(p, have < *left ? have : (size_t)*left);
		b.swap = __BYTE_ORDER == __LITTLE_ENDIAN;
		bytes_skip(&b, 1);
		rc = take_class(h, &b, &c);
		if (rc || !b.bad)
			break;
		if (have >= *left)
			return hprof_report(h, h->file->at, "a class: its segment ends within it");
		if (have < ask)
			return too_short(h, h->file->at, "a class");
		if (ask == DUMP_LOOK_MOST)
			return hprof_report(h, h->file->at, "a class: it is too long");
	}
	if (!rc && h->sink->klass)
		rc = h->sink->klass(h, &c);
	h->objects += !rc;
	if (rc)
		return rc;
	*left -= b.at;
	dump_skip(h->file, b.at);
	return 0;
}

static int content(struct hprof *h, const struct hprof_object *o, uint64_t bytes)
{
	uint64_t from = 0;
	const uint8_t *p;
	size_t have, n;
	int rc;

	while (from < bytes) {
		/* Pass an instance in one part if possible. */
		n = bytes - from < DUMP_LOOK_MOST ? (size_t)(bytes - from) : DUMP_LOOK_MOST;
		if (o->type && n > PART)
			n = PART;
		p = dump_look(h->file, n, &have);
		if (have < n)
			return too_short(h, o->offset, o->type ? "an array" : "an instance");
		if (have >= bytes - from)
			have = (size_t)(bytes - from);
		else
			have -= have % PART;
		rc = h->sink->content(h, o, from, p, have);
		if (rc)
			return rc;
		dump_skip(h->file, have);
		from += have;
	}
	return 0;
}

static int object(struct hprof *h, struct bytes *b, uint8_t tag, uint64_t *left)
{
	static const char *const names[] = { "an instance", "an array of references", "an array" };
	struct hprof_object o = { .offset = h->file->at };
	const char *name = tag <= SUB_PRIMITIVES ? names[tag - SUB_INSTANCE] : names[2];
	uint64_t bytes;
	int rc;

	o.id = take_id(h, b);
	bytes_skip(b, 4);
	if (tag == SUB_INSTANCE)
		o.class_id = take_id(h, b);
	o.count = bytes_u32(b);
	bytes = o.count;
	if (tag == SUB_REFERENCES) {
		o.class_id = take_id(h, b);
		o.type = HPROF_REF;
		bytes *= h->id_size;
	} else if (tag != SUB_INSTANCE) {
		o.type = bytes_u8(b);
		bytes *= hprof_size(h, o.type);
	}
	if (b->bad)
		return b->size == *left ?
			       hprof_report(h, o.offset, "%s: its segment ends within it", name) :
			       too_short(h, o.offset, name);
	if (tag == SUB_NO_DATA)
		bytes = 0;
	if (o.type && (o.type == HPROF_REF) != (tag == SUB_REFERENCES || tag == SUB_INSTANCE))
		return hprof_report(h, o.offset, "an array: unknown value type %u", o.type);
	if (o.type && !hprof_size(h, o.type))
		return hprof_report(h, o.offset, "an array: unknown value type %u", o.type);
	if (bytes > *left - b->at)
		return hprof_report(h, o.offset,
				    "%s of %" PRIu64 " bytes: its segment ends within it", name,
				    bytes);
	h->wants = false;
	rc = h->sink->object ? h->sink->object(h, &o) : 0;
	if (rc)
		return rc;
	*left -= b->at + bytes;
	dump_skip(h->file, b->at);
	if (h->wants && bytes) {
		rc = content(h, &o, bytes);
		if (rc)
			return rc;
	} else if (bytes && !dump_skip(h->file, bytes)) {
		return too_short(h, o.offset, name);
	}
	h->objects++;
	return 0;
}

/* Returns the bytes after the id in a root's sub-record; -1 for an unknown number. */
static int root_rest(const struct hprof *h, uint8_t tag)
{
	switch (tag) {
	case ROOT_UNKNOWN:
	case ROOT_CLASS:
	case ROOT_MONITOR:
	case ROOT_INTERNED:
	case ROOT_FINALIZING:
	case ROOT_DEBUGGER:
	case ROOT_CLEANUP:
	case ROOT_VM:
	case SUB_UNREACHABLE:
		return 0;
	case ROOT_JNI_GLOBAL:
		return h->id_size;
	case ROOT_NATIVE_STACK:
	case ROOT_THREAD_BLOCK:
		return 4;
	case ROOT_JNI_LOCAL:
	case ROOT_FRAME:
	case ROOT_THREAD:
	case ROOT_JNI_MONITOR:
		return 8;
	}
	return -1;
}

static int root(struct hprof *h, struct bytes *b, uint8_t tag, uint64_t *left)
{
	int rest = root_rest(h, tag), rc = 0;
	uint64_t id;

	if (rest < 0)
		return hprof_report(h, h->file->at, "unknown sub-record 0x%02x", tag);
	id = take_id(h, b);
	bytes_skip(b, (size_t)rest);
	if (b->bad)
		return b->size == *left ?
			       hprof_report(h, h->file->at, "a root: its segment ends within it") :
			       too_short(h, h->file->at, "a root");
	if (h->sink->root && tag != SUB_UNREACHABLE)
		rc = h->sink->root(h, tag, id);
	*left -= b->at;
	dump_skip(h->file, b->at);
	return rc;
}

static int segment(struct hprof *h, uint64_t left)
{
	const uint8_t *p;
	struct bytes b;
	size_t have;
	uint8_t tag;
	int rc = 0;

	while (left && !rc) {
		p = dump_look(h->file, SUB_HEAD, &have);
		if (!have)
			return too_short(h, h->file->at, "a segment of the heap");
		b = bytes_of(p, have < left ? have : (size_t)left);
		if (b.size > SUB_HEAD)
			b.size = SUB_HEAD;
		b.swap = __BYTE_ORDER == __LITTLE_ENDIAN;
		tag = bytes_u8(&b);
		if (tag == SUB_CLASS) {
			rc = class_dump(h, &left);
		} else if ((tag > SUB_CLASS && tag <= SUB_PRIMITIVES) || tag == SUB_NO_DATA) {
			rc = object(h, &b, tag, &left);
		} else if (tag == SUB_HEAP_INFO) {
			if (!bytes_skip(&b, 4u + h->id_size))
				return b.size == left ?
					       hprof_report(h, h->file->at,
							    "a heap's name: its segment ends within it") :
					       too_short(h, h->file->at, "a heap's name");
			left -= b.at;
			dump_skip(h->file, b.at);
		} else {
			rc = root(h, &b, tag, &left);
		}
	}
	return rc;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Stores the least length of a record, and whether it is the only one. Returns false for an unknown
 * number. */
static bool known(const struct hprof *h, uint8_t tag, uint32_t *least, bool *exact)
{
	const uint32_t id = h->id_size;

	*exact = true;
	switch (tag) {
	case RECORD_LOAD_CLASS:
		*least = 8 + 2 * id;
		return true;
	case RECORD_UNLOAD_CLASS:
	case RECORD_END_THREAD:
		*least = 4;
		return true;
	case RECORD_FRAME:
		*least = 8 + 4 * id;
		return true;
	case RECORD_HEAP_SUMMARY:
		*least = 24;
		return true;
	case RECORD_START_THREAD:
		*least = 8 + 4 * id;
		return true;
	case RECORD_CONTROL_SETTINGS:
		*least = 6;
		return true;
	case RECORD_HEAP_END:
		*least = 0;
		return true;
	}
	*exact = false;
	switch (tag) {
	case RECORD_STRING:
		*least = id;
		return true;
	case RECORD_TRACE:
		*least = 12;
		return true;
	case RECORD_ALLOC_SITES:
		*least = 34;
		return true;
	case RECORD_CPU_SAMPLES:
		*least = 8;
		return true;
	case RECORD_HEAP_DUMP:
	case RECORD_SEGMENT:
		*least = 0;
		return true;
	}
	return false;
}

/* Returns whether the length of a record with a count agrees with the count. */
static bool counted_right(const struct hprof *h, uint8_t tag, struct bytes b, uint32_t length)
{
	uint32_t count;

	switch (tag) {
	case RECORD_TRACE:
		bytes_skip(&b, 8);
		count = bytes_u32(&b);
		return length == 12 + (uint64_t)count * h->id_size;
	case RECORD_ALLOC_SITES:
		bytes_skip(&b, 30);
		count = bytes_u32(&b);
		return length == 34 + (uint64_t)count * 25;
	case RECORD_CPU_SAMPLES:
		bytes_skip(&b, 4);
		count = bytes_u32(&b);
		return length == 8 + (uint64_t)count * 8;
	}
	return true;
}

static int plain_record(struct hprof *h, uint64_t at, uint8_t tag, uint32_t length)
{
	uint32_t need = tag == RECORD_STRING ? length : length < 64 ? length : 64;
	const uint8_t *p;
	struct bytes b;
	uint64_t first, second;
	size_t have;
	int rc = 0;

	if (need > DUMP_LOOK_MOST)
		return hprof_report(h, at, "a string of %u bytes: it is too long", length);
	p = dump_look(h->file, need, &have);
	if (have < need)
		return too_short(h, at, "a record");
	b = bytes_of(p, need);
	b.swap = __BYTE_ORDER == __LITTLE_ENDIAN;
	if (!counted_right(h, tag, b, length))
		return hprof_report(h, at, "record 0x%02x: its length and its count do not match",
				    tag);
	if (tag == RECORD_STRING && h->sink->string) {
		first = take_id(h, &b);
		rc = h->sink->string(h, first, p + h->id_size, length - h->id_size);
	} else if (tag == RECORD_LOAD_CLASS && h->sink->load) {
		bytes_skip(&b, 4);
		first = take_id(h, &b);
		bytes_skip(&b, 4);
		second = take_id(h, &b);
		rc = h->sink->load(h, first, second);
	}
	if (!rc && !dump_skip(h->file, length))
		return too_short(h, at, "a record");
	return rc;
}

static int record(struct hprof *h)
{
	uint64_t at = h->file->at;
	const uint8_t *p;
	struct bytes b;
	uint32_t length, least;
	size_t have;
	bool exact;
	uint8_t tag;

	p = dump_look(h->file, RECORD_HEAD, &have);
	b = bytes_of(p, have);
	b.swap = __BYTE_ORDER == __LITTLE_ENDIAN;
	tag = bytes_u8(&b);
	bytes_skip(&b, 4);
	length = bytes_u32(&b);
	if (b.bad)
		return too_short(h, at, "a record");
	if (!known(h, tag, &least, &exact))
		return hprof_report(h, at, "unknown record 0x%02x", tag);
	if (length < least || (exact && length != least))
		return hprof_report(h, at, "record 0x%02x: %u bytes are not a valid length", tag,
				    length);
	dump_skip(h->file, RECORD_HEAD);
	h->ended = tag == RECORD_HEAP_END;
	h->segments |= tag == RECORD_SEGMENT;
	if (tag == RECORD_HEAP_DUMP || tag == RECORD_SEGMENT) {
		h->heap = true;
		return segment(h, length);
	}
	return plain_record(h, at, tag, length);
}

static int head(struct hprof *h)
{
	static const char magic[] = "JAVA PROFILE 1.0.";
	const size_t n = sizeof(magic) - 1;
	uint32_t id_size;
	struct bytes b;
	const uint8_t *p;
	size_t have;

	p = dump_look(h->file, 31, &have);
	b = bytes_of(p, have);
	b.swap = __BYTE_ORDER == __LITTLE_ENDIAN;
	if (have < n || memcmp(p, magic, n))
		return *h->file->fault.what ? too_short(h, 0, "") :
					      hprof_report(h, 0, "this is not a heap dump (HPROF)");
	bytes_skip(&b, n);
	if (have >= 31 && (p[n] < '1' || p[n] > '3' || p[n + 1]))
		return hprof_report(h, n, "unknown version of HPROF");
	bytes_skip(&b, 2);
	id_size = bytes_u32(&b);
	h->time = bytes_u64(&b);
	if (b.bad)
		return too_short(h, 0, "the head");
	if (id_size != 4 && id_size != 8)
		return hprof_report(h, n + 2, "ids of %u bytes: they have 4 or 8", id_size);
	h->id_size = (uint8_t)id_size;
	dump_skip(h->file, b.at);
	return 0;
}

int hprof_walk(struct hprof *h)
{
	size_t have = 1;
	int rc = dump_rewind(h->file);

	h->fault.what[0] = 0;
	h->objects = 0;
	h->heap = h->segments = h->ended = false;
	if (!rc)
		rc = head(h);
	while (!rc) {
		dump_look(h->file, 1, &have);
		if (!have)
			break;
		rc = record(h);
	}
	if (!rc && *h->file->fault.what)
		rc = too_short(h, h->file->at, "");
	if (!rc && !h->heap)
		rc = hprof_report(h, h->file->at, "it contains no heap");
	/* A later pass, which ends where the first one did, does not report this again. */
	if (!rc && h->segments && !h->ended && h->file->end == UINT64_MAX)
		rc = hprof_report(h, h->file->at, "the record that ends a heap is missing");
	return rc;
}
