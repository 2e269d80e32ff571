/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "continuation_entry.h"

#include <stdatomic.h>
#include <string.h>

#include "guarded.h"

#define CODE_MOST   1024    /* bytes that are searched */
#define OFFSET_MOST 0x10000 /* of a thread's structure */
#define INSTRUCTION 7

enum { UNKNOWN, NONE };

/* Returns the offset from %r15, which holds the thread, in an instruction with this opcode; else 0.
 */
static uint32_t offset_of(const uint8_t *code, const char *begin)
{
	uint32_t offset;

	if (memcmp(code, begin, 3))
		return 0;
	memcpy(&offset, code + 3, sizeof(offset));
	return offset < OFFSET_MOST && offset % 8 == 0 ? offset : 0;
}

/* The code saves the previous entry and sets the new one to the stack's top: mov at(%r15),%rax and
 * mov %rsp,at(%r15) with the same offset. */
static uint32_t find(const uint8_t *code, size_t size)
{
	uint32_t kept = 0, offset;

	for (size_t i = 0; i + INSTRUCTION <= size; i++) {
		offset = offset_of(code + i, "\x49\x8b\x87");
		if (offset)
			kept = offset;
		if (kept && offset_of(code + i, "\x49\x89\xa7") == kept)
			return kept;
	}
	return NONE;
}

size_t continuation_entry_offset(const struct vm_layout *l, const struct code_blob *b)
{
	static _Atomic uint32_t found;
	uint8_t code[CODE_MOST];
	size_t size = b->end - b->begin;
	uint32_t offset = found;

	if (l->continuation_entry != VM_NONE)
		return l->continuation_entry;
	if (offset == UNKNOWN && b->end > b->begin) {
		size = size < sizeof(code) ? size : sizeof(code);
		if (guarded_copy(code, b->begin, size))
			found = offset = find(code, size);
	}
	return offset > NONE ? offset : VM_NONE;
}
