/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which hooks a method's code is to call, and where: of calls all methods, of locks few. */
#ifndef HOOK_PLANS_H
#define HOOK_PLANS_H

#include "class_rewrite.h"
#include "code_rewrite.h"

/* Numbers in a class's constant pool; zeros until a method needs them. */
struct hook_constants {
	uint16_t self, version; /* the class's own, known from the begin on */
	uint16_t class, throwable, frames;
	uint16_t enter, leave, unwind, caught, entered, park, parked; /* methods */
};

/*
 * code: the content of the Code attribute. 1; 0: the method calls none, and stays as it is. -ENOMEM
 * or -E2BIG.
 */
int hook_plan(const struct class_rewrite *how, struct hook_constants *h, struct constants *k,
	      const struct class_method *m, uint32_t id, const struct bytes *code,
	      struct code_plan *plan);

#endif
