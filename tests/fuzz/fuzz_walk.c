/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: what a walk of a Java thread's stack reads of the memory of its process: the tables of
 * native code, the VM's map of its code, and the compilers' notes of inlined methods. The input is
 * where to begin, then all the memory there is; it begins with a file's .eh_frame_hdr.
 */
#include "code_cache.h"
#include "fuzz.h"
#include "guarded.h"
#include "native_frames.h"
#include "scopes.h"

#define BASE       0x10000000ull
#define ROOM       0x10000ull
#define STEPS_MOST 64

static const uint8_t *memory;
static size_t memory_size;

/* As guarded.c has it: what is not there fails. */
bool guarded_word(uint64_t address, uint64_t *to)
{
	if (address % 8)
		abort();
	return guarded_copy(to, address, sizeof(*to));
}

bool guarded_copy(void *to, uint64_t from, size_t n)
{
	if (from < BASE || from - BASE > memory_size || n > memory_size - (from - BASE))
		return false;
	memcpy(to, memory + (from - BASE), n);
	return true;
}

struct begin {
	int32_t pc; /* behind the beginning of memory, or before it */
	uint16_t sp, fp, heap, blob;
	uint8_t is_exact, layout, pc_size, unused;
};

static void native(const struct begin *b)
{
	static const struct native_file file = { BASE - ROOM, BASE + ROOM, BASE };
	struct walk_registers r = { BASE + (uint64_t)b->pc, BASE + b->sp, BASE + b->fp,
				    b->is_exact & 1 };

	native_frames_add(&file);
	for (int i = 0; i < STEPS_MOST && native_step(&r) == NATIVE_CALLER; i++)
		fuzz_touch(&r, sizeof(r));
}

static struct vm_layout layout_of(const struct begin *b)
{
	struct vm_layout l = {
		.heaps = BASE + b->heap,
		.interpreter = BASE + b->heap + 64,
		.array_data = 8,
		.stub_buffer = 0,
		.stub_limit = 8,
		.memory = 0,
		.segments = 16,
		.segment_bits = 32,
		.space_low = 0,
		.space_high = 8,
		.block_size = 16,
		.block_used = 8,
		.blob_name = 0,
		.frame_complete = 8,
		.frame_size = 12,
		.short_frame_complete = b->layout & 1,
		.code_begin = b->layout & 2 ? VM_NONE : 16,
		.code_end = 24,
		.code_offset = 32,
		.data_offset = 36,
		.pcs = 40,
		.pcs_end = 44,
		.scopes_begin = b->layout & 4 ? VM_NONE : 48,
		.metadata_offset = 56,
		.immutable_data = 64,
		.scopes_offset = 72,
		.mutable_data = 80,
		.relocation_size = 88,
		.pc_offset = 0,
		.pc_scope = 4,
		.pc_size = 8u + b->pc_size % 9,
		.excluded = b->layout >> 3 & 1,
	};

	return l;
}

static void java(const struct begin *b)
{
	struct vm_layout l = layout_of(b);
	struct scope scope[SCOPES_MOST];
	struct code_blob blob = { .blob = BASE + b->blob, .begin = BASE + b->blob };
	uint64_t pc = BASE + (uint64_t)b->pc;
	unsigned int n;

	if (code_cache_begin(&l)) {
		blob = code_cache_find(&l, pc);
		if (blob.kind == CODE_METHOD && (pc < blob.begin || pc > blob.end))
			abort();
	}
	n = scopes_of(&l, &blob, pc, scope);
	if (n > SCOPES_MOST)
		abort();
	fuzz_touch(scope, n * sizeof(*scope));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct begin b;

	if (size < sizeof(b) || size - sizeof(b) > ROOM)
		return 0;
	memcpy(&b, data, sizeof(b));
	memory = data + sizeof(b);
	memory_size = size - sizeof(b);
	native(&b);
	java(&b);
	return 0;
}
