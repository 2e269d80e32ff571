/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a2nint.c needs of an a2n beyond a2n.h. */
#ifndef A2N_INNER_H
#define A2N_INNER_H

#include "a2n.h"
#include "a2n/module/module.h"

struct modules *inner_modules(struct a2n *a);
/* a2n_jit_load; answers in this code have its bytes, which are the caller's. */
int inner_jit_load(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size,
		   const char *name, const void *bytes);

#endif
