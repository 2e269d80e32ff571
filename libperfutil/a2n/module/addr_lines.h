/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From addresses of a module to source locations and to signatures of functions, by its DWARF. */
#ifndef A2N_LINES_H
#define A2N_LINES_H

#include "a2n/module/module.h"

/* Implements a2n_lines. */
int module_lines(struct modules *ms, const struct module *m, const uint64_t *offsets, size_t n,
		 bool inlined, a2n_take_frames take, void *arg);
/* The same for a Go program without DWARF. */
int module_lines_go(struct modules *ms, const struct module *m, const uint64_t *offsets, size_t n,
		    a2n_take_frames take, void *arg);

/* Reports the functions inlined in those that begin at these addresses: frames[0] is the inlined
 * one, frames[1] the place of its call; once for each copy in the code. As module_signatures. */
int module_inlined(struct modules *ms, const struct module *m, const uint64_t *offsets, size_t n,
		   a2n_take_frames take, void *arg);

/* Reports the signatures of the functions that begin at these addresses; i is the caller's number.
 * Returns 0, -ENOMEM, or -ENOENT: there is no DWARF. */
int module_signatures(struct modules *ms, const struct module *m, const uint64_t *offsets, size_t n,
		      inner_take_signature take, void *arg);

/* Adds the functions that its DWARF names, or that of its debug file; their number. */
uint32_t module_dwarf_symbols(struct modules *ms, const struct module *m, struct symtab *t);

#endif
