/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether an answer may lack a name because there was no memory for it: of symbols, which are
 * read when they are asked for. For post, which must not take that for code without names. */
#ifndef A2N_NO_MEMORY_H
#define A2N_NO_MEMORY_H

#include <stdbool.h>

#include "a2n.h"

bool lacks_memory(const struct a2n *a);

#endif
