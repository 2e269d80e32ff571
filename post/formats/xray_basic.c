/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * XRay's basic logs: records of 32 bytes, in the byte order of the machine that wrote them. Each
 * thread writes a stretch at a time, so a log is cut into parts wherever its time goes back.
 */
#include "formats/xray.h"

#include <inttypes.h>
#include <string.h>

#define RECORD 32

enum basic_type { BASIC_FUNCTION = 0, BASIC_ARGUMENT = 1 };

static uint16_t get16(const struct xray *x, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return x->swap ? __builtin_bswap16(v) : v;
}

static uint32_t get32(const struct xray *x, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return x->swap ? __builtin_bswap32(v) : v;
}

static uint64_t get64(const struct xray *x, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return x->swap ? __builtin_bswap64(v) : v;
}

/* Threads are told to the index as parts of no length; a real one goes on as long as time does. */
int xray_basic_index(struct xray *x)
{
	struct xray_part part = { .offset = XRAY_HEADER }, who;
	uint64_t at, stamp, last = 0;
	uint32_t pid = 0, tid = 0;
	bool any = false;
	const uint8_t *p;
	size_t have;
	int rc = 0;

	for (at = XRAY_HEADER; !rc && (p = window_look(&x->w, at, RECORD, &have)) && have >= RECORD;
	     at += RECORD) {
		if (get16(x, p) != BASIC_FUNCTION)
			continue;
		stamp = get64(x, p + 8);
		if (any && stamp < last) {
			part.end = at;
			rc = xray_add_part(x, &part);
			part.offset = at;
		}
		if (!any || stamp < last)
			part.first = stamp;
		last = stamp;
		if (!any || tid != get32(x, p + 16) || pid != get32(x, p + 20)) {
			tid = get32(x, p + 16);
			pid = get32(x, p + 20);
			who = (struct xray_part){ .tid = tid, .pid = pid };
			if (!rc)
				rc = xray_add_part(x, &who);
		}
		any = true;
	}
	part.end = x->w.size;
	return rc || part.end == part.offset ? rc : xray_add_part(x, &part);
}

/* Arguments stand behind the entry, with its thread and function. */
static void read_arguments(struct xray *x, struct xray_cursor *c, const uint8_t *entry)
{
	uint32_t n = 0, function = get32(x, entry + 4), tid = get32(x, entry + 16);
	const uint8_t *p;

	while ((p = xray_look(x, c, RECORD)) && get16(x, p) == BASIC_ARGUMENT &&
	       get32(x, p + 4) == function && get32(x, p + 8) == tid) {
		if (n < CALL_ARGUMENTS)
			c->call.argument[n] = get64(x, p + 16);
		n++;
		c->used += RECORD;
	}
	c->call.call.arguments = n < CALL_ARGUMENTS ? n : CALL_ARGUMENTS;
}

int xray_basic_next(struct xray *x, struct xray_cursor *c)
{
	uint8_t record[RECORD];
	const uint8_t *p;
	uint16_t type;

	for (;;) {
		p = xray_look(x, c, RECORD);
		c->offset = c->at + c->used;
		if (!p) {
			if (c->offset < c->part->end)
				faults_tell(&x->faults, c->offset, "the log ends within a record");
			return 0;
		}
		memcpy(record, p, RECORD);
		c->used += RECORD;
		type = get16(x, record);
		if (type == BASIC_FUNCTION && record[3] < CALL_KINDS)
			break;
		if (type == BASIC_FUNCTION)
			faults_tell(&x->faults, c->offset, "a function record of kind %u, which is not known",
				    record[3]);
		else if (type == BASIC_ARGUMENT)
			faults_tell(&x->faults, c->offset, "an argument without its function's entry");
		else
			faults_tell(&x->faults, c->offset, "a record of type %u, which is not known", type);
	}
	c->base = get64(x, record + 8);
	c->cpu = record[2];
	c->major = CALL_RECORD;
	c->minor = record[3];
	c->call.call.function = get32(x, record + 4);
	c->call.call.tid = get32(x, record + 16);
	c->call.call.pid = get32(x, record + 20);
	c->call.call.arguments = 0;
	if (c->minor == CALL_ENTRY_ARGUMENTS)
		read_arguments(x, c, record);
	return 1;
}
