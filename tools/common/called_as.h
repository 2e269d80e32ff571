/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The name that the user typed: pitrace executes the programs as "pitrace COMMAND". */
#ifndef CALLED_AS_H
#define CALLED_AS_H

#include <stdbool.h>

bool called_by_front(void);
/* Returns "pitrace COMMAND", or the program's own name. */
const char *called_as(const char *own);

#endif
