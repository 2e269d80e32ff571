/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heap dumps written for tests: what a VM writes, and each kind of record that it may write. */
#ifndef DUMP_WRITE_H
#define DUMP_WRITE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dump {
	uint8_t *data;
	size_t size, room;
	unsigned int id_size;
	size_t segment; /* where the length of the one that is open stands; 0: none */
};

static inline void put(struct dump *d, const void *p, size_t n)
{
	if (d->size + n > d->room) {
		d->room = (d->size + n) * 2;
		d->data = realloc(d->data, d->room);
		if (!d->data)
			abort();
	}
	if (n)
		memcpy(d->data + d->size, p, n);
	d->size += n;
}

static inline void put_number(struct dump *d, uint64_t v, unsigned int bytes)
{
	uint8_t b[8];

	for (unsigned int i = 0; i < bytes; i++)
		b[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
	put(d, b, bytes);
}

static inline void u1(struct dump *d, uint64_t v)
{
	put_number(d, v, 1);
}

static inline void u2(struct dump *d, uint64_t v)
{
	put_number(d, v, 2);
}

static inline void u4(struct dump *d, uint64_t v)
{
	put_number(d, v, 4);
}

static inline void id(struct dump *d, uint64_t v)
{
	put_number(d, v, d->id_size);
}

static inline void dump_head(struct dump *d, unsigned int id_size)
{
	static const char version[] = "JAVA PROFILE 1.0.2";

	*d = (struct dump){ .id_size = id_size };
	put(d, version, sizeof(version));
	u4(d, id_size);
	put_number(d, 1700000000000, 8);
}

static inline void record(struct dump *d, unsigned int tag, uint32_t length)
{
	u1(d, tag);
	u4(d, 0);
	u4(d, length);
}

static inline void dump_string(struct dump *d, uint64_t name, const char *text)
{
	record(d, 0x01, (uint32_t)strlen(text) + d->id_size);
	id(d, name);
	put(d, text, strlen(text));
}

static inline void dump_load(struct dump *d, uint32_t serial, uint64_t class, uint64_t name)
{
	record(d, 0x02, 8 + 2 * d->id_size);
	u4(d, serial);
	id(d, class);
	u4(d, 0);
	id(d, name);
}

static inline void segment_end(struct dump *d)
{
	size_t end = d->size;

	if (!d->segment)
		return;
	d->size = d->segment;
	u4(d, end - d->segment - 4);
	d->size = end;
	d->segment = 0;
}

static inline void segment_begin(struct dump *d, unsigned int tag)
{
	segment_end(d);
	record(d, tag, 0);
	d->segment = d->size - 4;
}

/* The records that say nothing of the heap. */
static inline void dump_others(struct dump *d)
{
	record(d, 0x03, 4); /* unload class */
	u4(d, 77);
	record(d, 0x04, 8 + 4 * d->id_size); /* frame */
	for (int i = 0; i < 4; i++)
		id(d, (uint64_t)i);
	u4(d, 1);
	u4(d, 10);
	record(d, 0x05, 12 + d->id_size); /* stack */
	u4(d, 1);
	u4(d, 1);
	u4(d, 1);
	id(d, 0);
	record(d, 0x06, 34 + 25); /* places of allocation */
	u2(d, 0);
	for (int i = 0; i < 7; i++)
		u4(d, 0);
	u4(d, 1);
	for (int i = 0; i < 25; i++)
		u1(d, 0);
	record(d, 0x07, 24); /* summary */
	for (int i = 0; i < 6; i++)
		u4(d, 1);
	record(d, 0x0a, 8 + 4 * d->id_size); /* thread begins */
	u4(d, 1);
	id(d, 0);
	u4(d, 1);
	for (int i = 0; i < 3; i++)
		id(d, 0);
	record(d, 0x0b, 4); /* … and ends */
	u4(d, 1);
	record(d, 0x0d, 8 + 8); /* samples of the CPU */
	u4(d, 1);
	u4(d, 1);
	u4(d, 1);
	u4(d, 1);
	record(d, 0x0e, 6); /* settings */
	u4(d, 0);
	u2(d, 8);
}

/* A root of each kind, by turns. */
static inline void dump_root(struct dump *d, unsigned int turn, uint64_t object)
{
	static const struct {
		uint8_t tag, rest; /* rest 99: an id */
	} kinds[] = { { 0xff, 0 }, { 0x01, 99 }, { 0x02, 8 }, { 0x03, 8 }, { 0x04, 4 },
		      { 0x05, 0 }, { 0x06, 4 },  { 0x07, 0 }, { 0x08, 8 }, { 0x89, 0 },
		      { 0x8a, 0 }, { 0x8b, 0 },  { 0x8c, 0 }, { 0x8d, 0 }, { 0x8e, 8 } };
	unsigned int kind = turn % (sizeof(kinds) / sizeof(*kinds));

	u1(d, kinds[kind].tag);
	id(d, object);
	if (kinds[kind].rest == 99)
		id(d, 0x99);
	else
		for (int i = 0; i < kinds[kind].rest; i++)
			u1(d, 0);
}

/* Writes a class with so many reference fields and an int among them; statics are references. */
static inline void dump_class(struct dump *d, uint64_t class, uint64_t super, uint64_t loader,
			      unsigned int refs, const uint64_t *statics, unsigned int static_count,
			      uint64_t name)
{
	u1(d, 0x20);
	id(d, class);
	u4(d, 0);
	id(d, super);
	id(d, loader);
	for (int i = 0; i < 4; i++)
		id(d, 0);
	u4(d, 16);
	u2(d, 1); /* the constant pool */
	u2(d, 3);
	u1(d, 10);
	u4(d, 42);
	u2(d, static_count + 1);
	id(d, name);
	u1(d, 11);
	put_number(d, 5, 8);
	for (unsigned int i = 0; i < static_count; i++) {
		id(d, name);
		u1(d, 2);
		id(d, statics[i]);
	}
	u2(d, refs + 1);
	id(d, name);
	u1(d, 10);
	for (unsigned int i = 0; i < refs; i++) {
		id(d, name);
		u1(d, 2);
	}
}

#endif
