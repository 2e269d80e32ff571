/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Basic types of DWARF: numbers, strings, lists of addresses. */
#include <string.h>

#include "a2n/dwarf/dwarf_file.h"

/* Groups of seven bits, the lowest first; bits beyond 64 are read and dropped. */
static uint64_t groups(struct bytes *b, unsigned int *shift, uint8_t *last)
{
	uint64_t v = 0;

	*shift = 0;
	do {
		*last = bytes_u8(b);
		if (*shift < 64)
			v |= (uint64_t)(*last & 0x7f) << *shift;
		*shift += 7;
	} while (*last & 0x80 && !b->bad && *shift < 140);
	return v;
}

uint64_t dwarf_uleb(struct bytes *b)
{
	unsigned int shift;
	uint8_t last;

	if (b->at < b->size && !b->bad && b->base[b->at] < 0x80)
		return b->base[b->at++];
	return groups(b, &shift, &last);
}

int64_t dwarf_sleb(struct bytes *b)
{
	unsigned int shift;
	uint8_t last;
	uint64_t v = groups(b, &shift, &last);

	if (last & 0x40 && shift < 64)
		v |= ~0ull << shift;
	return (int64_t)v;
}

uint64_t dwarf_length(struct bytes *b, uint8_t *offset_size)
{
	uint64_t length = bytes_u32(b);

	*offset_size = 4;
	if (length == 0xffffffff) {
		*offset_size = 8;
		length = bytes_u64(b);
	} else if (length >= 0xfffffff0) {
		b->bad = true;
	}
	return length;
}

uint64_t dwarf_sized(struct bytes *b, uint8_t size)
{
	switch (size) {
	case 1:
		return bytes_u8(b);
	case 2:
		return bytes_u16(b);
	case 4:
		return bytes_u32(b);
	case 8:
		return bytes_u64(b);
	}
	b->bad = true;
	return 0;
}

const char *dwarf_string(const struct bytes *part, uint64_t offset)
{
	const char *s = (const char *)part->base + offset;

	return offset < part->size && memchr(s, 0, part->size - offset) ? s : NULL;
}

bool dwarf_add_range(struct dwarf_ranges *to, uint64_t low, uint64_t high)
{
	if (low >= high)
		return true;
	if (array_next(to->list, to->n, to->room))
		return false;
	to->list[to->n++] = (struct dwarf_range){ low, high };
	return true;
}
