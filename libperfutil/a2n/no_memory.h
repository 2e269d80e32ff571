/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Returns whether answers may lack a name for lack of memory: symbols are read when they are
 * needed. For post, which must not take this for code without names. */
#ifndef A2N_NO_MEMORY_H
#define A2N_NO_MEMORY_H

#include <stdbool.h>

#include "a2n.h"

bool lacks_memory(const struct a2n *a);

#endif
