/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a class file: numbers are big-endian. An error is remembered, so that the caller needs to
 * check only once, at the end.
 */
#ifndef CLASS_OUT_H
#define CLASS_OUT_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"

struct class_out {
	uint8_t *data; /* from malloc; the owner frees it */
	size_t n, room;
	bool failed; /* no memory */
};

static inline void class_out_bytes(struct class_out *o, const void *data, size_t n)
{
	if (array_room(o->data, o->room, o->n + n))
		o->failed = true;
	if (o->failed || !n)
		return;
	memcpy(o->data + o->n, data, n);
	o->n += n;
}

static inline void class_out_u8(struct class_out *o, uint8_t v)
{
	class_out_bytes(o, &v, sizeof(v));
}

static inline void class_out_u16(struct class_out *o, uint16_t v)
{
	v = htobe16(v);
	class_out_bytes(o, &v, sizeof(v));
}

static inline void class_out_u32(struct class_out *o, uint32_t v)
{
	v = htobe32(v);
	class_out_bytes(o, &v, sizeof(v));
}

/* Overwrites a number whose value was not known when it was written. */
static inline void class_out_set16(struct class_out *o, size_t at, uint16_t v)
{
	v = htobe16(v);
	if (!o->failed)
		memcpy(o->data + at, &v, sizeof(v));
}

static inline void class_out_set32(struct class_out *o, size_t at, uint32_t v)
{
	v = htobe32(v);
	if (!o->failed)
		memcpy(o->data + at, &v, sizeof(v));
}

/* Read numbers without bounds checks: the caller has checked the size. */
static inline uint16_t class_u16(const uint8_t *p)
{
	return bytes_load16(p, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

static inline uint32_t class_u32(const uint8_t *p)
{
	return bytes_load32(p, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/* A cursor over a part of a class file. */
static inline struct bytes class_bytes(const void *base, size_t size)
{
	struct bytes b = bytes_of(base, size);

	b.swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	return b;
}

static inline void class_out_free(struct class_out *o)
{
	free(o->data);
	*o = (struct class_out){ 0 };
}

#endif
