/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that were built with sites to be patched: see patched.c. */
#ifndef PATCHED_H
#define PATCHED_H

#include <stdbool.h>

/* Whether the patterns take a function of this name, demangled. */
bool hookit_takes(const char *name);

#endif
