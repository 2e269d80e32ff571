/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stubs: code near the program's that a patched site leads to, one for each site. It calls a gate
 * (gates.S), which keeps all registers and calls patch_entered() and its kin, and goes on in the
 * function. An entry whose return is hooked calls the function anew, with the place of its return
 * address the same: calls and returns stay paired, for CPUs that foresee returns, and for shadow
 * stacks of the hardware. The real return address is kept aside (kept.h).
 */
#ifndef PATCH_STUB_H
#define PATCH_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gates.h"

#if defined(__x86_64__)
#define STUB_SIZE 48
#else
#define STUB_SIZE 80
#endif

/* Where the gates' addresses are: a table before the stubs of an area. */
struct stub_gates {
	uint64_t enter, leave, begin, end, tail;
	uint64_t spare[3];
};

void stub_gates(struct stub_gates *g);

/* Writes the stub of a site that is to lie at an address; kind: enum site_kind; body: where the
 * function goes on. false: out of reach. */
bool stub_write(uint8_t out[STUB_SIZE], uint64_t stub, uint64_t gates, uint8_t kind,
		uint64_t function, uint64_t body);
/* Where a function returns to whose return is hooked; whose stub that is; the function that a
 * stub is of. */
static inline uint64_t stub_back(uint64_t stub)
{
	return stub + STUB_BACK;
}

static inline uint64_t stub_of(uint64_t back)
{
	return back - STUB_BACK;
}

static inline uint64_t stub_function(uint64_t stub)
{
	return *(const uint64_t *)(uintptr_t)(stub + STUB_FUNCTION);
}

#endif
