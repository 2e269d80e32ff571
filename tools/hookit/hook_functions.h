/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions by numbers: found by their address, without a lock and without malloc, for an event may
 * come from anywhere. A number is never given back: what is loaded later at the same address is
 * another function.
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
	FUNCTION_LEFT_OUT,    /* by the patterns of names: its time is its callers' */
	FUNCTION_BY_ARGUMENT, /* hook_arguments.h: which one it is depends on the call */
};

struct hook_function {
	_Atomic uintptr_t address; /* 0: nobody's; FUNCTION_GONE: of a library that was closed */
	_Atomic uint32_t number;   /* + 1; 0: it is about to get one */
	uint8_t kind;              /* enum function_kind */
	_Atomic bool placed;       /* behind its name stands where its source is, if known */
	uintptr_t was;             /* its address, also when it is gone */
	const char *_Atomic name;  /* NULL: not asked for yet */
	uint32_t module;           /* + 1; 0: not known yet */
	union {
		uint32_t joined; /* in a Java VM its number there */
		uint32_t apart;  /* by values: how many there were */
	};
	const struct call_values *values; /* that are asked for; NULL: none */
};
#define FUNCTION_GONE UINTPTR_MAX

extern __attribute__((visibility("hidden"))) struct hook_function *functions; /* the table */

/* false: no memory. */
bool functions_begin(void);
/* One that was not met before; *mine: by this call. NULL: there is no room. */
struct hook_function *functions_add(uintptr_t address, bool *mine);
/* Now it has a number. */
void functions_number(struct hook_function *f);
/* After fork(), in the child: all that are met have one. */
void functions_forked(void);
/* How many have one, from 0 on, and which has it. */
uint32_t functions_count(void);
struct hook_function *functions_get(uint32_t number);

static inline uint32_t functions_start(uintptr_t address)
{
	return (uint32_t)((uint64_t)address * 0x9e3779b97f4a7c15 >> 43);
}
_Static_assert(FUNCTIONS_MOST == 1u << (64 - 43), "a place of the table");

/* NULL: it has not been met, or has no number yet. */
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
