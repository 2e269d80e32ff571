/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects records of a trace by process, thread, CPU and time. A filter wraps another input, so
 * readers of the trace need not know about it. Records that names depend on always pass, and so do
 * scheduling records: time is accounted for all threads, and reports show the selected ones
 * (filter_shows). A symbol is known only after a sample is resolved, so code that counts samples
 * checks it with filter_symbol.
 */
#ifndef POST_FILTER_H
#define POST_FILTER_H

#include "model/left_out.h"
#include "model/name_list.h"
#include "model/trace_names.h"
#include "record/input.h"

struct filter_range {
	uint64_t from, to; /* both are in it */
};

/* In order, apart from each other. */
struct filter_list {
	struct filter_range *range;
	uint32_t count, room; /* count 0: all pass */
};

struct filter {
	struct filter_list pid, tid, cpu;
	const char *comm, *symbol; /* patterns with commas between; NULL: all pass */
	struct name_list *comms, *symbols;
	uint64_t from, to; /* ns of the trace's clock; both are in it */
	bool timed;
};

/* Numbers and ranges: 4242,5000-5010; these as well as those before. 0, -EINVAL: it is none,
 * -ERANGE: a range ends before it begins, -EOVERFLOW: none is above UINT32_MAX, or -ENOMEM. */
int filter_numbers(const char *text, struct filter_list *list);
/* The text must live on. 0 or -ENOMEM. */
int filter_comm(const char *text, struct filter *f);
int filter_symbols(const char *text, struct filter *f);
/* FROM-TO in seconds, one of them may be missing. 0, -EINVAL or -ERANGE: as above. */
int filter_time(const char *text, struct filter *f);
/* Whether the filter selects by these. */
static inline bool filter_threads(const struct filter *f)
{
	return f->pid.count || f->tid.count || f->comm;
}
static inline bool filter_wanted(const struct filter *f)
{
	return filter_threads(f) || f->cpu.count || f->timed;
}

void filter_free(struct filter *f);

bool filter_shows(const struct filter *f, const struct names *n, uint32_t thread);
bool filter_symbol(const struct filter *f, const char *name, const char *raw);

/* Makes `in` give only what passes; `base` is the caller's and stays open below it. names: the
 * trace's, to filter threads by name. */
struct filtered {
	struct input *base;
	const struct filter *filter;
	struct names *names;
	struct left_out left;
	struct reader reader;
};
void filter_input(struct input *in, struct filtered *state);

#endif
