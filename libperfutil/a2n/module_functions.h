/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of a module, for who looks at all of them at once (libhookit). */
#ifndef A2N_MODULE_FUNCTIONS_H
#define A2N_MODULE_FUNCTIONS_H

#include "a2n.h"
#include "a2n/dwarf/signature.h"

/* Where each symbol of a module begins, in any order, also twice; after a2n_resolve() has found
 * anything in it. */
void inner_starts(const struct a2n_module *module, void (*take)(void *arg, uint64_t module_offset),
		  void *arg);
/* What the functions that begin at these module_offsets are given, and return. 0; -ENOENT: its file
 * has no DWARF; -ENOMEM. */
int inner_signatures(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets,
		     size_t n, inner_take_signature take, void *arg);

#endif
