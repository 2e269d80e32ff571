/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * XRay's flight data recorder: each thread and time interval has a buffer. Function records have 8
 * bytes, metadata 16, possibly followed by an event's text. Version 1 has buffers of one size;
 * later ones precede each buffer with its length (extents). Lengths in damaged files may be
 * anything: if a buffer does not end where the next one begins, its records are walked. LLVM's
 * writer counts 16 bytes too few for a typed event, and omits as many at the buffer's end: the last
 * record is truncated.
 *
 * The bit-fields of a record are laid out by the compiler of its machine: from the lowest bit up in
 * a little-endian log, from the highest down in a big-endian one.
 */
#include "input/xray/xray_fdr.h"

#include <inttypes.h>
#include <string.h>

#include "input/xray/xray_parts.h"

#define FUNCTION       8 /* bytes of a record */
#define METADATA       16
#define LOOKED_THROUGH (16ull << 20) /* bytes searched for the log's version */
#define FAR            (1ull << 48)  /* ticks: a day */

enum fdr_kind {
	FDR_NEW_BUFFER = 0,
	FDR_END_OF_BUFFER,
	FDR_NEW_CPU,
	FDR_TSC_WRAP,
	FDR_WALL,
	FDR_CUSTOM,
	FDR_ARGUMENT,
	FDR_EXTENTS,
	FDR_TYPED,
	FDR_PID,
	FDR_KINDS
};

/* ---- bits of a record ------------------------------------------------------------------------ */

static inline bool is_metadata(const struct xray *x, uint8_t byte)
{
	return byte & (x->big ? 0x80 : 0x01);
}

static inline unsigned int kind_of(const struct xray *x, uint8_t byte)
{
	return x->big ? byte & 0x7f : byte >> 1;
}

/* Returns the first byte of a metadata record of this kind. */
static inline uint8_t first_byte(const struct xray *x, enum fdr_kind kind)
{
	return (uint8_t)(x->big ? 0x80 | kind : kind << 1 | 1);
}

static inline uint32_t call_kind_of(const struct xray *x, uint32_t word)
{
	return x->big ? word >> 28 & 7 : word >> 1 & 7;
}

