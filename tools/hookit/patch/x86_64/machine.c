/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU properties that the gates need: the size of its vector registers, hardware shadow stacks. */
#include "patch_machine.h"

#include <cpuid.h>
#include <stdint.h>

#include "kept.h"

#define PARTS 0xe7u /* x87, SSE, AVX, AVX-512: registers of values */
#define LEAST 512u  /* size of fxsave's area */

uint64_t patch_vectors_size = LEAST;
uint32_t patch_vectors_mask;

static uint64_t parts_enabled(void)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

const char *machine_begin(void)
{
	uint32_t a, b, c, d, mask, size = LEAST + 64;
	uint64_t shadow = 0;

	/* After a jump from one function to another, one return address is never used. */
	__asm__("rdsspq %0" : "+r"(shadow));
	if (shadow)
		return "the process has a shadow stack (CET), with which returns cannot be hooked";
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return NULL;
	mask = (uint32_t)parts_enabled() & PARTS;
	for (unsigned int i = 2; i < 8; i++) {
		if (!(mask >> i & 1) || !__get_cpuid_count(0xd, i, &a, &b, &c, &d))
			continue;
		if (b + a > size)
			size = b + a;
	}
	patch_vectors_size = (size + 63) & ~63u;
	patch_vectors_mask = mask;
	return NULL;
}

/* DWARF's numbers. */
#define RSP 7
#define RIP 16
enum {
	CFA_IS = 0x0c,
	AT = 0x10,
	VALUE = 0x16,
	CONST8 = 0x0e,
	AND = 0x1a,
	MINUS = 0x1c,
	PLUS = 0x22,
	SHL = 0x24,
	XOR = 0x27,
};
#define LIT(n) (0x30 + (n))

size_t machine_unwinding(uint8_t *out)
{
	/*
	 * The unwinder identifies a frame by an address: the stack pointer plus 4 belongs to no
	 * other frame. The stack pointer of the caller is the stub's. The return address is stored
	 * as in kept.h.
	 */
	static const uint8_t rules[] = {
		CFA_IS, RSP,     4,     VALUE,  RSP, 2,      LIT(4), MINUS, AT,   RIP,
		26,     LIT(12), MINUS, LIT(1), SHL, CONST8, 0xff,   0xff,  0xff, 0xff,
		0xff,   0x7f,    0,     0,      AND, CONST8, 0,      0,     0,    0,
		0,      0x20,    0,     0,      XOR, LIT(8), PLUS,
	};

	_Static_assert(KEPT_BITS == 0x7fffffffffff && KEPT_AWAY == 0x200000000000, "as above");
	for (size_t i = 0; i < sizeof(rules); i++)
		out[i] = rules[i];
	return sizeof(rules);
}

uint8_t machine_return_column(void)
{
	return RIP;
}
