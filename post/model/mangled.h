/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbol names that could not be demangled. */
#ifndef POST_MANGLED_H
#define POST_MANGLED_H

#include "model/symbols.h"

/* Returns whether a name looks mangled (C++, Rust, D, Swift). */
bool is_mangled(const char *name);
/* Returns the number of distinct symbol names that are still mangled; *first: the first in
 * alphabetical order. */
uint32_t count_mangled(const struct symbols *all, const char **first);

#endif
