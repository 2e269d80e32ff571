/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_cache.h"

#include <stdatomic.h>
#include <string.h>

#include "guarded.h"

#define HEAPS_MOST 8
#define HOPS_MOST  (1u << 16) /* back to a block's first segment */
#define UNUSED     0xff
#define FRAME_MOST (1u << 20)

static struct {
	uint64_t heap[HEAPS_MOST];
	unsigned int heaps;
	uint64_t interpreter, interpreter_end;
} cache;

static bool list_heaps(const struct vm_layout *l)
{
	uint64_t list, heap;
	uint32_t n;

	if (!guarded_load32(l->heaps + l->array_length, &n) || !n || n > HEAPS_MOST ||
	    !guarded_load(l->heaps + l->array_data, &list))
		return false;
	for (cache.heaps = 0; cache.heaps < n; cache.heaps++) {
		if (!guarded_load(list + cache.heaps * 8ull, &heap))
			return false;
		cache.heap[cache.heaps] = heap;
	}
	return true;
}

bool code_cache_begin(const struct vm_layout *l)
{
	uint32_t size;

	if (!list_heaps(l) || !guarded_load(l->interpreter + l->stub_buffer, &cache.interpreter) ||
	    !guarded_load32(l->interpreter + l->stub_limit, &size))
		return false;
	cache.interpreter_end = cache.interpreter + size;
	return true;
}

/* Returns whether the heap's space contains the address; sets its start. */
static bool is_in(const struct vm_layout *l, uint64_t heap, uint64_t pc, uint64_t *low)
{
	uint64_t space = heap + l->memory, high;

	return guarded_load(space + l->space_low, low) &&
	       guarded_load(space + l->space_high, &high) && pc >= *low && pc < high;
}

/* A segment's byte is the distance back towards the block's first segment; several hops may be
 * needed. Returns 0 if the address is in no block. */
static uint64_t block_of(const struct vm_layout *l, uint64_t heap, uint64_t low, uint64_t pc)
{
	uint64_t map, map_end, at;
	uint32_t bits, hops = 0;
	uint8_t back;

	if (!guarded_load32(heap + l->segment_bits, &bits) || bits < 3 || bits > 30 ||
	    !guarded_load(heap + l->segments + l->space_low, &map) ||
	    !guarded_load(heap + l->segments + l->space_high, &map_end))
		return 0;
	at = (pc - low) >> bits;
	if (at >= map_end - map)
		return 0;
	for (; hops < HOPS_MOST; hops++) {
		if (!guarded_load8(map + at, &back) || back == UNUSED || back > at)
			return 0;
		if (!back)
			return low + (at << bits);
		at -= back;
	}
	return 0;
}

static bool ends_of(const struct vm_layout *l, struct code_blob *b)
{
	uint32_t begin, end;

	if (l->code_begin != VM_NONE)
		return guarded_load(b->blob + l->code_begin, &b->begin) &&
		       guarded_load(b->blob + l->code_end, &b->end);
	if (!guarded_load32(b->blob + l->code_offset, &begin) ||
	    !guarded_load32(b->blob + l->data_offset, &end))
		return false;
	b->begin = b->blob + begin;
	b->end = b->blob + end;
	return true;
}

static bool frame_of(const struct vm_layout *l, struct code_blob *b)
{
	uint32_t complete, words;

	if (!(l->short_frame_complete ? guarded_load16(b->blob + l->frame_complete, &complete) :
					guarded_load32(b->blob + l->frame_complete, &complete)) ||
	    !guarded_load32(b->blob + l->frame_size, &words))
		return false;
	if (l->short_frame_complete)
		complete = (uint32_t)(int16_t)complete;
	b->complete = (int32_t)complete < 0 ? b->begin : b->begin + complete;
	b->frame = (int32_t)words < 0 || words > FRAME_MOST / 8 ? 0 : words * 8ull;
	return true;
}

/* The VM's names of kinds are constants: whether one at this address was a kind's. */
static _Atomic uint64_t method_name, native_name;

static bool is_named(uint64_t at, const char *name, _Atomic uint64_t *known)
{
	size_t n = strlen(name) + 1;
	uint8_t byte;

	if (at == atomic_load_explicit(known, memory_order_relaxed))
		return true;
	/* Byte by byte: a shorter name may end just before unmapped memory. */
	for (size_t i = 0; i < n; i++)
		if (!guarded_load8(at + i, &byte) || byte != (uint8_t)name[i])
			return false;
	atomic_store_explicit(known, at, memory_order_relaxed);
	return true;
}

static bool kind_of(const struct vm_layout *l, struct code_blob *b)
{
	uint64_t at;

	if (!guarded_load(b->blob + l->blob_name, &at) || !at)
		return false;
	b->is_native = is_named(at, "native nmethod", &native_name);
	b->kind = b->is_native || is_named(at, "nmethod", &method_name) ? CODE_METHOD : CODE_STUB;
	return true;
}

static struct code_blob blob_in(const struct vm_layout *l, uint64_t heap, uint64_t low, uint64_t pc)
{
	uint64_t block = block_of(l, heap, low, pc);
	struct code_blob b = { .blob = block + l->block_size };
	uint8_t used = 0;

	if (!block || !guarded_load8(block + l->block_used, &used) || !used || !ends_of(l, &b) ||
	    pc < b.begin || pc > b.end || !frame_of(l, &b) || !kind_of(l, &b))
		b.kind = CODE_UNKNOWN;
	return b;
}

struct code_blob code_cache_find(const struct vm_layout *l, uint64_t pc)
{
	struct code_blob none = { .kind = CODE_NONE };
	uint64_t low;

	if (pc >= cache.interpreter && pc < cache.interpreter_end) {
		none.kind = CODE_INTERPRETER;
		return none;
	}
	for (unsigned int i = 0; i < cache.heaps; i++)
		if (is_in(l, cache.heap[i], pc, &low))
			return blob_in(l, cache.heap[i], low, pc);
	return none;
}
