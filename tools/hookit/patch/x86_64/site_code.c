/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sites of x86-64. */
#include "site_code.h"

#include "sites.h"

#define NOP       0x90
#define JUMP      0xe9
#define SHORT     0xeb
#define RET       0xc3
#define SLED      11 /* bytes of a sled of XRay */
#define SLED_OVER 9

/* Skips the bytes of an operand after its ModRM byte and returns their number; 0 for a register. */
static size_t operand(struct bytes *code, uint8_t modrm)
{
	uint8_t mod = modrm >> 6;
	size_t scale = 0, n;

	if (mod == 3)
		return 0;
	n = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	if ((modrm & 7) == 4) {
		uint8_t base = bytes_u8(code) & 7;

		scale = 1;
		if (mod == 0 && base == 5)
			n = 4;
	} else if (mod == 0 && (modrm & 7) == 5) {
		n = 4;
	}
	bytes_skip(code, n);
	return scale + n;
}

size_t site_code_nop(struct bytes code)
{
	size_t prefixes = 0, n;
	uint8_t c = bytes_u8(&code);

	while (!code.bad && (c == 0x66 || c == 0x2e)) {
		prefixes++;
		c = bytes_u8(&code);
	}
	if (code.bad)
		return 0;
	if (c == NOP)
		return prefixes + 1;
	if (c != 0x0f || bytes_u8(&code) != 0x1f)
		return 0;
	c = bytes_u8(&code);
	if (code.bad || (c & 0x38))
		return 0;
	n = operand(&code, c);
	n += prefixes + 3;
	return code.bad || n > 15 ? 0 : n;
}

