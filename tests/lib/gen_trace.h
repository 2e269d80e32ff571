/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes traces of a machine that never was: rings as the driver fills them, written through
 * pifile's writer. The same options give the same bytes.
 */
#ifndef GEN_TRACE_H
#define GEN_TRACE_H

#include <pifile.h>

/* ---- a ring: records in, segments out -------------------------------------------------------- */

struct gen_ring {
	struct pifile_writer *w;
	uint8_t *segment;
	uint32_t size; /* of the segment */
	uint32_t at;   /* where the next record goes; 0: no segment is open */
	uint32_t cpu, ring, session;
	uint64_t sequence;
	uint64_t last; /* stamp */
	uint64_t lost;
	uint64_t interval;
	uint64_t records; /* written, but HIGH and PAD */
	int error;        /* first of the writer's */
};

int gen_ring_open(struct gen_ring *r, struct pifile_writer *w, uint32_t cpu, uint32_t ring,
		  uint32_t segment_bytes);
/* Returns the place for `size` bytes of a record's data (rounded up to 4). */
void *gen_record(struct gen_ring *r, uint16_t major, uint32_t minor, uint16_t type, uint32_t size,
		 uint64_t stamp);
/* Close the open segment and write it. */
int gen_ring_flush(struct gen_ring *r);
/* The same into memory: the padded segment; its size. The next record opens a new one. */
const void *gen_ring_segment(struct gen_ring *r);
void gen_ring_close(struct gen_ring *r);

/* ---- a whole trace --------------------------------------------------------------------------- */

struct gen_options {
	uint32_t cpus;
	uint32_t processes; /* alive all the time */
	uint32_t threads;   /* of each */
	uint64_t samples;   /* about; of all CPUs */
	uint64_t events;    /* dispatches, wake-ups, interrupts, system calls: without
					   samples, which know nothing of these */
	uint32_t rate;      /* ticks a second and CPU */
	uint32_t churn;     /* a process comes or goes every so many ticks; 0: none */
	uint32_t lost;      /* one loss every so many ticks; 0: none */
	uint32_t clock;     /* enum pitrace_clock */
	uint64_t clock_hz;
	uint64_t start; /* first stamp */
	uint64_t seed;
	uint32_t segment_bytes;
	int level;       /* of zstd */
	uint32_t bulk;   /* kallsyms lines */
	uint32_t stacks; /* so many different ones, a sample has one; 0: none */
	uint32_t depth;  /* of each */
};
extern const struct gen_options gen_defaults;

/* The events, in rings that are open, from this stamp on; returns the last one's. */
uint64_t gen_events(struct gen_ring *trace, const struct gen_options *o, uint64_t start);

struct gen_result {
	uint64_t records;
	uint64_t bytes;
};

/* 0 or -errno. */
int gen_trace(const char *path, const struct gen_options *o, struct gen_result *result);

#endif
