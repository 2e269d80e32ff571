/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State of an XRay log while it is read: the parts of a log (FDR: buffers of threads; basic:
 * stretches of records in time order; xray_parts.c), reading of records (xray_fdr.c, xray_basic.c),
 * addresses of functions (xray_map.c); xray.c merges the parts by time.
 */
#ifndef POST_XRAY_STATE_H
#define POST_XRAY_STATE_H

#include "base/cursor.h"
#include "input/faults.h"
#include "input/window.h"
#include "record/call_record.h"
#include "record/input.h"
#include "base/keys.h"

#define XRAY_HEADER 32

struct xray_part {
	uint64_t offset, end; /* of its records */
	uint64_t first;       /* stamp */
	uint32_t pid, tid;
};

/* Reading position in a part. */
struct xray_cursor {
	const struct xray_part *part;
	uint32_t number; /* index of the part */
	uint8_t *room;   /* bytes of the part from `at` on */
	size_t bytes, have, used;
	uint64_t at;    /* file offset of the room's first byte */
	uint64_t base;  /* stamp of the last record */
	uint64_t stamp; /* never decreases: the key for merging */
	uint32_t cpu;
	bool given; /* the record was returned to the caller */
	/* The current record: */
	uint64_t offset;
	uint16_t major;
	uint32_t minor;
	struct {
		struct call_record call;
		uint64_t argument[CALL_ARGUMENTS];
	} __attribute__((packed, aligned(4))) call;
	uint8_t *event; /* struct pitrace_user, integers, lengths, text */
	size_t event_size, event_room;
};

struct xray_map {
	uint64_t *address; /* by function number - 1 */
	uint32_t count;
	struct pitrace_mte_map **segment; /* executable segments of the program */
	uint32_t nsegment;
};

struct xray {
	struct window w;
	struct fault_list faults;
	uint16_t version;
	bool basic, big, swap; /* big: of a big-endian machine */
	uint64_t frequency, buffer_size;
	uint64_t wall, wall_stamp; /* ns, and the stamp at that time; 0, 0: unknown */
	struct xray_part *part;
	uint32_t nparts, room_parts;
	struct xray_map map;
	/* Threads of the log: */
	struct xray_thread {
		uint32_t pid, tid;
	} * thread;
	uint32_t nthreads, room_threads;
	struct keys by_thread;
	uint64_t begin;  /* stamp of the first part */
	uint32_t nobody; /* pid for threads without a known process */
	char program[16];

	/* State of a pass: */
	unsigned int what;
	uint32_t given, step; /* threads already named; step within the next one */
	uint32_t opened;      /* number of parts opened */
	struct xray_cursor **heap, *spare;
	uint32_t nheap, room_heap;
	uint64_t limit; /* up to this stamp the first cursor of the heap has the next record */
	uint64_t last;  /* time of the last record */
	uint64_t done;
	struct pitrace_mte_task task;
};

static inline uint16_t xray_u16(const struct xray *x, const void *at)
{
	return bytes_load16(at, x->swap);
}

static inline uint32_t xray_u32(const struct xray *x, const void *at)
{
	return bytes_load32(at, x->swap);
}

static inline uint64_t xray_u64(const struct xray *x, const void *at)
{
	return bytes_load64(at, x->swap);
}

#endif
