/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records that the collectors `timer` and `ptrace` make: one MTE ring, a trace ring for each
 * CPU. */
#ifndef PITRACE_TIMER_OUT_H
#define PITRACE_TIMER_OUT_H

#include <stdbool.h>
#include "image/known_files.h"
#include "collect/backend.h"

struct timer_map {
	uint64_t start, end, offset, inode;
	uint32_t dev_major, dev_minor;
	uint32_t flags;			/* PITRACE_MAP_* */
	char *path;
};

struct user_rings {
	struct segment_out mte;
	struct segment_out *trace;	/* of each CPU */
	struct pifile_stats *stats;	/* likewise */
	uint32_t ncpus;
	struct known_files *files;
	/* Where full segments go, during a drain. */
	segment_sink sink;
	void *arg;
	int err;			/* the first: nothing is written after it */
	/* What a drain (ptrace: 64 turns) may still take to look things up: what the programs tell
	 * would make it endless. */
	uint64_t steps;
};

#define TIMER_STEPS	(1u << 26)	/* a drain: some 100 ms */

/* So many more: false: that is too much for this drain. */
static inline bool user_rings_steps(struct user_rings *o, uint64_t n)
{
	bool ok = n <= o->steps;

	o->steps -= ok ? n : o->steps;
	return ok;
}

/* Thousandths: samples lie anywhere in their intervals. */
static inline uint32_t timer_dither(const struct trace_config *config)
{
	return config->dither ? 1000 : 0;
}

int user_rings_open(struct user_rings *o, size_t segment_bytes);
void user_rings_close(struct user_rings *o);
/* Hand over what is open, MTE first. */
void user_rings_flush(struct user_rings *o);

void user_rings_sync(struct user_rings *o, enum pitrace_sync_why why, uint64_t stamp);
void user_rings_interval(struct user_rings *o, const struct trace_config *config, uint32_t rate,
			uint64_t stamp);
void user_rings_task(struct user_rings *o, enum pitrace_mte_minor minor,
		    const struct pitrace_mte_task *task, uint64_t stamp);
/* What is known of its file goes before it: what a look at it tells, else the process (id, of
 * `id_size` bytes; 0: it told nothing). */
void user_rings_map(struct user_rings *o, uint32_t pid, const struct timer_map *map, const void *id,
		   size_t id_size, uint64_t stamp);
void user_rings_unmap(struct user_rings *o, uint32_t pid, const struct timer_map *map,
		     uint64_t stamp);
/* With a stack of `bytes` behind it: struct pitrace_stack and what belongs to it; 0: none. */
void user_rings_sample(struct user_rings *o, uint32_t cpu, const struct pitrace_sample *sample,
		      const void *stack, uint32_t bytes, uint64_t stamp);
/* Any other record of that CPU's: one part of its data after the other. */
void user_rings_trace(struct user_rings *o, uint32_t cpu, uint16_t major, uint32_t minor,
		     const void *data, size_t bytes, const void *more, size_t more_bytes,
		     uint64_t stamp);
void user_rings_lost(struct user_rings *o, uint32_t cpu, enum pitrace_lost kind, uint32_t count,
		    uint64_t stamp);

#endif
