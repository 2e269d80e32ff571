/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A method's code with more instructions: at its begin, before each return, before and behind those
 * of monitors, in a handler of all exceptions, which throws on what it caught, and where the
 * method's own handlers begin. Everything that names a place in the code moves along.
 */
#ifndef CODE_REWRITE_H
#define CODE_REWRITE_H

#include "constants.h"

/* Instructions that are put somewhere; they leave the operand stack as it was. */
struct code_insert {
	uint8_t n, bytes[7];
};

/* What is put where. It takes at most one slot of the operand stack more than there is, or two in
 * all. */
struct code_plan {
	struct code_insert begin, leave;
	struct code_insert unwind;      /* in a handler of all exceptions; n 0: there is none */
	struct code_insert caught;      /* where the method's own handlers begin */
	struct code_insert enter, exit; /* before monitorenter and monitorexit */
	/* Behind a monitorenter from which on a handler of all exceptions holds: it holds of this,
	 * too. (The VM compiles no method that an exception may leave with a monitor held.) */
	struct code_insert entered;
	bool early;         /* a constructor: `this` is not initialised at its begin */
	uint16_t first;     /* the class of local variable 0, which unwind needs; 0: none */
	uint16_t throwable; /* the class; with unwind */
	uint16_t frames;    /* the text StackMapTable; 0: the class is of a time before it */
};

/*
 * b is a Code attribute's content; what stands behind its length is written. NULL; or why the
 * method must stay as it is: then what was written is to be dropped.
 */
const char *code_rewrite(struct bytes *b, const struct code_plan *plan,
			 const struct constants *constants, struct class_out *out);

#endif
