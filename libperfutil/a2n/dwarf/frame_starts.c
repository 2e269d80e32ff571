/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions from their unwinding tables (.eh_frame), which stripping keeps: the start and length of
 * each. The tables have no names, so functions are named by their file and address.
 */
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>

#include "a2n/dwarf/dwarf_file.h"

#define MODULE_NAME 64
#define FORM        0x0F /* encoding of a pointer: storage format */
#define BASE        0x70 /* … and its base */

struct start_table {
	struct bytes data;
	uint64_t address;
	bool wide; /* addresses have 8 bytes */
};

/* The parts of a common entry (CIE) that apply to the functions' entries that refer to it. */
struct common {
	uint64_t at; /* its offset in the table */
	uint8_t encoding;
	bool known;
};

static uint64_t load_pointer(struct bytes *b, uint8_t form, bool wide)
{
	switch (form) {
	case DW_EH_PE_absptr:
		return wide ? bytes_u64(b) : bytes_u32(b);
	case DW_EH_PE_uleb128:
		return dwarf_uleb(b);
	case DW_EH_PE_sleb128:
		return (uint64_t)dwarf_sleb(b);
	case DW_EH_PE_udata2:
		return bytes_u16(b);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int64_t)(int16_t)bytes_u16(b);
	case DW_EH_PE_udata4:
		return bytes_u32(b);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int64_t)(int32_t)bytes_u32(b);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return bytes_u64(b);
	}
	b->bad = true;
	return 0;
}

/* Supports only bases that need no further data: the address of the pointer itself, or none. */
static uint64_t read_pointer(const struct start_table *t, struct bytes *b, uint8_t encoding)
{
	uint64_t here = t->address + b->at, value = load_pointer(b, encoding & FORM, t->wide);

	if (encoding & DW_EH_PE_indirect ||
	    (encoding & BASE && (encoding & BASE) != DW_EH_PE_pcrel))
		b->bad = true;
	if (encoding & BASE)
		value += here;
	return t->wide ? value : (uint32_t)value;
}

/* Takes the next entry, whose bytes become *entry, up to the end; false: no more. */
static bool next_entry(const struct start_table *t, struct bytes *b, struct bytes *entry)
{
	uint64_t size = bytes_u32(b);

	if (size == UINT32_MAX)
		size = bytes_u64(b);
	if (b->bad || !size || size > bytes_left(b))
		return false;
	*entry = t->data;
	entry->size = b->at + size;
	bytes_seek(entry, b->at);
	return bytes_skip(b, size);
}

static void read_common(const struct start_table *t, uint64_t at, struct common *c)
{
	struct bytes b = t->data, entry;
	size_t length;
	const char *letters;
	uint8_t version;

	*c = (struct common){ .at = at, .encoding = DW_EH_PE_absptr };
	if (!bytes_seek(&b, at) || !next_entry(t, &b, &entry) || bytes_u32(&entry))
		return;
	version = bytes_u8(&entry);
	letters = (const char *)entry.base + entry.at;
	length = strnlen(letters, bytes_left(&entry));
	bytes_skip(&entry, length + 1);
	if (entry.bad || (version != 1 && version != 3) || (length && letters[0] != 'z'))
		return;
	dwarf_uleb(&entry);
	dwarf_sleb(&entry);
	if (version == 1)
		bytes_u8(&entry);
	else
		dwarf_uleb(&entry);
	if (length)
		dwarf_uleb(&entry);
	for (size_t i = 1; i < length; i++) {
		switch (letters[i]) {
		case 'R':
			c->encoding = bytes_u8(&entry);
			break;
		case 'L':
			bytes_u8(&entry);
			break;
		case 'P':
			load_pointer(&entry, bytes_u8(&entry) & FORM, t->wide);
			break;
		case 'S':
		case 'B':
			break;
		default:
			return;
		}
	}
	c->known = !entry.bad;
}

static bool find_table(struct elf_file *f, struct start_table *t)
{
	uint32_t i;

	for (i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];

		if (!s->name || strcmp(s->name, ".eh_frame") || s->type == SHT_NOBITS)
			continue;
		t->data = elf_section_bytes(f, s);
		t->address = s->address;
		t->wide = f->header.e_ident[EI_CLASS] == ELFCLASS64;
		return bytes_left(&t->data);
	}
	return false;
}

/* Returns "liblzma" for "/lib/liblzma.so.5". */
static int module_part(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/'), *so;
	size_t n;

	*name = slash ? slash + 1 : path;
	so = strstr(*name, ".so");
	n = so && so != *name ? (size_t)(so - *name) : strlen(*name);
	return n < MODULE_NAME ? (int)n : MODULE_NAME;
}

static bool add_function(struct elf_file *f, struct symtab *t, const char *path, uint64_t start,
			 uint64_t size)
{
	char text[MODULE_NAME + 32];
	const char *name;
	int n = module_part(path, &name);
	uint32_t k;

	for (k = 0; k < f->n_segments; k++) {
		const struct elf_segment *s = &f->segments[k];

		if (start < s->address || start - s->address >= s->size ||
		    s->size > UINT64_MAX - s->address || !size)
			continue;
		if (size > s->address + s->size - start)
			size = s->address + s->size - start;
		n = snprintf(text, sizeof(text), "%.*s+0x%" PRIx64, n, name, start);
		symtab_add(t, start, 0, start + size, RANK_FRAME, text, (size_t)n);
		return true;
	}
	return false;
}

uint32_t dwarf_symbols_frames(struct elf_file *f, struct symtab *t, const char *path)
{
	struct common common = { .at = UINT64_MAX };
	struct bytes b, entry;
	struct start_table table;
	uint32_t found = 0;

	if (!find_table(f, &table))
		return 0;
	b = table.data;
	while (!t->failed && next_entry(&table, &b, &entry)) {
		uint64_t at = entry.at, start, size;
		uint32_t back = bytes_u32(&entry);

		if (!back || back > at)
			continue; /* a common entry, or damaged */
		if (common.at != at - back)
			read_common(&table, at - back, &common);
		if (!common.known)
			continue;
		start = read_pointer(&table, &entry, common.encoding);
		size = load_pointer(&entry, common.encoding & FORM, table.wide);
		if (!entry.bad && add_function(f, t, path, start, size))
			found++;
	}
	return found;
}
