/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The symbols of modules, loaded at the first look-up. */
#ifndef A2N_MODULE_SYMBOLS_H
#define A2N_MODULE_SYMBOLS_H

#include "a2n/module/module.h"

/* Calls back for each file, with its symbols loaded. */
void modules_each(struct modules *ms, void (*each)(void *arg, struct modules *ms, struct module *m),
		  void *arg);
/* module_find: returns the first known file of this path, loaded; NULL: none. module_symbol: its
 * i-th symbol, or NULL without memory. */
struct module *module_find(struct modules *ms, const char *path);
const struct a2n_symbol *module_symbol(struct modules *ms, struct module *m, uint32_t i);

/* Symbol objects that were handed out keep their identity in the new table. */
void module_adopt(struct module *m, struct symtab *tab);

/* offset: in the file (kernel: the address). bias: from there to the module's own addresses. */
void module_resolve(struct modules *ms, struct module *m, uint64_t offset, uint64_t bias,
		    struct a2n_answer *answer);

/* Returns the variable at an address of the module; NULL: its file names none there. */
const struct a2n_symbol *module_variable(struct modules *ms, struct module *m, uint64_t address);

#endif
