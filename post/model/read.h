/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a trace into the model, in two passes: first the records that affect names, because a name
 * may be recorded after its code ran; then the samples.
 */
#ifndef POST_READ_H
#define POST_READ_H

#include "model/filter.h"
#include "model/runs.h"
#include "model/trace_books.h"
#include "model/tree.h"
#include "record/input.h"

/* The parts of the model that the caller needs, beside names. */
enum {
	NEED_SAMPLES = 1,
	NEED_TIMES = 2,
	NEED_STACKS = 4,
	NEED_MARKS = 8,
	NEED_NAMES = 16,
	NEED_RUNS = 32,         /* of instructions: the report reads them with read_runs() */
	NEED_INSTRUCTIONS = 64, /* instructions, counted in the tree of calls */
	NEED_SUMS = 128,        /* of samples: by stack, thread and CPU */
	NEED_PLACES = 256,      /* stacks of places, see profile.h */
	NEED_SLICES = 512,      /* part of NEED_SUMS: times of samples */
	NEED_CRITICAL = 1024,   /* part of NEED_TIMES: why threads waited */
	NEED_LOCKS = 2048,      /* part of NEED_TIMES: waits for futexes */
};

/* The options that concern the model. */
struct read_options {
	const struct filter *filter;
	const struct names_options *names;
	const char *event; /* event of the samples; NULL: the first */
	bool kernel_map;   /* the kernel's symbols have been loaded */
	bool quiet;        /* no progress display */
};

/* Returns 0 or -errno. */
int read_trace(struct input *in, struct trace *t, struct model *m, const struct read_options *o,
	       unsigned int needs);

/* Repeats the second pass of NEED_SAMPLES and NEED_STACKS for readers of single samples:
 * profile.h. */
struct profile_reader;
int read_samples(struct input *in, struct model *m, const struct read_options *o,
		 const struct profile_reader *reader);

/* The second pass for calls: reads each call record; skips damage. Returns 0 or -errno. */
struct functions;
int read_functions(struct input *in, struct trace *t, const struct read_options *o,
		   struct functions *f);

/* The same for the values in call logs, and for ticks beside them. */
struct method_sums;
int read_methods(struct input *in, struct trace *t, struct model *m, const struct read_options *o,
		 struct method_sums *sums);

/* The second pass of NEED_RUNS: calls `run` for each run; books: totals. A callback returns 0, or
 * -errno to stop. Returns 0 or -errno. */
struct runs_reader {
	int (*run)(void *arg, const struct run *run);
	/* Called for any record before it takes effect on runs; or NULL. */
	int (*record)(void *arg, const struct pirecord *r);
	void *arg;
	struct calls *calls; /* counts the instructions; or NULL */
	struct itrace books;
	uint64_t too_deep; /* see struct frames */
	/* Runs of the library itself, which programs called to switch their trace: omitted. */
	uint64_t own_instructions, own_runs;
};
int read_runs(struct input *in, struct trace *t, struct model *m, const struct read_options *o,
	      struct runs_reader *reader);

#endif
