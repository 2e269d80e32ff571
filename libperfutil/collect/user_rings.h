/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rings of the collectors `timer` and `ptrace`: one MTE ring, and a trace ring for each CPU. */
#ifndef PITRACE_TIMER_OUT_H
#define PITRACE_TIMER_OUT_H

#include <stdbool.h>
#include "image/known_files.h"
#include "collect/backend.h"

struct timer_map {
	uint64_t start, end, offset, inode;
	uint32_t dev_major, dev_minor;
	uint32_t flags; /* PITRACE_MAP_* */
	char *path;
};

struct user_rings {
	struct segment_out mte;
	struct segment_out *trace;  /* of each CPU */
	struct pifile_stats *stats; /* likewise */
	uint32_t ncpus;
	struct known_files *files;
	/* The sink of full segments during a drain. */
	segment_sink sink;
	void *arg;
	int err; /* the first error: nothing is written after it */
	/* Work limit of a drain (ptrace: of 64 turns): data from the programs could make it
	 * endless. */
	uint64_t steps;
};

#define TIMER_STEPS (1u << 26) /* per drain: about 100 ms */

/* Charges work; false: the limit of this drain is exceeded. */
static inline bool user_rings_steps(struct user_rings *o, uint64_t n)
{
	bool ok = n <= o->steps;

	o->steps -= ok ? n : o->steps;
	return ok;
}

/* Dither in thousandths: samples are taken at a random time in their intervals. */
static inline uint32_t timer_dither(const struct trace_config *config)
{
	return config->dither ? 1000 : 0;
}

int user_rings_open(struct user_rings *o, size_t segment_bytes);
void user_rings_close(struct user_rings *o);
/* Hands over the open segments, MTE first. */
void user_rings_flush(struct user_rings *o);

void user_rings_sync(struct user_rings *o, enum pitrace_sync_why why, uint64_t stamp);
void user_rings_interval(struct user_rings *o, const struct trace_config *config, uint32_t rate,
			 uint64_t stamp);
void user_rings_task(struct user_rings *o, enum pitrace_mte_minor minor,
		     const struct pitrace_mte_task *task, uint64_t stamp);
/* Writes a mapping, preceded by its file's id: read from the file, or else the id that the process
 * reports (id, of `id_size` bytes; 0: none). */
void user_rings_map(struct user_rings *o, uint32_t pid, const struct timer_map *map, const void *id,
		    size_t id_size, uint64_t stamp);
void user_rings_unmap(struct user_rings *o, uint32_t pid, const struct timer_map *map,
		      uint64_t stamp);
/* Writes a sample with a stack of `bytes`: struct pitrace_stack and its data; 0: none. */
void user_rings_sample(struct user_rings *o, uint32_t cpu, const struct pitrace_sample *sample,
		       const void *stack, uint32_t bytes, uint64_t stamp);
/* Writes any other record of that CPU; its data are the two parts in sequence. */
void user_rings_trace(struct user_rings *o, uint32_t cpu, uint16_t major, uint32_t minor,
		      const void *data, size_t bytes, const void *more, size_t more_bytes,
		      uint64_t stamp);
void user_rings_lost(struct user_rings *o, uint32_t cpu, enum pitrace_lost kind, uint32_t count,
		     uint64_t stamp);

#endif
