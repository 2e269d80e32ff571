/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A method's code with calls of hooks: one at its begin, one before each return, one in a handler
 * of all exceptions, which throws on what it caught, and one where the method's own handlers
 * begin: methods that it has called are over by then, those too that could not say so. Everything
 * that names a place in the code moves along.
 */
#ifndef CODE_REWRITE_H
#define CODE_REWRITE_H

#include "constants.h"

/* What rewritten code refers to. */
struct code_hooks {
	uint16_t enter, leave, unwind, caught; /* methods (I)V */
	uint16_t throwable;                    /* the class */
	uint16_t frames; /* the text StackMapTable; 0: the class is of a time before it */
};

/* A method whose code is to be rewritten. */
struct code_method {
	uint32_t id;
	uint16_t integer; /* the id's number in the constant pool; 0: it is at most 32,767 */
	bool early;       /* a constructor: `this` is not initialised at its begin */
};

/*
 * b is a Code attribute's content; what stands behind its length is written. NULL; or why the
 * method must stay as it is: then what was written is to be dropped.
 */
const char *code_rewrite(struct bytes *b, const struct code_method *method,
			 const struct code_hooks *hooks, const struct constants *constants,
			 struct class_out *out);

#endif
