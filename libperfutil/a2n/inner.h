/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of an a2n for a2nint.c, beyond a2n.h. */
#ifndef A2N_INNER_H
#define A2N_INNER_H

#include "a2n.h"
#include "a2n/module/module.h"

struct modules *inner_modules(struct a2n *a);
/* As a2n_jit_load; answers for this code have its bytes, which the caller keeps. */
int inner_jit_load(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size,
		   const char *name, const void *bytes);

#endif
