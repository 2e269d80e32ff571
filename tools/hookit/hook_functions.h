/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Table of functions by number, with look-up by address: lock-free and without malloc(), because an
 * event may come from anywhere. A number is never reused: a function that is loaded later at the
 * same address gets another one.
 */
#ifndef HOOK_FUNCTIONS_H
#define HOOK_FUNCTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUNCTIONS_MOST (1u << 21)
#define FUNCTIONS_NONE UINT32_MAX

struct call_values; /* hook_values.h */

enum function_kind {
	FUNCTION_TAKEN,
	FUNCTION_LEFT_OUT,    /* by patterns of names: its time belongs to its callers */
	FUNCTION_BY_ARGUMENT, /* hook_arguments.h: the number depends on the call */
};

struct hook_function {
	_Atomic uintptr_t address; /* 0: free; FUNCTION_GONE: of a closed library */
	_Atomic uint32_t number;   /* + 1; 0: not numbered yet */
	uint8_t kind;              /* enum function_kind */
	_Atomic bool placed;       /* its name has the source place appended, if known */
	uintptr_t was;             /* its address, also after its library was closed */
	const char *_Atomic name;  /* NULL: not looked up yet */
	uint32_t module;           /* + 1; 0: not known yet */
	union {
		uint32_t joined; /* in a Java VM: its number there */
		uint32_t apart;  /* by values: how many there are */
	};
	const struct call_values *values; /* requested values; NULL: none */
};
#define FUNCTION_GONE UINTPTR_MAX

extern __attribute__((visibility("hidden"))) struct hook_function *functions; /* the table */

/* false: no memory. */
bool functions_begin(void);
/* Adds a function; *mine: by this call, which must number it. NULL: the table is full. */
struct hook_function *functions_add(uintptr_t address, bool *mine);
/* Assigns the next number. */
void functions_number(struct hook_function *f);
/* Called in the child of fork(): numbers all functions of the table. */
void functions_forked(void);
/* The count of numbers, which begin at 0, and the function with a number. */
uint32_t functions_count(void);
struct hook_function *functions_get(uint32_t number);

static inline uint32_t functions_start(uintptr_t address)
{
	return (uint32_t)((uint64_t)address * 0x9e3779b97f4a7c15 >> 43);
}
_Static_assert(FUNCTIONS_MOST == 1u << (64 - 43), "a place of the table");

/* Returns NULL if the function is unknown, or has no number yet. */
static inline struct hook_function *functions_find(uintptr_t address)
{
	uint32_t at = functions_start(address);

	for (;; at = (at + 1) & (FUNCTIONS_MOST - 1)) {
		struct hook_function *f = &functions[at];
		uintptr_t there = atomic_load_explicit(&f->address, memory_order_relaxed);

		if (__builtin_expect(there == address, 1))
			return atomic_load_explicit(&f->number, memory_order_acquire) ? f : NULL;
		if (!there)
			return NULL;
	}
}

#endif
