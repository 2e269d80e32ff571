/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameters and result of a function: its source types, from its DWARF. */
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
	uint8_t general, vector; /* x86-64: number of registers that hold it */
	bool memory;             /* on the stack; a result: at the address in a pointer */
	bool unknown;            /* its place cannot be determined: nor that of later ones */
	uint32_t size;           /* bytes */
};

#define SIGNATURE_MOST 32 /* parameters; further ones are omitted */

struct signature {
	struct passed_type result, parameter[SIGNATURE_MOST];
	uint32_t n;
	bool changed; /* the compiler has changed the calling convention (DW_CC_nocall) */
};

/* Receives the signature of the i-th requested function. */
typedef void (*inner_take_signature)(void *arg, size_t i, const struct signature *s);

#endif
