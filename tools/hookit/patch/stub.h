/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stubs: code near the program's code, one for each patched site, which jumps to it. A stub calls a
 * gate (gates.S), which saves all registers and calls patch_entered() and its kin, then continues
 * in the function. If the return is hooked, the stub of an entry calls the function again, with the
 * return address at the same place: calls and returns stay paired, for the CPU's return prediction
 * and for hardware shadow stacks. The real return address is stored separately (kept.h).
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

/* Addresses of the gates: a table before the stubs of an area. */
struct stub_gates {
	uint64_t enter, leave, begin, end, tail;
	uint64_t spare[3];
};

void stub_gates(struct stub_gates *g);

/* Writes the stub of a site, to be placed at the address stub; kind: enum site_kind; body: where
 * the function continues. false: out of reach. */
bool stub_write(uint8_t out[STUB_SIZE], uint64_t stub, uint64_t gates, uint8_t kind,
		uint64_t function, uint64_t body);
/* The replaced return address of a hooked function; the stub of such an address; the function of a
 * stub. */
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
