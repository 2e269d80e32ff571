/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The instructions of a site, and how it is switched on while other threads execute it, for each
 * machine. A thread may execute the site in any state, before, during or after the change:
 *
 * x86-64: one byte switches a site. The nop becomes a jump (0xe9) whose distance is the bytes that
 *   follow. In a long nop they stay as they are, or, if they belong to its unused operand, are
 *   changed in advance. In a row of one-byte nops they are written in advance, and each is a
 *   one-byte instruction without effect there, for threads that have stopped among them. So the
 *   bytes determine the target of the jump, and the memory at that distance from each site is
 *   mapped: `far`. A sled of XRay begins with a short jump over bytes, into which the jump is
 *   written; then the short jump's distance becomes 0. A return of XRay is followed by such bytes,
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
	uint8_t length; /* from the site to the code that follows it */
	bool far;       /* it leads to `distance` after its first 5 bytes, and nowhere else */
	uint32_t free;  /* for `far`: bits of the distance that can be chosen; all: from a list */
	int32_t distance;
	bool keeps;               /* `before` stays when it is switched off */
	struct site_bytes before; /* written in advance; n is 0: none */
	struct site_bytes switched;
};

/* Decode the code at a function's entry, or at a sled of XRay (kind: enum site_kind). Return NULL,
 * or why it cannot be patched. */
const char *site_code_entry(struct bytes code, struct site_code *c);
const char *site_code_sled(struct bytes code, uint8_t kind, struct site_code *c);
/* Size of a landing pad at the beginning of the code; 0: none. */
size_t site_code_pad(struct bytes code);
/* Size of a nop at the beginning of the code; 0: another instruction. */
size_t site_code_nop(struct bytes code);

/* Lists the possible distances, the present one first if there is one, and returns their number. */
#define SITE_DISTANCES 40
size_t site_code_distances(const struct site_code *c, int32_t list[SITE_DISTANCES]);
/* Directs a site at an address to the target. false: out of reach. */
bool site_code_aim(struct site_code *c, uint64_t at, uint64_t target);
/* Writes a jump of SITE_JUMP bytes. false: out of reach. */
#define SITE_JUMP 5
bool site_code_jump(uint8_t out[SITE_JUMP], uint64_t from, uint64_t to);

#endif
