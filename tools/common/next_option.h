/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * getopt_long_only() with messages that escape arguments, which those of the C library do not. An
 * argument that is empty is refused as a missing one is.
 */
#ifndef COMMON_NEXT_OPTION_H
#define COMMON_NEXT_OPTION_H

#include <getopt.h>

/* shorts may begin with '+', not with ':'. '?' is returned after a message. */
int next_option(int argc, char **argv, const char *shorts, const struct option *longs);

#endif
