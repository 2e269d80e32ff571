/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decides by names how functions are treated before they are called, when their file is loaded: an
 * event may come while the program is in malloc() or the loader.
 */
#ifndef FORESEEN_H
#define FORESEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "a2n.h"
#include "hook_functions.h"

struct foreseen_function {
	uintptr_t address;
	const struct call_values *values;
	enum function_kind kind;
};

/* Lock-free, for events. Returns false: nothing is known of this function. */
bool foreseen_find(uintptr_t address, struct foreseen_function *found);

/* The functions below require modules_lock. Decides about the code of a file, which is a separate
 * process for A2N; base: the load address of its address 0. Returns NULL if there is no memory, or
 * no function. */
struct foreseen *foreseen_make(struct a2n *names, uint32_t process, uintptr_t base, uintptr_t start,
			       uintptr_t end);
/* That code is unloaded; f is freed when no reader uses it. */
void foreseen_drop(struct foreseen *f);
/* The requested values of one function; NULL: none. */
const struct call_values *foreseen_values(struct a2n *names, uint32_t process, uintptr_t address);

#endif
