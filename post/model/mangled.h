/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that nobody here could turn into what the programmer wrote. */
#ifndef POST_MANGLED_H
#define POST_MANGLED_H

#include "model/symbols.h"

/* Looks a name mangled (C++, Rust, D, Swift)? */
bool is_mangled(const char *name);
/* How many distinct names of symbols stayed mangled; the alphabetically first in *first. */
uint32_t count_mangled(const struct symbols *all, const char **first);

#endif
