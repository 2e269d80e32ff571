/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stubs of arm64. The return address of a function at its entry is in x30; x16 and x17 are free. */
#include "stub.h"

#include <string.h>

#include "gates.h"
#include "sites.h"

#define KEEP_X30 0xf81f0ffeu /* str x30, [sp, #-16]! */
#define TAKE_X30 0xf84107feu /* ldr x30, [sp], #16 */
#define CALL_X17 0xd63f0220u /* blr x17 */
#define HOME     0xaa1003feu /* mov x30, x16 */
#define RET      0xd65f03c0u
#define GATE     64 /* offset of the gates' addresses in the stub */
#define LEAVE    72

void stub_gates(struct stub_gates *g)
{
	*g = (struct stub_gates){
		.enter = (uint64_t)(uintptr_t)patch_gate_enter,
		.leave = (uint64_t)(uintptr_t)patch_gate_leave,
		.begin = (uint64_t)(uintptr_t)patch_gate_begin,
		.end = (uint64_t)(uintptr_t)patch_gate_end,
		.tail = (uint64_t)(uintptr_t)patch_gate_tail,
	};
}

static void put(uint8_t *out, size_t at, uint32_t insn)
{
	memcpy(out + at, &insn, sizeof(insn));
}

/* ldr x17, from the stub's data */
static uint32_t load_x17(size_t at, size_t from)
{
	return 0x58000011u | (uint32_t)((from - at) / 4) << 5;
}

/* cbz x17 */
static uint32_t if_zero(size_t at, size_t to)
{
	return 0xb4000011u | (uint32_t)((to - at) / 4) << 5;
}

/* b or bl */
static bool put_branch(uint8_t *out, uint64_t stub, size_t at, uint64_t to, uint32_t insn)
{
	int64_t distance = (int64_t)(to - stub - at);

	put(out, at, insn | ((uint32_t)(distance / 4) & 0x03ffffffu));
	return distance >= -(1 << 27) && distance < 1 << 27 && distance % 4 == 0;
}

/*
 * The stub of an entry, by offset: 0 saves x30; 4, 8 call the gate; 12 restores x30; 16, if not
 * hooked, jumps to 40, which continues in the function; 20 calls the function, which returns to 24;
 * 24, 28 call the gate; 32, 36 return to the real caller.
 */
bool stub_write(uint8_t out[STUB_SIZE], uint64_t stub, uint64_t gates, uint8_t kind,
		uint64_t function, uint64_t body)
{
	struct stub_gates g;
	uint64_t gate;
	bool reached;

	(void)gates;
	stub_gates(&g);
	gate = kind == SITE_ENTRY ? g.enter :
	       kind == SITE_BEGIN ? g.begin :
	       kind == SITE_END   ? g.end :
				    g.tail;
	memset(out, 0, STUB_SIZE);
	put(out, 0, KEEP_X30);
	put(out, 4, load_x17(4, GATE));
	put(out, 8, CALL_X17);
	put(out, 12, TAKE_X30);
	if (kind == SITE_ENTRY) {
		put(out, 16, if_zero(16, 40));
		reached = put_branch(out, stub, 20, body, 0x94000000u);
		put(out, 24, load_x17(24, LEAVE));
		put(out, 28, CALL_X17);
		put(out, 32, HOME);
		put(out, 36, RET);
		reached &= put_branch(out, stub, 40, body, 0x14000000u);
	} else {
		reached = put_branch(out, stub, 16, body, 0x14000000u);
	}
	memcpy(out + STUB_FUNCTION, &function, sizeof(function));
	memcpy(out + GATE, &gate, sizeof(gate));
	memcpy(out + LEAVE, &g.leave, sizeof(g.leave));
	return reached;
}
