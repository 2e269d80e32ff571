/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reports of a run. The separate program post makes them; it runs as the user who owns the
 * trace.
 */
#ifndef SWTRACE_RUN_POST_H
#define SWTRACE_RUN_POST_H

#include "run.h"

/* Finds post beside this program, else in PATH. */
bool run_post_find(char *path, size_t room);
/* Makes one report; `option` is post's, NULL for its default. Returns post's exit code, or
 * EXIT_SWTRACE after a message if there is no report. */
int run_post(const char *post, const struct trace_run *r, const char *option);
/* Records call stacks as with -g, unless the user requested some. */
void run_wants_stacks(struct trace_run *r);
/* Makes the page post.html, which needs call stacks. */
int run_post_page(const char *post, const struct trace_run *r);
/* Opens the page in the user's browser if there is a desktop, and prints where the page is. */
void run_post_open(const struct trace_run *r);

#endif
