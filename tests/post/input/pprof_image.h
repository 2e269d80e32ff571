/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pprof profiles, built field by field. */
#ifndef PPROF_IMAGE_H
#define PPROF_IMAGE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "format/pprof_fields.h"

struct message {
	uint8_t *data;
	size_t n, room;
};

static inline void put(struct message *m, const void *data, size_t n)
{
	if (m->n + n > m->room) {
		m->room = 2 * (m->n + n);
		m->data = realloc(m->data, m->room);
		if (!m->data)
			abort();
	}
	if (n)
		memcpy(m->data + m->n, data, n);
	m->n += n;
}

static inline void varint(struct message *m, uint64_t v)
{
	do {
		uint8_t byte = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));

		put(m, &byte, 1);
		v >>= 7;
	} while (v);
}

static inline void number(struct message *m, uint32_t field, uint64_t v)
{
	varint(m, field << 3);
	varint(m, v);
}

static inline void bytes(struct message *m, uint32_t field, const void *data, size_t n)
{
	varint(m, field << 3 | 2);
	varint(m, n);
	put(m, data, n);
}

/* The inner message is over. */
static inline void inner(struct message *m, uint32_t field, struct message *of)
{
	bytes(m, field, of->data, of->n);
	free(of->data);
	*of = (struct message){ 0 };
}

/* A message of numbers: fields 1, 2 and so on; 0: not there. */
#define numbers(m, field, ...)                                   \
	put_numbers(m, field, (const uint64_t[]){ __VA_ARGS__ }, \
		    sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
static inline void put_numbers(struct message *m, uint32_t field, const uint64_t *list, size_t n)
{
	struct message of = { 0 };

	for (size_t i = 0; i < n; i++)
		if (list[i])
			number(&of, (uint32_t)i + 1, list[i]);
	inner(m, field, &of);
}

static inline void strings(struct message *m, const char *const *list)
{
	for (; *list; list++)
		bytes(m, PROFILE_STRING, *list, strlen(*list));
}

/* A sample of some locations, two values and a label whose text or number is given. */
static inline void sample(struct message *m, const uint64_t *locations, size_t n, uint64_t ticks,
			  uint64_t counted, uint64_t key, uint64_t words, uint64_t label)
{
	struct message of = { 0 }, packed = { 0 };

	for (size_t i = 0; i < n; i++)
		varint(&packed, locations[i]);
	inner(&of, SAMPLE_LOCATION, &packed);
	number(&of, SAMPLE_VALUE, ticks);
	number(&of, SAMPLE_VALUE, counted);
	if (key)
		numbers(&of, SAMPLE_LABEL, key, words, label);
	inner(m, PROFILE_SAMPLE, &of);
}

static inline struct message packed(const struct message *m)
{
	struct message of = { .room = m->n + 1000 };
	z_stream z = { .next_in = m->data, .avail_in = (unsigned int)m->n };

	of.data = malloc(of.room);
	if (!of.data || deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	z.next_out = of.data;
	z.avail_out = (unsigned int)of.room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	of.n = of.room - z.avail_out;
	deflateEnd(&z);
	return of;
}

#endif
