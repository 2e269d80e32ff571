/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line: parses words into options. */
#ifndef POST_COMMAND_LINE_H
#define POST_COMMAND_LINE_H

#include "options.h"

/* Returns -1 to continue, else the exit code. */
int parse_options(struct options *o, int argc, char **argv);

#endif
