/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * getopt_long_only() with messages that escape arguments; those of the C library do not. An empty
 * argument is refused like a missing one.
 */
#ifndef COMMON_NEXT_OPTION_H
#define COMMON_NEXT_OPTION_H

#include <getopt.h>

/* `shorts` may begin with '+', not with ':'. Returns '?' after a message. */
int next_option(int argc, char **argv, const char *shorts, const struct option *longs);

#endif
