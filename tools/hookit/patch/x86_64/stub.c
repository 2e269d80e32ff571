/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stubs of x86-64. */
#include "stub.h"

#include <string.h>

#include "gates.h"
#include "sites.h"

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

struct out {
	uint8_t *code;
	uint64_t stub;
	size_t at;
	bool missed;
};

static void put(struct out *o, const void *bytes, size_t n)
{
	memcpy(o->code + o->at, bytes, n);
	o->at += n;
}

/* Writes an instruction that ends with a distance from its end. */
static void put_to(struct out *o, const char *opcode, size_t n, uint64_t to)
{
	int64_t distance = (int64_t)(to - (o->stub + o->at + n + 4));
	int32_t low = (int32_t)distance;

	put(o, opcode, n);
	put(o, &low, sizeof(low));
	o->missed |= low != distance;
}

#define CALL_AT(o, to) put_to(o, "\xff\x15", 2, to)
#define CALL(o, to)    put_to(o, "\xe8", 1, to)
#define JUMP(o, to)    put_to(o, "\xe9", 1, to)
#define JUMP_C(o, to)  put_to(o, "\x0f\x82", 2, to)

/*
 * The stub of an entry, by offset: 0 calls the gate; 6 with carry, continues in the function; 12
 * drops the return address, 17 calls the function instead; 22, after its return, makes room for the
 * return address; 27 calls the gate; 33 the real return.
 */
bool stub_write(uint8_t out[STUB_SIZE], uint64_t stub, uint64_t gates, uint8_t kind,
		uint64_t function, uint64_t body)
{
	struct out o = { out, stub, 0, false };

	memset(out, 0xcc, STUB_SIZE);
	switch (kind) {
	case SITE_ENTRY:
		CALL_AT(&o, gates + offsetof(struct stub_gates, enter));
		JUMP_C(&o, body);
		put(&o, "\x48\x8d\x64\x24\x08", 5);
		CALL(&o, body);
		put(&o, "\x48\x8d\x64\x24\xf8", 5);
		CALL_AT(&o, gates + offsetof(struct stub_gates, leave));
		put(&o, "\xc3", 1);
		break;
	case SITE_BEGIN:
		CALL_AT(&o, gates + offsetof(struct stub_gates, begin));
		JUMP(&o, body);
		break;
	case SITE_END:
		CALL_AT(&o, gates + offsetof(struct stub_gates, end));
		put(&o, "\xc3", 1);
		break;
	default:
		CALL_AT(&o, gates + offsetof(struct stub_gates, tail));
		JUMP(&o, body);
		break;
	}
	memcpy(out + STUB_FUNCTION, &function, sizeof(function));
	return !o.missed;
}
