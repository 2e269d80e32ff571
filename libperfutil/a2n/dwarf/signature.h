/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a function is given, and returns: the types of its source, by its DWARF. */
#ifndef A2N_SIGNATURE_H
#define A2N_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind {
	VALUE_NONE, /* void */
	VALUE_SIGNED,
	VALUE_UNSIGNED,
	VALUE_CHAR,
	VALUE_FLOAT,
	VALUE_POINTER, /* or a reference */
	VALUE_TEXT,    /* char * */
	VALUE_OTHER,   /* a struct, a vector, a complex number */
};

struct passed_type {
	uint8_t kind;            /* enum value_kind */
	uint8_t general, vector; /* of x86-64 the registers that have it */
	bool memory;             /* it is on the stack; what is returned is where a pointer says */
	bool unknown;            /* where it is cannot be told: nor where those behind it are */
	uint32_t size;           /* bytes */
};

#define SIGNATURE_MOST 32 /* parameters; further ones are left out */

struct signature {
	struct passed_type result, parameter[SIGNATURE_MOST];
	uint32_t n;
	bool changed; /* the compiler has changed how it is called (DW_CC_nocall) */
};

/* Of the i-th function that was asked for. */
typedef void (*inner_take_signature)(void *arg, size_t i, const struct signature *s);

#endif
