/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All reports of call stacks share these. */
#ifndef POST_CALLS_REPORT_H
#define POST_CALLS_REPORT_H

#include "json.h"
#include "record/whole_stacks.h"
#include "report/report.h"
#include "report/table.h"

/* The proof that no tick fell under the table: the tree's sums equal the trace's. 0 or
 * REPORT_WRONG. */
int calls_checked(const struct job *job, const char *what);
/* Title, trace, event, and how many stacks there were, ended early, and why. */
void tell_no_stacks(const struct job *job, FILE *out);  /* if there are none: why */
void tell_cut_stacks(const struct job *job, FILE *out); /* if many are: what to do */
void print_stack_books(const struct job *job, FILE *out, const char *title);
void json_stack_books(const struct job *job, struct json *j);
/* Says of what was written whether stacks had no room. 0 or REPORT_WRONG. */
int whole_stacks_told(const struct whole_stacks *w, const char *what);
/* "symbol  [module]", the module without its folder. */
void print_symbol(const struct job *job, FILE *out, uint32_t symbol);
/* A column of this type for programs: name, module (its whole path), kernel, and what -line and
 * -inline ask for. CSV names them after the column's `name` if it has one: caller, caller_module.
 */
struct code_frame {
	uint32_t symbol;
	bool kernel;
};
extern const struct column_sort sort_frame;
void frame_json(const struct cell *x), frame_names(const struct cell *x);
void frame_csv(const struct cell *x);
#define FRAME .sort = &sort_frame

#endif
