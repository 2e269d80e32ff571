/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf.data files, built field by field: in either order of bytes, with the header of files or of
 * pipes, attributes of any size, packed or not. What stands in each is the same.
 */
#ifndef PERF_IMAGE_H
#define PERF_IMAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum perf_packing { PLAIN, PACKED, PACKED_2 };

struct perf_image {
	/* How: */
	bool swap;
	uint64_t header; /* 16, 72, 104 */
	uint64_t attr;   /* bytes of an attr */
	bool rounds;
	enum perf_packing packing;
	size_t chunk; /* records are packed so many bytes at a time */
	bool no_size; /* perf was killed: the length of the data is 0 */

	uint8_t *data;
	size_t n, room;
};

static inline void image_bytes(struct perf_image *m, const void *p, size_t n)
{
	while (m->n + n > m->room) {
		m->room = m->room ? m->room * 2 : 65536;
		m->data = realloc(m->data, m->room);
		if (!m->data)
			abort();
	}
	memcpy(m->data + m->n, p, n);
	m->n += n;
}

static inline void image_u16(struct perf_image *m, uint16_t v)
{
	v = m->swap ? __builtin_bswap16(v) : v;
	image_bytes(m, &v, sizeof(v));
}

static inline void image_u32(struct perf_image *m, uint32_t v)
{
	v = m->swap ? __builtin_bswap32(v) : v;
	image_bytes(m, &v, sizeof(v));
}

static inline void image_u64(struct perf_image *m, uint64_t v)
{
	v = m->swap ? __builtin_bswap64(v) : v;
	image_bytes(m, &v, sizeof(v));
}

static inline void image_text(struct perf_image *m, const char *text, size_t room)
{
	char zeros[256] = { 0 };

	strncpy(zeros, text, sizeof(zeros) - 1);
	image_bytes(m, zeros, room);
}

static inline size_t image_begin(struct perf_image *m, uint32_t type, uint16_t misc)
{
	size_t at = m->n;

	image_u32(m, type);
	image_u16(m, misc);
	image_u16(m, 0);
	return at;
}

static inline void image_end(struct perf_image *m, size_t at)
{
	uint16_t size = (uint16_t)(m->n - at);

	size = m->swap ? __builtin_bswap16(size) : size;
	memcpy(m->data + at + 6, &size, sizeof(size));
}

/* ---- records --------------------------------------------------------------------------------- */

#define IMAGE_TYPE                                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

static inline void image_id(struct perf_image *m, uint64_t time, uint32_t cpu, uint64_t id)
{
	image_u32(m, 7);
	image_u32(m, 8);
	image_u64(m, time);
	image_u32(m, cpu);
	image_u32(m, 0);
	image_u64(m, id);
}

static inline void image_sample(struct perf_image *m, uint64_t time, uint32_t cpu, uint64_t id,
				uint64_t address)
{
	size_t at = image_begin(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	image_u64(m, id);
	image_u64(m, address);
	image_u32(m, 7);
	image_u32(m, 8);
	image_u64(m, time);
	image_u32(m, cpu);
	image_u32(m, 0);
	image_u64(m, 1000);
	image_u64(m, 3);
	image_u64(m, PERF_CONTEXT_USER);
	image_u64(m, address);
	image_u64(m, address + 0x100);
	image_end(m, at);
}

static inline void image_comm(struct perf_image *m, uint64_t time, const char *name)
{
	size_t at = image_begin(m, PERF_RECORD_COMM, 0);

	image_u32(m, 7);
	image_u32(m, 8);
	image_text(m, name, 16);
	image_id(m, time, 0, time ? 41 : 0);
	image_end(m, at);
}

static inline void image_map(struct perf_image *m, uint64_t time, uint64_t start, const char *path)
{
	size_t at = image_begin(m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	image_u32(m, 7);
	image_u32(m, 7);
	image_u64(m, start);
	image_u64(m, 0x1000);
	image_u64(m, 0);
	image_u32(m, 8);
	image_u32(m, 1);
	image_u64(m, 4711);
	image_u64(m, 0);
	image_u32(m, 5);
	image_u32(m, 2);
	image_text(m, path, 32);
	image_id(m, time, 0, time ? 41 : 0);
	image_end(m, at);
}

static inline void image_lost(struct perf_image *m, uint64_t time, uint64_t lost)
{
	size_t at = image_begin(m, PERF_RECORD_LOST, 0);

	image_u64(m, 41);
	image_u64(m, lost);
	image_id(m, time, 1, 41);
	image_end(m, at);
}

static inline void image_empty(struct perf_image *m, uint32_t type)
{
	image_end(m, image_begin(m, type, 0));
}

/* The common content of all images between header and end: two rounds of two CPUs. */
#define IMAGE_SAMPLES 8
static inline void image_records(struct perf_image *m)
{
	image_comm(m, 0, "early");
	image_map(m, 0, 0x10000, "/nowhere/program");
	image_sample(m, 1000, 0, 41, 0x10010);
	image_sample(m, 3000, 0, 42, 0x10030);
	image_sample(m, 2000, 1, 51, 0x10020);
	image_sample(m, 5000, 1, 52, 0x10050);
	if (m->rounds)
		image_empty(m, 68); /* FINISHED_ROUND */
	image_sample(m, 4000, 0, 41, 0x10040);
	image_comm(m, 6000, "late");
	image_lost(m, 6500, 12);
	image_sample(m, 7000, 0, 41, 0x10070);
	image_sample(m, 4500, 1, 51, 0x10045);
	image_sample(m, 8000, 1, 52, 0x10080);
	if (m->rounds)
		image_empty(m, 68);
	image_empty(m, 200); /* nobody knows what this is */
}

/* The records of `from`, packed. The tables of the usual level, which are cleared for each image,
 * would be most of what a test does. */
static inline void image_pack(struct perf_image *m, const struct perf_image *from)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	size_t done = 0, head;

	if (ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_strategy, ZSTD_fast)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_hashLog, 10)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, 12)))
		abort();
	while (done < from->n) {
		size_t n = from->n - done < m->chunk ? from->n - done : m->chunk;
		ZSTD_inBuffer in = { from->data + done, n, 0 };
		uint8_t room[8192];
		ZSTD_outBuffer out = { room, sizeof(room), 0 };

		if (!z || ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush) || in.pos < n)
			abort();
		head = image_begin(m, m->packing == PACKED ? 81 : 83, 0);
		if (m->packing == PACKED_2)
			image_u64(m, out.pos);
		image_bytes(m, room, out.pos);
		while (m->packing == PACKED_2 && m->n % 8)
			image_bytes(m, "", 1);
		image_end(m, head);
		done += n;
	}
	ZSTD_freeCCtx(z);
}

