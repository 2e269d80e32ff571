/* SPDX-License-Identifier: GPL-3.0-or-later */
/* getopt_long_only() whose complaints are ours: the C library's show arguments as they are. */
#ifndef COMMON_NEXT_OPTION_H
#define COMMON_NEXT_OPTION_H

#include <getopt.h>

/* shorts may begin with '+', not with ':'. '?': it was told what is wrong. */
int next_option(int argc, char **argv, const char *shorts, const struct option *longs);

#endif
