/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The aggregation of samples: ticks by thread, symbol and, if requested, offset and CPU. Every
 * report is a grouping of these rows (tree.h).
 */
#ifndef POST_COUNTS_H
#define POST_COUNTS_H

#include "model/trace_names.h"

struct row {
	uint32_t thread, symbol;
	uint32_t cpu;    /* 0 unless counted by CPU */
	uint64_t offset; /* 0 unless counted by offset */
	uint64_t ticks;
	uint64_t unsure; /* ticks named while records were lost */
};

/* Samples wait here until a whole batch can be prefetched at once. */
#define COUNTS_BATCH 64
struct counts_pending {
	struct row key;
	uint64_t hash;
};

struct counts {
	struct row *row;
	uint32_t nrow, room;
	struct keys by_key;
	bool by_cpu, by_offset;
	bool unnamed_only; /* offsets only where no symbol was found */
	struct counts_pending pending[COUNTS_BATCH];
	uint32_t npending;

	/* Set at the end: ticks without a name by enum a2n_result, and unsure ticks. */
	uint64_t bucket[A2N_RESULT_JIT_AMBIGUOUS + 1];
	uint64_t unsure;
};

int counts_add(struct counts *c, const struct sample_place *place, uint32_t cpu, uint64_t ticks);
/* Call after the last sample: adds all pending ones to rows. */
int counts_flush(struct counts *c);
/* Replaces addresses by the symbols that reports show (source_lines.h). Call after
 * lines_finish(). */
void counts_show(struct counts *c, const struct names *n);
/* The same for samples; also sets the buckets and each module's ticks. Returns 0 or -ENOMEM. */
int counts_finish(struct counts *c, struct names *n);
void counts_free(struct counts *c);

#endif
