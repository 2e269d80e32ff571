/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a trace into the model, in two passes: first the records that names need, because a name
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
	NEED_RUNS = 32,         /* of instructions: the report reads them, by read_runs */
	NEED_INSTRUCTIONS = 64, /* … they are counted in the tree of calls */
	NEED_SUMS = 128,        /* of samples: by stack, thread and CPU */
	NEED_PLACES = 256,      /* stacks have places, see profile.h */
	NEED_SLICES = 512,      /* of NEED_SUMS: when they were */
	NEED_CRITICAL = 1024,   /* of NEED_TIMES: why threads waited */
	NEED_LOCKS = 2048,      /* of NEED_TIMES: for which futexes */
};

/* The user's options that concern the model. */
struct read_options {
	const struct filter *filter;
	const struct names_options *names;
	const char *event; /* to take samples of; NULL: the first */
	bool kernel_map;   /* the kernel's symbols are there already */
	bool quiet;        /* no progress display */
};

/* 0, or -errno. */
int read_trace(struct input *in, struct trace *t, struct model *m, const struct read_options *o,
	       unsigned int needs);

/* The second pass of NEED_SAMPLES, NEED_STACKS again, for readers of single samples: profile.h. */
struct profile_reader;
int read_samples(struct input *in, struct model *m, const struct read_options *o,
		 const struct profile_reader *reader);

/* The second pass for calls: takes each call record; damage is skipped. 0, or -errno. */
struct functions;
int read_functions(struct input *in, struct trace *t, const struct read_options *o,
		   struct functions *f);

/* The same for the values of logs of calls, and for ticks beside them. */
struct method_sums;
int read_methods(struct input *in, struct trace *t, struct model *m, const struct read_options *o,
		 struct method_sums *sums);

/* The second pass of NEED_RUNS: calls `run` for each run; books: totals. A callback returns 0, or
 * -errno to stop. Returns 0, or -errno. */
struct runs_reader {
	int (*run)(void *arg, const struct run *run);
	/* Any record, before what it means for runs; or NULL. */
	int (*record)(void *arg, const struct pirecord *r);
	void *arg;
	struct calls *calls; /* instructions are counted there; or NULL */
	struct itrace books;
	uint64_t too_deep; /* see struct frames */
	/* Of the library itself, which programs called to switch their trace: left out. */
	uint64_t own_instructions, own_runs;
};
int read_runs(struct input *in, struct trace *t, struct model *m, const struct read_options *o,
	      struct runs_reader *reader);

#endif
