/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reports of a run. post makes them, a program of its own, which is run as the user who owns
 * the trace.
 */
#ifndef SWTRACE_RUN_POST_H
#define SWTRACE_RUN_POST_H

#include "run.h"

/* Looks for post beside this program, else in PATH. */
bool run_post_find(char *path, size_t room);
/* One report: post's option, NULL for its default. post's exit code, or EXIT_SWTRACE after a
 * message: there is none. */
int run_post(const char *post, const struct trace_run *r, const char *option);
/* Call stacks as by -g, if none were asked for. */
void run_wants_stacks(struct trace_run *r);
/* The page, post.html; it needs call stacks. */
int run_post_page(const char *post, const struct trace_run *r);
/* Shows the page in the user's browser, if there is a desktop; a message says where it is. */
void run_post_open(const struct trace_run *r);

#endif
