/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * XRay's basic logs: records of 32 bytes, in the byte order of the machine that wrote them. Each
 * thread writes several records at a time, so a log is cut into parts wherever its time goes back.
 */
#include "input/xray/xray_basic.h"

#include <inttypes.h>
#include <string.h>

#include "input/xray/xray_parts.h"

#define RECORD 32

enum basic_type { BASIC_FUNCTION = 0, BASIC_ARGUMENT = 1 };

/* The index lists threads as parts of no length; a real part may extend to the end of the log. */
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
		if (xray_u16(x, p) != BASIC_FUNCTION)
			continue;
		stamp = xray_u64(x, p + 8);
		if (any && stamp < last) {
			part.end = at;
			rc = xray_add_part(x, &part);
			part.offset = at;
		}
		if (!any || stamp < last)
			part.first = stamp;
		last = stamp;
		if (!any || tid != xray_u32(x, p + 16) || pid != xray_u32(x, p + 20)) {
			tid = xray_u32(x, p + 16);
			pid = xray_u32(x, p + 20);
			who = (struct xray_part){ .tid = tid, .pid = pid };
			if (!rc)
				rc = xray_add_part(x, &who);
		}
		any = true;
	}
	part.end = x->w.size;
	return rc || part.end == part.offset ? rc : xray_add_part(x, &part);
}

/* Reads the arguments, which follow the entry with its thread and function. */
static void read_arguments(struct xray *x, struct xray_cursor *c, const uint8_t *entry)
{
	uint32_t n = 0, function = xray_u32(x, entry + 4), tid = xray_u32(x, entry + 16);
	const uint8_t *p;

	while ((p = xray_look(x, c, RECORD)) && xray_u16(x, p) == BASIC_ARGUMENT &&
	       xray_u32(x, p + 4) == function && xray_u32(x, p + 8) == tid) {
		if (n < CALL_ARGUMENTS)
			c->call.argument[n] = xray_u64(x, p + 16);
		n++;
		c->used += RECORD;
	}
	if (n > CALL_ARGUMENTS)
		faults_report(&x->faults, c->offset, "%u arguments: the first %u are kept", n,
			      CALL_ARGUMENTS);
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
				faults_report(&x->faults, c->offset,
					      "the log ends within a record");
			return 0;
		}
		memcpy(record, p, RECORD);
		c->used += RECORD;
		type = xray_u16(x, record);
		if (type == BASIC_FUNCTION && record[3] < CALL_KINDS)
			break;
		if (type == BASIC_FUNCTION)
			faults_report(&x->faults, c->offset,
				      "a function record of kind %u, which is not known",
				      record[3]);
		else if (type == BASIC_ARGUMENT)
			faults_report(&x->faults, c->offset,
				      "an argument without its function's entry");
		else
			faults_report(&x->faults, c->offset,
				      "a record of type %u, which is not known", type);
	}
	c->base = xray_u64(x, record + 8);
	c->cpu = record[2];
	c->major = CALL_RECORD;
	c->minor = record[3];
	c->call.call.function = xray_u32(x, record + 4);
	c->call.call.tid = xray_u32(x, record + 16);
	c->call.call.pid = xray_u32(x, record + 20);
	c->call.call.arguments = 0;
	if (c->minor == CALL_ENTRY_ARGUMENTS)
		read_arguments(x, c, record);
	return 1;
}
