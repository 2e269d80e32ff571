/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run's report: post, a program of its own, makes it. */
#ifndef RUN_POST_H
#define RUN_POST_H

#include "run.h"

enum run_what { TRACE_AND_POST, TRACE_ONLY, POST_ONLY };

/* What a program of this name does (run.tprof, run.itrace): traces, and has post report the file
 * with this option (NULL: none). Its exit code: the command's, post's, or EXIT_SWTRACE. */
int run_and_report(struct run *r, enum run_what what, const char *name, const char *option);

#endif
