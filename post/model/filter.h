/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects records of a trace by process, thread, CPU and time. A filter wraps another input, so
 * users of the trace need not know about it. Records that affect names always pass, and so do
 * scheduling records: time is accounted for all threads, and reports show the selected ones
 * (filter_shows). A symbol is known only after a sample is resolved, so code that counts samples
 * calls filter_symbol.
 */
#ifndef POST_FILTER_H
#define POST_FILTER_H

#include "model/left_out.h"
#include "model/name_list.h"
#include "model/trace_names.h"
#include "record/input.h"

struct filter_range {
	uint64_t from, to; /* inclusive */
};

/* Sorted and disjoint. */
struct filter_list {
	struct filter_range *range;
	uint32_t count, room; /* count 0: everything passes */
};

struct filter {
	struct filter_list pid, tid, cpu;
	/* patterns separated by commas; NULL: everything passes */
	const char *comm, *symbol, *cgroup;
	struct name_list *comms, *symbols, *cgroups;
	uint64_t from, to; /* ns, inclusive: of the trace's clock, or since tracing began */
	bool timed, relative;
};

/* Adds numbers and ranges, as 4242,5000-5010, to the list. Returns 0; -EINVAL: malformed; -ERANGE:
 * a range ends before it begins; -EOVERFLOW: a number exceeds UINT32_MAX; or -ENOMEM. */
int filter_numbers(const char *text, struct filter_list *list);
/* The text must outlive the filter. Returns 0 or -ENOMEM. */
int filter_comm(const char *text, struct filter *f);
int filter_symbols(const char *text, struct filter *f);
int filter_cgroups(const char *text, struct filter *f);
/* Parses FROM-TO in seconds; either one may be missing. Returns 0, -EINVAL or -ERANGE, as above. */
int filter_time(const char *text, struct filter *f);
/* Return whether the filter selects threads; whether it selects anything. */
static inline bool filter_threads(const struct filter *f)
{
	return f->pid.count || f->tid.count || f->comm || f->cgroup;
}
static inline bool filter_wanted(const struct filter *f)
{
	return filter_threads(f) || f->cpu.count || f->timed;
}

void filter_free(struct filter *f);

bool filter_shows(const struct filter *f, const struct names *n, uint32_t thread);
bool filter_symbol(const struct filter *f, const char *name, const char *raw);

/* Makes `in` return only the records of `base` that pass; the caller owns `base`, which must stay
 * open. names: the trace's, to filter threads by name. */
struct filtered {
	struct input *base;
	const struct filter *filter;
	struct names *names;
	uint64_t from, to; /* of the filter, on the trace's clock */
	struct left_out left;
	struct reader reader;
};
void filter_input(struct input *in, struct filtered *state);

#endif
