/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf's records, built byte by byte in either byte order. */
#ifndef PERF_BUILT_H
#define PERF_BUILT_H

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "collect/perf/perf_decode.h"
#include "collect/perf/perf_records.h"
#include "unit.h"

#define ALL_IDS                                                                        \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define WHOLE_SAMPLE                                                                           \
	(ALL_IDS | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | \
	 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |                  \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR |              \
	 PERF_SAMPLE_PHYS_ADDR)

/* ---- building -------------------------------------------------------------------------------- */

struct builder {
	uint8_t data[4096];
	size_t n;
	bool swap;
	size_t counts[8], ncounts; /* where 64-bit counts stand */
};

static inline void u16(struct builder *b, uint16_t v)
{
	v = b->swap ? __builtin_bswap16(v) : v;
	memcpy(b->data + b->n, &v, sizeof(v));
	b->n += sizeof(v);
}

static inline void u32(struct builder *b, uint32_t v)
{
	v = b->swap ? __builtin_bswap32(v) : v;
	memcpy(b->data + b->n, &v, sizeof(v));
	b->n += sizeof(v);
}

static inline void u64(struct builder *b, uint64_t v)
{
	v = b->swap ? __builtin_bswap64(v) : v;
	memcpy(b->data + b->n, &v, sizeof(v));
	b->n += sizeof(v);
}

static inline void count(struct builder *b, uint64_t v)
{
	b->counts[b->ncounts++] = b->n;
	u64(b, v);
}

static inline void text(struct builder *b, const char *s)
{
	size_t room = (strlen(s) + 8) & ~(size_t)7;

	memset(b->data + b->n, 0, room);
	memcpy(b->data + b->n, s, strlen(s));
	b->n += room;
}

static inline struct builder begin(uint32_t type, uint16_t misc, bool swap)
{
	struct builder b = { .swap = swap };

	u32(&b, type);
	u16(&b, misc);
	u16(&b, 0);
	return b;
}

static inline void set_size(struct builder *b, size_t size)
{
	size_t n = b->n;

	b->n = 6;
	u16(b, (uint16_t)size);
	b->n = n;
}

static inline void sample_id(struct builder *b)
{
	u32(b, 11); /* TID */
	u32(b, 12);
	u64(b, 0x1122334455667788); /* TIME */
	u64(b, 77);                 /* ID */
	u64(b, 78);                 /* STREAM_ID */
	u32(b, 5);                  /* CPU */
	u32(b, 0);
	u64(b, 77); /* IDENTIFIER */
	set_size(b, b->n);
}

static const struct perf_shape shape_of_all __attribute__((unused)) = {
	.sample_type = WHOLE_SAMPLE,
	.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
		       PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	.regs_user = 7,
	.regs_intr = 5,
	.id_all = true,
	.build_id = true,
	.branch_type = PERF_SAMPLE_BRANCH_HW_INDEX | PERF_BRANCH_COUNTERS,
};

static inline struct builder build_sample(bool swap)
{
	struct builder b = begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, swap);

	u64(&b, 77);     /* IDENTIFIER */
	u64(&b, 0xABCD); /* IP */
	u32(&b, 11);
	u32(&b, 12);
	u64(&b, 0x1122334455667788); /* TIME */
	u64(&b, 1);                  /* ADDR */
	u64(&b, 77);                 /* ID */
	u64(&b, 78);                 /* STREAM_ID */
	u32(&b, 5);
	u32(&b, 0);
	u64(&b, 1003009); /* PERIOD */
	count(&b, 2);     /* READ: a group of two */
	u64(&b, 9);
	u64(&b, 9);
	for (int i = 0; i < 6; i++)
		u64(&b, 3);
	count(&b, 4); /* CALLCHAIN */
	u64(&b, (uint64_t)PERF_CONTEXT_KERNEL);
	u64(&b, 0xFFFFFFFF81000000);
	u64(&b, (uint64_t)PERF_CONTEXT_USER);
	u64(&b, 0xABCD);
	u32(&b, 12); /* RAW */
	for (int i = 0; i < 3; i++)
		u32(&b, 0x01020304);
	count(&b, 1); /* BRANCH_STACK */
	u64(&b, 0);
	for (int i = 0; i < 3; i++)
		u64(&b, 4);
	u64(&b, 0xB0B); /* counters of its branch */
	u64(&b, PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t i = 0; i < 3; i++)
		u64(&b, 100 + i);
	count(&b, 16); /* STACK_USER */
	u64(&b, 0x5151515151515151);
	u64(&b, 0x5252525252525252);
	u64(&b, 8); /* of which the kernel filled 8 */
	u64(&b, PERF_SAMPLE_REGS_ABI_32);
	u64(&b, 200);
	u64(&b, 201);
	u64(&b, 0x123456); /* PHYS_ADDR */
	set_size(&b, b.n);
	return b;
}

