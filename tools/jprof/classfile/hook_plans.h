/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which hooks a method's code calls, and where: for calls all methods, for locks only a few. */
#ifndef HOOK_PLANS_H
#define HOOK_PLANS_H

#include "class_rewrite.h"
#include "code_rewrite.h"

/* Numbers in a class's constant pool; 0 until a method needs them. */
struct hook_constants {
	uint16_t self, version; /* of the class itself, always set */
	uint16_t class, throwable, frames;
	uint16_t enter, leave, unwind, caught, entered, park, parked; /* methods */
};

/*
 * code: the content of the Code attribute. Returns 1; 0: the method needs no hooks, and is not
 * changed; -ENOMEM or -E2BIG.
 */
int hook_plan(const struct class_rewrite *how, struct hook_constants *h, struct constants *k,
	      const struct class_method *m, uint32_t id, const struct bytes *code,
	      struct code_plan *plan);

#endif
