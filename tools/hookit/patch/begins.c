/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binary search in the table for unwinders, if it has the form that linkers write. */
#include "begins.h"

/* Encodings of addresses: 4 bytes; of an unsigned count, relative to the field, or to the table. */
#define COUNT      0x03
#define OF_TABLE   0x3b
#define OF_PLACE   0x1b
#define PAIR       8
#define TABLE_HEAD 12

static struct bytes table_of(const struct patch_image *im, const struct object_file *o,
			     uint64_t *address)
{
	for (unsigned int i = 0; i < o->header.e_phnum; i++) {
		const Elf64_Phdr *p = &o->segments[i];

		if (p->p_type != PT_GNU_EH_FRAME)
			continue;
		*address = im->bias + p->p_vaddr;
		return image_bytes(im, *address, p->p_memsz, false);
	}
	return bytes_of(NULL, 0);
}

static uint64_t begin_of(struct bytes table, uint64_t address, uint64_t i)
{
	bytes_seek(&table, TABLE_HEAD + i * PAIR);
	return address + (uint64_t)(int64_t)(int32_t)bytes_u32(&table);
}

bool begins_between(const struct patch_image *im, const struct object_file *o, uint64_t low,
		    uint64_t high, uint64_t *begin)
{
	uint64_t address = 0, first = 0, last;
	struct bytes table = table_of(im, o, &address), head = table;

	if (bytes_u8(&head) != 1 || bytes_u8(&head) != OF_PLACE || bytes_u8(&head) != COUNT ||
	    bytes_u8(&head) != OF_TABLE)
		return false;
	bytes_skip(&head, 4);
	last = bytes_u32(&head);
	if (head.bad || last > bytes_left(&head) / PAIR)
		return false;
	while (first < last) {
		uint64_t middle = first + (last - first) / 2;

		if (begin_of(table, address, middle) < low)
			first = middle + 1;
		else
			last = middle;
	}
	head = table;
	if (!bytes_seek(&head, TABLE_HEAD + first * PAIR) || bytes_left(&head) < PAIR)
		return false;
	*begin = begin_of(table, address, first);
	return *begin >= low && *begin <= high;
}
