/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the part of a constructor in which `this` is not initialised: up to and including the call
 * of another constructor of this class or its superclass. Our exception handler cannot cover that
 * part: after the call `this` is initialised or not, and HotSpot's verifier accepts no frame that
 * allows for both.
 */
#ifndef INIT_SCAN_H
#define INIT_SCAN_H

#include "constants.h"

/* An entry of the exception table. */
struct handler {
	uint16_t start, end, target, type;
};

struct init_scan {
	const uint8_t *code; /* contains only complete instructions */
	uint32_t size;
	uint32_t stack, locals; /* number of slots */
	const struct handler *handlers;
	uint32_t handler_count;
	const struct constants *constants;
};

/*
 * Sets early[at] for each instruction in that part; early has scan->size bytes, all 0. Returns
 * NULL, or an error message (code that no verifier accepts, or that moves `this` before it is
 * initialised).
 */
const char *init_scan(const struct init_scan *scan, uint8_t *early);

#endif
