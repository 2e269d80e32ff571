/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by all reports of call stacks. */
#ifndef POST_CALLS_REPORT_H
#define POST_CALLS_REPORT_H

#include "json.h"
#include "record/whole_stacks.h"
#include "report/report.h"
#include "report/table.h"

/* Checks that the tree's sums equal the trace's. Returns 0 or REPORT_WRONG. */
int calls_checked(const struct job *job, const char *what);
/* Title, trace, event, and statistics of stacks: how many there are, how many ended early, and
 * why. */
void print_no_stacks(const struct job *job, FILE *out);  /* explains why there are none */
void print_cut_stacks(const struct job *job, FILE *out); /* advice if many are truncated */
void print_stack_books(const struct job *job, FILE *out, const char *title);
void json_stack_books(const struct job *job, struct json *j);
/* Reports stacks that had no room in the output. Returns 0 or REPORT_WRONG. */
int whole_stacks_announced(const struct whole_stacks *w, const char *what);
/* Prints "symbol [module]", the module without its directory. */
void print_symbol(const struct job *job, FILE *out, uint32_t symbol);
/* A column of this type in JSON and CSV: name, module (full path), kernel, and the source columns
 * of -line and -inline. If the column has a `name`, CSV uses it as a prefix: caller,
 * caller_module. */
struct code_frame {
	uint32_t symbol;
	bool kernel;
};
extern const struct column_sort sort_frame;
void frame_json(const struct cell *x), frame_names(const struct cell *x);
void frame_csv(const struct cell *x);
#define FRAME .sort = &sort_frame

#endif
