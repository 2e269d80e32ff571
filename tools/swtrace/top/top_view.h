/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects which rows of the model are shown, and in which order. */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include "top_model.h"

enum top_by { TOP_BY_FUNCTION, TOP_BY_THREAD, TOP_BY_PROCESS, TOP_BY_CGROUP, TOP_BY_CALLER };
/* TOP_METRIC + i: the i-th of PTT. */
enum top_order { TOP_TICKS, TOP_UNDER, TOP_OFF, TOP_NAME, TOP_PID, TOP_METRIC };

#define TOP_FILTER 128
#define TOP_DEPTH  32 /* levels of callers of callers */

struct top_metrics {
	int n;
	char name[PTT_METRICS][64];
};

struct top_place {
	uint64_t key; /* of the function's calls in the call table */
	char name[TOP_NAME_BYTES + 1];
};

struct top_view {
	enum top_by by;
	enum top_span span;
	unsigned int order;      /* enum top_order, or TOP_METRIC + i */
	char filter[TOP_FILTER]; /* "": all rows; * is any text, ? any character */
	bool stacks, off, frozen;
	const struct top_metrics *metrics;
	enum top_by back;                  /* BY_CALLER: the view to return to */
	unsigned int depth;                /* … and the number of places */
	struct top_place place[TOP_DEPTH]; /* the last: its callers are shown */
	char sampler[192];                 /* what samples, by which collector */
	uint32_t wrong;                    /* faults of the trace file so far */
};

/* Sorted rows. `rest` counts all that is not in them: rows beyond the limit, rows that the filter
 * excludes, and counts without a row. */
struct top_list {
	const struct top_row **row;
	uint32_t n, room;
	uint64_t rest_rows;
	struct top_count rest;
	uint64_t of; /* ticks that are 100 % */
};

/* Makes a list of at most `most` rows. Returns 0 or -ENOMEM. */
int top_list_make(struct top_list *l, const struct top_view *v, const struct top_model *m,
		  uint32_t most);
void top_list_free(struct top_list *l);
/* Return names of views, and of sort orders; NULL beyond the last one. */
const char *top_by_name(unsigned int by);
const char *top_order_name(const struct top_view *v, unsigned int order);
/* Returns the next sort order that the view has a column for. */
unsigned int top_order_next(const struct top_view *v, unsigned int order);
bool top_order_fits(const struct top_view *v, unsigned int order);
/* Shows the callers of a function, a row of the shown list. Returns false if that is impossible. */
bool top_view_enter(struct top_view *v, const struct top_row *row);
void top_view_leave(struct top_view *v);

#endif
