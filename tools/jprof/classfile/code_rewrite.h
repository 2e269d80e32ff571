/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inserts instructions into a method's code: at the beginning, before each return, before and after
 * monitor instructions, in a handler of all exceptions, which rethrows them, and at the start of
 * the method's own handlers. All references to positions in the code are adjusted.
 */
#ifndef CODE_REWRITE_H
#define CODE_REWRITE_H

#include "constants.h"

/* Instructions to insert; they leave the operand stack unchanged. */
struct code_insert {
	uint8_t n, bytes[7];
};

/* The insertions by position. They need at most one more slot of the operand stack than the method,
 * or two in all. */
struct code_plan {
	struct code_insert begin, leave;
	struct code_insert unwind;      /* in a handler of all exceptions; n 0: no handler */
	struct code_insert caught;      /* at the start of the method's own handlers */
	struct code_insert enter, exit; /* before monitorenter and monitorexit */
	/* After a monitorenter at which the range of a handler of all exceptions starts: the range
	 * includes this. (The VM compiles no method that an exception may leave with a monitor
	 * held.) */
	struct code_insert entered;
	bool early;         /* a constructor: `this` is uninitialised at the beginning */
	uint16_t first;     /* class of local variable 0, needed by unwind; 0: not needed */
	uint16_t throwable; /* class Throwable; needed by unwind */
	uint16_t frames;    /* the text StackMapTable; 0: not used in this class version */
};

/*
 * b is a Code attribute's content; writes the new content after its length. Returns NULL, or why
 * the method cannot be changed: then the caller drops what was written.
 */
const char *code_rewrite(struct bytes *b, const struct code_plan *plan,
			 const struct constants *constants, struct class_out *out);

#endif
