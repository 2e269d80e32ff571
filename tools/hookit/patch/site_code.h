/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What instructions stand at a site, and how it is switched on while other threads run in it: each
 * machine has its own. Whatever a thread finds there, before, between or after, does no harm:
 *
 * x86-64: one byte switches a site. The instruction that does nothing becomes a jump (0xe9) whose
 *   distance is the bytes that follow. Of a long one those stay as they are, or are changed before
 *   where they belong to its operand, of which nobody takes notice. In a row of one-byte ones they
 *   are written before, and each is an instruction of one byte that does nothing there, for threads
 *   that have stopped among them. So the bytes say where the jump goes, and the place
 *   that is as far from each site is taken: `far`. A sled of XRay begins with a short jump over
 *   bytes that get the jump; then it jumps over none. A return of XRay has such bytes behind it,
 *   and becomes a nop.
 * arm64: the first instruction becomes a branch.
 */
#ifndef SITE_CODE_H
#define SITE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

#define SITE_LONGEST 32

/* Bytes of a site that change together. */
struct site_bytes {
	uint8_t at, n;
	uint8_t on[5], off[5];
};

struct site_code {
	uint8_t length; /* from the site to the function's own code */
	bool far;       /* it leads to `distance` from its first 5 bytes' end, nowhere else */
	uint32_t free;  /* … bits of the distance that can be chosen; all: from a list */
	int32_t distance;
	bool keeps;               /* what is written before stays when it is switched off */
	struct site_bytes before; /* n is 0: nothing is */
	struct site_bytes switched;
};

/* Looks at the code at a function's entry, or at a sled of XRay (kind: enum site_kind). NULL, or
 * why it cannot be patched. */
const char *site_code_entry(struct bytes code, struct site_code *c);
const char *site_code_sled(struct bytes code, uint8_t kind, struct site_code *c);
/* Bytes of a landing pad at the beginning of the code; 0: there is none. */
size_t site_code_pad(struct bytes code);
/* Bytes of the instruction that does nothing at the beginning of the code; 0: another one. */
size_t site_code_nop(struct bytes code);

/* Distances to choose from, its own first if there is one; the number of them. */
#define SITE_DISTANCES 40
size_t site_code_distances(const struct site_code *c, int32_t list[SITE_DISTANCES]);
/* Where a site at an address can lead to; and that it leads there. false: it is out of reach. */
bool site_code_aim(struct site_code *c, uint64_t at, uint64_t target);
/* A jump, of SITE_JUMP bytes. false: out of reach. */
#define SITE_JUMP 5
bool site_code_jump(uint8_t out[SITE_JUMP], uint64_t from, uint64_t to);

#endif