/* endbr64 */
size_t site_code_pad(struct bytes code)
{
	static const uint8_t pad[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const void *p = bytes_take(&code, sizeof(pad));

	return p && !memcmp(p, pad, sizeof(pad)) ? sizeof(pad) : 0;
}

static void switched(struct site_code *c, uint8_t at, uint8_t on, uint8_t off)
{
	c->switched = (struct site_bytes){ .at = at, .n = 1, .on = { on }, .off = { off } };
}

/* Bits of the bytes after the first one of a long nop that belong to its operand: its length does
 * not depend on them. Without a displacement, the byte could be the SIB byte that adds one. */
static uint32_t free_bits(const uint8_t *nop)
{
	size_t at = 0;
	uint32_t bits = 0;

	while (nop[at] == 0x66 || nop[at] == 0x2e)
		at++;
	at += 2;
	if (nop[at] >> 6 == 0)
		return 0;
	for (at++; at < SITE_JUMP; at++)
		bits |= 0xffu << 8 * (at - 1);
	return bits;
}

static bool is_long(const uint8_t *nop)
{
	while (*nop == 0x66 || *nop == 0x2e)
		nop++;
	return *nop == 0x0f;
}

const char *site_code_entry(struct bytes code, struct site_code *c)
{
	static const uint8_t row[SITE_JUMP] = { NOP, NOP, NOP, NOP, NOP };
	size_t n = site_code_nop(code);
	const uint8_t *p = bytes_take(&code, SITE_JUMP);

	*c = (struct site_code){ .far = true };
	if (p && *p == JUMP)
		return "there is a jump already: another tool has patched it";
	if (!n || !p)
		return "there is no nop";
	if (n >= SITE_JUMP) {
		struct bytes distance = bytes_of(p + 1, 4);

		c->length = (uint8_t)n;
		c->distance = (int32_t)bytes_u32(&distance);
		c->before = (struct site_bytes){ .at = 1 };
		memcpy(c->before.off, p + 1, sizeof(c->distance));
		c->free = is_long(p) ? free_bits(p) : 0;
	} else if (!memcmp(p, row, sizeof(row))) {
		c->length = SITE_JUMP;
		c->free = UINT32_MAX;
		c->before = (struct site_bytes){ .at = 1, .n = 4, .off = { NOP, NOP, NOP, NOP } };
	} else {
		return "there is no room for a jump: compile with -fpatchable-function-entry=5";
	}
	switched(c, 0, JUMP, p[0]);
	return NULL;
}

const char *site_code_sled(struct bytes code, uint8_t kind, struct site_code *c)
{
	const uint8_t *p = bytes_take(&code, SLED), at = kind == SITE_END ? 1 : 2;
	size_t room = 0, n;
	struct bytes nops;

	*c = (struct site_code){ .length = SLED, .keeps = true };
	if (!p)
		return "it is outside of the program's code";
	if (p[0] == 0x41 && p[1] == 0xba)
		return "XRay's own runtime has patched it";
	if (kind == SITE_END ? p[0] != RET : p[0] != SHORT || p[1] != SLED_OVER)
		return "there is no sled of XRay";
	nops = bytes_of(p + at, SLED - at);
	while (bytes_left(&nops) && (n = site_code_nop(nops)) && bytes_skip(&nops, n)) {
		room += n;
		nops = bytes_of(p + at + room, SLED - at - room);
	}
	/* A jump that remained when the site was switched off is never executed. */
	if (room + at < SLED && p[at] != JUMP)
		return "there is no sled of XRay";
	c->before = (struct site_bytes){ .at = at, .n = SITE_JUMP };
	memcpy(c->before.off, p + at, SITE_JUMP);
	if (kind == SITE_END)
		switched(c, 0, NOP, RET);
	else
		switched(c, 1, 0, SLED_OVER);
	return NULL;
}

/*
 * Each byte is a separate instruction: nop, or one that changes the carry, which has no meaning at
 * a function's entry, or clears the direction flag, which is clear there; the last one may be a
 * prefix without effect in this mode, for the function's next instruction.
 */
#define DISTANCE(low, high) ((int32_t)(0x9090u | (uint32_t)(low) << 16 | (uint32_t)(high) << 24))
#define BELOW(high)                                                                             \
	DISTANCE(0xfc, high), DISTANCE(0xf9, high), DISTANCE(0xf8, high), DISTANCE(0xf5, high), \
		DISTANCE(0x90, high)

#define ROWS (sizeof(rows) / sizeof(rows[0]))
static const int32_t rows[] = {
	BELOW(0xfc), BELOW(0xf9), BELOW(0xf8), BELOW(0xf5), BELOW(0x26), BELOW(0x2e), BELOW(0x36),
};
_Static_assert(ROWS <= SITE_DISTANCES, "room for all");

size_t site_code_distances(const struct site_code *c, int32_t list[SITE_DISTANCES])
{
	/* Distances below and above, near enough for the code there to reach the stubs. */
	static const uint8_t tops[] = { 0xfc, 0xf8, 0xf4, 0xf0, 0xec, 0xe8, 0xe0, 0xd8, 0xd0,
					0xc8, 0x04, 0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38 };
	size_t n = 0;

	if (c->free == UINT32_MAX) {
		memcpy(list, rows, sizeof(rows));
		return ROWS;
	}
	list[n++] = c->distance;
	for (size_t i = 0; c->free && i < sizeof(tops); i++)
		list[n++] = (int32_t)(((uint32_t)c->distance & ~c->free) |
				      ((uint32_t)tops[i] << 24 & c->free));
	return n;
}

bool site_code_jump(uint8_t out[SITE_JUMP], uint64_t from, uint64_t to)
{
	int64_t distance = (int64_t)(to - from - SITE_JUMP);
	int32_t low = (int32_t)distance;

	out[0] = JUMP;
	memcpy(out + 1, &low, sizeof(low));
	return low == distance;
}

bool site_code_aim(struct site_code *c, uint64_t at, uint64_t target)
{
	if (c->far) {
		memcpy(c->before.on, &c->distance, sizeof(c->distance));
		c->before.n = memcmp(c->before.on, c->before.off, sizeof(c->distance)) ?
				      sizeof(c->distance) :
				      0;
		return at + SITE_JUMP + (uint64_t)(int64_t)c->distance == target;
	}
	return site_code_jump(c->before.on, at + c->before.at, target);
}