static inline uint32_t function_of(const struct xray *x, uint32_t word)
{
	return x->big ? word & 0x0fffffff : word >> 4;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Length and plausibility of the record at an offset. */
struct step {
	uint64_t bytes; /* 0: unknown */
	bool odd;
};

/* Returns false if less than a record is left. */
static bool step_at(struct xray *x, uint64_t at, struct step *s)
{
	unsigned int kind;
	const uint8_t *p;
	size_t have;
	int32_t event;

	*s = (struct step){ 0 };
	p = window_look(&x->w, at, METADATA, &have);
	if (!p || have < FUNCTION)
		return false;
	if (!is_metadata(x, p[0])) {
		s->bytes = FUNCTION;
		s->odd = call_kind_of(x, xray_u32(x, p)) >= CALL_KINDS ||
			 !function_of(x, xray_u32(x, p));
		return true;
	}
	if (have < METADATA)
		return false;
	s->bytes = METADATA;
	kind = kind_of(x, p[0]);
	s->odd = kind >= FDR_KINDS;
	if (kind != FDR_CUSTOM && kind != FDR_TYPED)
		return true;
	event = (int32_t)xray_u32(x, p + 1);
	s->bytes = event < 0 || at + METADATA + (uint32_t)event > x->w.size ?
			   0 :
			   METADATA + (uint32_t)event;
	return true;
}

/* Returns whether a buffer begins here, or the log ends. Unused bytes of a record are not zeroed,
 * so only the kinds of the first records are compared. */
static bool begins_at(struct xray *x, uint64_t at)
{
	const uint8_t *p;
	size_t have;

	if (at == x->w.size)
		return true;
	p = window_look(&x->w, at, METADATA + 1, &have);
	if (!p || have < METADATA || p[0] != first_byte(x, FDR_EXTENTS))
		return false;
	return have == METADATA || p[METADATA] == first_byte(x, FDR_NEW_BUFFER) ||
	       p[METADATA] == first_byte(x, FDR_EXTENTS);
}

/* A stricter check, for offsets where no record is known to begin. */
static bool surely_begins_at(struct xray *x, uint64_t at)
{
	const uint8_t *p = NULL;
	size_t have = 0;

	if (begins_at(x, at))
		p = window_look(&x->w, at, 2 * METADATA + 1, &have);
	return p && have > 2 * METADATA && p[METADATA] == first_byte(x, FDR_NEW_BUFFER) &&
	       p[2 * METADATA] == first_byte(x, FDR_WALL);
}

static uint64_t search_from(struct xray *x, uint64_t at)
{
	const uint8_t *p, *found;
	size_t have;

	while ((p = window_look(&x->w, at, METADATA, &have))) {
		found = memchr(p, first_byte(x, FDR_EXTENTS), have);
		at += found ? (size_t)(found - p) : have;
		if (found && surely_begins_at(x, at))
			return at;
		at += found != NULL;
	}
	return x->w.size;
}

/* Returns the end of the buffer whose records begin at `body`; its claimed length may be wrong. */
static uint64_t walk(struct xray *x, uint64_t body, uint64_t claimed)
{
	uint64_t at = body, limit = 0, claim = body + claimed;
	bool bounded = claimed >= METADATA && claimed <= x->w.size;
	struct step s;

	while (at < x->w.size) {
		if (at > body && begins_at(x, at))
			return at;
		if (bounded && !limit && at == claim)
			limit = at; /* unless records continue up to the next buffer */
		if (!step_at(x, at, &s))
			return limit ? limit : x->w.size;
		if (limit && (s.odd || !s.bytes))
			return limit;
		if (!s.bytes)
			return search_from(x, at + METADATA);
		at += s.bytes;
	}
	return limit ? limit : x->w.size;
}

/* Reads the thread and the start of a buffer. */
static void read_preamble(struct xray *x, struct xray_part *part)
{
	uint64_t at = part->offset, wall = 0;
	const uint8_t *p;
	size_t have;

	for (; at < part->end; at += METADATA) {
		p = window_look(&x->w, at, METADATA, &have);
		if (!p || have < METADATA || !is_metadata(x, p[0]))
			return;
		switch (kind_of(x, p[0])) {
		case FDR_NEW_BUFFER:
			part->tid = xray_u32(x, p + 1);
			break;
		case FDR_WALL:
			wall = xray_u64(x, p + 1) * 1000000000 + xray_u32(x, p + 9) * 1000ull;
			break;
		case FDR_PID:
			part->pid = xray_u32(x, p + 1);
			break;
		case FDR_TSC_WRAP:
			part->first = xray_u64(x, p + 1);
			break;
		case FDR_NEW_CPU:
			part->first = xray_u64(x, p + 3);
			if (wall && !x->wall) {
				x->wall = wall;
				x->wall_stamp = part->first;
			}
			return;
		default:
			return;
		}
	}
}

static int add_buffer(struct xray *x, uint64_t body, uint64_t end)
{
	struct xray_part part = { .offset = body, .end = end };

	if (end <= body)
		return 0;
	read_preamble(x, &part);
	return xray_add_part(x, &part);
}

/* Indexes buffers of one size. */
static int index_sized(struct xray *x)
{
	uint64_t at = XRAY_HEADER, size = x->buffer_size, end;
	const uint8_t *p;
	size_t have;
	int rc = 0;

	if (size < METADATA) {
		faults_report(&x->faults, 16, "buffers of %" PRIu64 " bytes: taken as one", size);
		size = x->w.size;
	}
	for (; !rc && at < x->w.size; at = end) {
		end = size < x->w.size - at ? at + size : x->w.size;
		if (size > x->w.size - at && x->buffer_size >= METADATA)
			faults_report(&x->faults, at,
				      "the log ends within a buffer of %" PRIu64 " bytes", size);
		p = window_look(&x->w, at, 1, &have);
		if (p && *p == first_byte(x, FDR_NEW_BUFFER))
			rc = add_buffer(x, at, end);
		else
			faults_report(&x->faults, at,
				      "no buffer begins here: %" PRIu64 " bytes passed over",
				      end - at);
	}
	return rc;
}

/* Indexes the buffer at `at`, which has its length; *next: where to search for the next one. */
static int index_extents(struct xray *x, uint64_t at, uint64_t claimed, uint64_t *next)
{
	uint64_t body = at + METADATA, end = body + claimed;

	*next = end;
	if (claimed <= x->w.size && end <= x->w.size && begins_at(x, end) &&
	    (claimed >= METADATA || end == x->w.size || !claimed)) {
		return add_buffer(x, body, end);
	}
	end = walk(x, body, claimed);
	if (end != body + claimed)
		faults_report(&x->faults, at,
			      "a buffer says that it has %" PRIu64 " bytes; it has %" PRIu64,
			      claimed, end - body);
	*next = end;
	return add_buffer(x, body, end);
}

/* ---- the version ----------------------------------------------------------------------------- */

/* Returns whether an event's first word is a time, as before version 5, or a difference to the last
 * one, which has 32 bits. Before the first record of a CPU it cannot be checked. */
static bool has_time(uint64_t time, uint64_t base)
{
	if (!base)
		return time > UINT32_MAX;
	return time >= base - base / 4 && time < base + FAR;
}

/* Returns the oldest version that has all of these records, which begin with a buffer's length. */
static uint16_t version_from(struct xray *x, uint64_t at)
{
	uint64_t end = at + LOOKED_THROUGH, base = 0;
	uint16_t version = 2;
	const uint8_t *p;
	struct step s;
	size_t have;

	for (; at < end && step_at(x, at, &s) && s.bytes; at += s.bytes) {
		p = window_look(&x->w, at, METADATA, &have);
		if (!p || have < METADATA || !is_metadata(x, p[0]))
			continue;
		switch (kind_of(x, p[0])) {
		case FDR_NEW_CPU:
			base = xray_u64(x, p + 3);
			break;
		case FDR_TSC_WRAP:
			base = xray_u64(x, p + 1);
			break;
		case FDR_PID:
			version = version < 3 ? 3 : version;
			break;
		case FDR_CUSTOM:
			if (has_time(xray_u64(x, p + 5), base))
				break;
			return 5;
		case FDR_TYPED:
			return 5;
		}
	}
	return version;
}

/* Returns whether the buffers have the size in the header, and none has its own length. */
static bool is_sized(struct xray *x)
{
	uint64_t at = XRAY_HEADER, size = x->buffer_size;
	const uint8_t *p;
	size_t have;

	if (size < METADATA || (x->w.size - at) % size)
		return false;
	for (; at < x->w.size; at += size) {
		p = window_look(&x->w, at, METADATA + 1, &have);
		if (!p || have <= METADATA || p[0] != first_byte(x, FDR_NEW_BUFFER) ||
		    p[METADATA] != first_byte(x, FDR_WALL))
			return false;
	}
	return x->w.size > XRAY_HEADER;
}

/* Corrects the header's version if the first buffer contradicts it. */
static void check_version(struct xray *x)
{
	uint16_t said = x->version;

	if (said < 2 && begins_at(x, XRAY_HEADER) && x->w.size > XRAY_HEADER)
		x->version = version_from(x, XRAY_HEADER);
	else if (said >= 2 && is_sized(x))
		x->version = 1;
	if (said != x->version)
		faults_report(&x->faults, 0,
			      "version %u has %s, as these do not: read as version %u", said,
			      said < 2 ? "buffers of one size" : "buffers that have their length",
			      x->version);
}

int xray_fdr_index(struct xray *x)
{
	uint64_t at = XRAY_HEADER, next;
	const uint8_t *p;
	size_t have;
	int rc = 0;

	check_version(x);
	if (x->version < 2)
		return index_sized(x);
	for (; !rc && at < x->w.size; at = next) {
		p = window_look(&x->w, at, METADATA, &have);
		if (p && have >= METADATA && p[0] == first_byte(x, FDR_EXTENTS)) {
			rc = index_extents(x, at, xray_u64(x, p + 1), &next);
		} else if (p && have >= METADATA && p[0] == first_byte(x, FDR_NEW_BUFFER)) {
			next = walk(x, at, 0);
			faults_report(&x->faults, at,
				      "a buffer does not say how long it is; it has %" PRIu64
				      " bytes",
				      next - at);
			rc = add_buffer(x, at, next);
		} else {
			next = search_from(x, at + 1);
			faults_report(&x->faults, at,
				      "no buffer begins here: %" PRIu64 " bytes passed over",
				      next - at);
		}
	}
	return rc;
}

/* ---- records --------------------------------------------------------------------------------- */

static int read_event(struct xray *x, struct xray_cursor *c, const uint8_t *p, bool typed)
{
	uint32_t size = xray_u32(x, p + 1), type = typed ? xray_u16(x, p + 9) : 0;
	uint64_t left = c->part->end - c->offset - METADATA;

	if (typed || x->version >= 5) {
		c->base += (uint64_t)(int64_t)(int32_t)xray_u32(x, p + 5);
	} else {
		c->base = xray_u64(x, p + 5);
		if (x->version == 4)
			c->cpu = xray_u16(x, p + 13);
	}
	if ((int32_t)size < 0 || size > left) {
		faults_report(&x->faults, c->offset,
			      "an event of %" PRId32 " bytes, where the buffer has %" PRIu64,
			      (int32_t)size, left);
		return 0;
	}
	p = xray_look(x, c, METADATA + (size_t)size);
	if (!p)
		return 0;
	c->used += METADATA + (size_t)size;
	return xray_put_event(c, typed, type, p + METADATA, size) ? -ENOMEM : 1;
}

/* Reads the arguments, which follow the entry. */
static void read_arguments(struct xray *x, struct xray_cursor *c)
{
	const uint8_t *p;
	uint32_t n = 0;

	while ((p = xray_look(x, c, 1)) && p[0] == first_byte(x, FDR_ARGUMENT)) {
		p = xray_look(x, c, METADATA);
		if (!p)
			break;
		if (n < CALL_ARGUMENTS)
			c->call.argument[n] = xray_u64(x, p + 1);
		n++;
		c->used += METADATA;
	}
	if (n > CALL_ARGUMENTS)
		faults_report(&x->faults, c->offset, "%u arguments: the first %u are kept", n,
			      CALL_ARGUMENTS);
	if (n)
		c->minor = CALL_ENTRY_ARGUMENTS;
	c->call.call.arguments = n < CALL_ARGUMENTS ? n : CALL_ARGUMENTS;
}

/* Returns 1: continue; 0: the buffer ends; 2: a record was read; -ENOMEM. */
static int read_metadata(struct xray *x, struct xray_cursor *c)
{
	const uint8_t *p = xray_look(x, c, METADATA);
	int rc;

	if (!p) {
		faults_report(&x->faults, c->offset, "the buffer ends within a record");
		return 0;
	}
	switch (kind_of(x, p[0])) {
	case FDR_END_OF_BUFFER:
		if (x->version < 2)
			return 0;
		faults_report(&x->faults, c->offset,
			      "an end of the buffer, which version %u does not have", x->version);
		break;
	case FDR_NEW_CPU:
		c->cpu = xray_u16(x, p + 1);
		c->base = xray_u64(x, p + 3);
		break;
	case FDR_TSC_WRAP:
		c->base = xray_u64(x, p + 1);
		break;
	case FDR_CUSTOM:
	case FDR_TYPED:
		rc = read_event(x, c, p, kind_of(x, p[0]) == FDR_TYPED);
		return rc == 1 ? 2 : rc;
	case FDR_NEW_BUFFER:
	case FDR_WALL:
	case FDR_PID:
		break;
	case FDR_ARGUMENT:
		faults_report(&x->faults, c->offset, "an argument without a function's entry");
		break;
	default:
		faults_report(&x->faults, c->offset, "a record of kind %u, which is not known",
			      kind_of(x, p[0]));
	}
	c->used += METADATA;
	return 1;
}

int xray_fdr_next(struct xray *x, struct xray_cursor *c)
{
	const uint8_t *p;
	uint32_t word, kind;
	int rc;

	for (;;) {
		p = xray_look(x, c, FUNCTION);
		c->offset = c->at + c->used;
		if (__builtin_expect(!p, 0)) {
			if (c->offset < c->part->end)
				faults_report(&x->faults, c->offset,
					      "the buffer ends within a record");
			return 0;
		}
		if (__builtin_expect(is_metadata(x, p[0]), 0)) {
			rc = read_metadata(x, c);
			if (rc != 1)
				return rc == 2 ? 1 : rc;
			continue;
		}
		word = xray_u32(x, p);
		c->base += xray_u32(x, p + 4);
		c->used += FUNCTION;
		kind = call_kind_of(x, word);
		if (__builtin_expect(kind >= CALL_KINDS, 0)) {
			faults_report(&x->faults, c->offset,
				      "a function record of kind %u, which is not known", kind);
			continue;
		}
		c->major = CALL_RECORD;
		c->minor = kind;
		c->call.call.function = function_of(x, word);
		c->call.call.arguments = 0;
		/* Old writers do not mark entries that have arguments. */
		if (c->minor == CALL_ENTRY || c->minor == CALL_ENTRY_ARGUMENTS)
			read_arguments(x, c);
		return 1;
	}
}
