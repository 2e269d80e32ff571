/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line: options out of words. */
#ifndef POST_COMMAND_LINE_H
#define POST_COMMAND_LINE_H

#include "options.h"

/* -1: go on; else the exit code. */
int parse_options(struct options *o, int argc, char **argv);

#endif
