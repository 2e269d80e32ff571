/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is asked of functions by their names is decided before they are called, when their file is
 * loaded: an event may come while the program is within malloc() or the loader.
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

/* At events, without a lock. false: nothing is known of this function. */
bool foreseen_find(uintptr_t address, struct foreseen_function *found);

/* The others take turns (modules_lock). Of code of a file, which is a process of its own for A2N;
 * base: where its address 0 is. NULL: no memory, or there are no functions. */
struct foreseen *foreseen_make(struct a2n *names, uint32_t process, uintptr_t base, uintptr_t start,
			       uintptr_t end);
/* That code is gone. */
void foreseen_drop(struct foreseen *f);
/* Of one function alone. NULL: nothing is asked for. */
const struct call_values *foreseen_values(struct a2n *names, uint32_t process, uintptr_t address);

#endif
