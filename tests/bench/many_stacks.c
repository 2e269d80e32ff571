/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * many_stacks IN OUT COUNT: a profile of gperftools (8-byte slots) with so many records: those of
 * IN over and over, the innermost address of each another one within 2 KB, as a long run would
 * have them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "xorshift.h"

#define HEADER 5

static uint64_t state = 88172645463325252ull;

static uint64_t draw(void)
{
	return xorshift(&state);
}

int main(int argc, char **argv)
{
	uint64_t *slot, count = argc == 4 ? strtoull(argv[3], NULL, 10) : 0, at, i, pc;
	FILE *in = count ? fopen(argv[1], "r") : NULL, *out = in ? fopen(argv[2], "w") : NULL;
	size_t room = 64u << 20, size, slots;

	slot = malloc(room);
	if (!out || !slot) {
		fputs("usage: many_stacks IN OUT COUNT\n", stderr);
		return 2;
	}
	size = fread(slot, 1, room, in);
	slots = size / sizeof(*slot);
	fwrite(slot, sizeof(*slot), HEADER, out);
	for (at = HEADER, i = 0; i < count; i++) {
		if (at + 2 > slots || at + 2 + slot[at + 1] > slots || !slot[at])
			at = HEADER;
		pc = slot[at + 2];
		slot[at + 2] = (pc & ~0x7ffull) | (draw() & 0x7ff);
		fwrite(slot + at, sizeof(*slot), 2 + slot[at + 1], out);
		slot[at + 2] = pc;
		at += 2 + slot[at + 1];
	}
	/* The trailer and the text. */
	for (at = HEADER; at + 2 < slots && slot[at]; at += 2 + slot[at + 1])
		;
	fwrite(slot + at, 1, size - at * sizeof(*slot), out);
	return fclose(out) || ferror(in);
}