/* ---- the file -------------------------------------------------------------------------------- */

static inline void image_attr(struct perf_image *m, uint64_t config)
{
	size_t at = m->n;
	/* disabled, mmap, comm, freq, sample_id_all */
	uint8_t flags[8] = { 1, 0x07, 0x04 }, i, k;

	image_u32(m, PERF_TYPE_SOFTWARE);
	image_u32(m, (uint32_t)m->attr);
	image_u64(m, config);
	image_u64(m, 1000);
	image_u64(m, IMAGE_TYPE);
	image_u64(m, PERF_FORMAT_ID);
	for (i = 0; m->swap && i < 8; i++) { /* the first bit of a byte is the other one */
		uint8_t turned = 0;

		for (k = 0; k < 8; k++)
			turned |= (uint8_t)((flags[i] >> k & 1) << (7 - k));
		flags[i] = turned;
	}
	image_bytes(m, flags, sizeof(flags));
	while (m->n - at < m->attr)
		image_bytes(m, "", 1);
}

static inline void image_ids(struct perf_image *m, unsigned int event)
{
	image_u64(m, 41 + event);
	image_u64(m, 51 + event);
}

static inline void image_feature_text(struct perf_image *m, const char *text)
{
	image_u32(m, 64);
	image_text(m, text, 64);
}

static inline void image_all_records(struct perf_image *m)
{
	struct perf_image plain = { .swap = m->swap, .rounds = m->rounds };

	if (m->packing == PLAIN) {
		image_records(m);
		return;
	}
	image_records(&plain);
	image_pack(m, &plain);
	free(plain.data);
}

static inline void image_pipe(struct perf_image *m)
{
	size_t at;

	for (unsigned int i = 0; i < 2; i++) {
		at = image_begin(m, 64, 0);
		image_attr(m, i);
		image_ids(m, i);
		image_end(m, at);
	}
	at = image_begin(m, 80, 0);
	image_u64(m, 4);
	image_feature_text(m, "6.1.0-test");
	image_end(m, at);
	at = image_begin(m, 66, 0); /* tracing data, of a length that is not a multiple of 8 */
	image_u32(m, 13);
	image_end(m, at);
	image_text(m, "tracing data", 16);
	image_all_records(m);
}

static inline void image_build(struct perf_image *m)
{
	uint64_t attrs = m->header + 32, data = attrs + 2 * (m->attr + 16);
	struct perf_image body = *m;

	m->data = NULL;
	m->n = m->room = 0;
	image_u64(m, 0x32454c4946524550); /* PERFILE2 */
	image_u64(m, m->header);
	if (m->header == 16) {
		image_pipe(m);
		return;
	}
	image_all_records(&body);
	image_u64(m, m->attr + 16);
	image_u64(m, attrs);
	image_u64(m, 2 * (m->attr + 16));
	image_u64(m, data);
	image_u64(m, m->no_size ? 0 : body.n);
	image_u64(m, 0);
	image_u64(m, 0);
	if (m->header == 104) {
		image_u64(m, 1u << 4 | 1u << 6 | 1u << 7);
		for (unsigned int i = 0; i < 3; i++)
			image_u64(m, 0);
	}
	for (unsigned int i = 0; i < 2; i++)
		image_ids(m, i);
	for (unsigned int i = 0; i < 2; i++) {
		image_attr(m, i);
		image_u64(m, m->header + 16 * i);
		image_u64(m, 16);
	}
	image_bytes(m, body.data, body.n);
	free(body.data);
	if (m->header == 104 && !m->no_size) {
		uint64_t at = m->n + 48;

		image_u64(m, at);
		image_u64(m, 68);
		image_u64(m, at + 68);
		image_u64(m, 68);
		image_u64(m, at + 136);
		image_u64(m, 8);
		image_feature_text(m, "6.1.0-test");
		image_feature_text(m, "x86_64");
		image_u32(m, 4);
		image_u32(m, 2);
	}
}

#endif
