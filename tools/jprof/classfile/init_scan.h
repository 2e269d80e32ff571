/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in a constructor `this` is not initialised yet: up to and with the call of another
 * constructor of this class or its superclass. No exception handler of ours can cover that part:
 * the call leaves `this` initialised or not, and HotSpot's verifier takes no frame that allows for
 * both.
 */
#ifndef INIT_SCAN_H
#define INIT_SCAN_H

#include "constants.h"

/* An entry of the exception table. */
struct handler {
	uint16_t start, end, target, type;
};

struct init_scan {
	const uint8_t *code; /* whose instructions are whole */
	uint32_t size;
	uint32_t stack, locals; /* the most slots */
	const struct handler *handlers;
	uint32_t handler_count;
	const struct constants *constants;
};

/*
 * Sets early[at] for each instruction there; early has scan->size bytes, all 0. NULL; or why it
 * cannot be said (code that no verifier takes, or that moves `this` about).
 */
const char *init_scan(const struct init_scan *scan, uint8_t *early);

#endif