static inline struct builder build_map(bool swap, bool by_id)
{
	struct builder b = begin(PERF_RECORD_MMAP2, by_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0,
				 swap);

	u32(&b, 21);
	u32(&b, 22);
	u64(&b, 0x400000);
	u64(&b, 0x2000);
	u64(&b, 0x1000);
	if (by_id) {
		b.data[b.n] = 20;
		for (unsigned int i = 0; i < 20; i++)
			b.data[b.n + 4 + i] = (uint8_t)(i + 1);
		b.n += 24;
	} else {
		u32(&b, 8);
		u32(&b, 1);
		u64(&b, 4711);
		u64(&b, 42);
	}
	u32(&b, PROT_READ | PROT_EXEC);
	u32(&b, MAP_PRIVATE);
	text(&b, "/usr/bin/thing");
	sample_id(&b);
	return b;
}

static inline struct builder build_task(bool swap, uint32_t type)
{
	struct builder b = begin(type, 0, swap);

	u32(&b, 31);
	u32(&b, 30);
	u32(&b, 32);
	u32(&b, 30);
	u64(&b, 0x1122334455667788);
	sample_id(&b);
	return b;
}

static inline struct builder build_comm(bool swap, uint16_t misc)
{
	struct builder b = begin(PERF_RECORD_COMM, misc, swap);

	u32(&b, 21);
	u32(&b, 22);
	text(&b, "a name");
	sample_id(&b);
	return b;
}

static inline struct builder build_lost(bool swap)
{
	struct builder b = begin(PERF_RECORD_LOST, 0, swap);

	u64(&b, 77);
	u64(&b, 12345);
	sample_id(&b);
	return b;
}

static inline struct builder build_switch(bool swap, uint16_t misc)
{
	struct builder b = begin(PERF_RECORD_SWITCH_CPU_WIDE, misc, swap);

	u32(&b, 51);
	u32(&b, 52);
	sample_id(&b);
	return b;
}

static inline struct builder build_deferred(bool swap)
{
	struct builder b = begin(PERF_CALLCHAIN_DEFERRED, 0, swap);

	u64(&b, 0x7000000000001);
	count(&b, 2);
	u64(&b, (uint64_t)PERF_CONTEXT_USER);
	u64(&b, 0xABCD);
	sample_id(&b);
	return b;
}

#define KINDS 9
static inline struct builder build(unsigned int kind, bool swap)
{
	switch (kind) {
	case 0:
		return build_sample(swap);
	case 1:
		return build_map(swap, false);
	case 2:
		return build_map(swap, true);
	case 3:
		return build_task(swap, PERF_RECORD_FORK);
	case 4:
		return build_task(swap, PERF_RECORD_EXIT);
	case 5:
		return build_comm(swap, 0);
	case 6:
		return build_lost(swap);
	case 7:
		return build_switch(swap, PERF_RECORD_MISC_SWITCH_OUT);
	default:
		return build_deferred(swap);
	}
}

/* The record at the end of a buffer of just its size: a sanitizer sees each byte beyond it. */
static inline int decode(const struct builder *b, size_t size, struct perf_item *item,
			 uint8_t **copy)
{
	struct perf_shape shape = shape_of_all;
	const char *why = NULL;
	int rc;

	shape.swap = b->swap;
	*copy = malloc(size ? size : 1);
	memcpy(*copy, b->data, size);
	rc = perf_decode(&shape, *copy, size, item, &why);
	CU_ASSERT_EQUAL(rc != 0, why != NULL);
	return rc;
}

#endif
