/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of a module, for users that need all of them at once (libhookit). */
#ifndef A2N_MODULE_FUNCTIONS_H
#define A2N_MODULE_FUNCTIONS_H

#include "a2n.h"
#include "a2n/dwarf/signature.h"

/* Passes the start of each symbol of a module, in any order, possibly twice; call it after
 * a2n_resolve() has found anything in the module. */
void inner_starts(const struct a2n_module *module, void (*take)(void *arg, uint64_t module_offset),
		  void *arg);
/* Passes the parameters and results of the functions that begin at these module_offsets. 0;
 * -ENOENT: its file has no DWARF; -ENOMEM. */
int inner_signatures(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets,
		     size_t n, inner_take_signature take, void *arg);
/* Reports the functions inlined in those that begin at these module_offsets: for the i-th one,
 * frames[0] is the inlined function and frames[1] the place of its call; once for each copy in the
 * code, in any order. Returns 0; -ENOENT, -ENOMEM as above. */
int inner_inlined(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets, size_t n,
		  a2n_take_frames take, void *arg);

#endif
