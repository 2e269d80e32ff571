/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the DWARF sections of a file, decompressed, and packages of units. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "a2n/dwarf/dwarf_file.h"
#include "base/unpacked.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif
#define MAX_PART (4ull << 30)
/* Work limit per byte; valid files need a few reads of each. */
#define BUDGET_A_BYTE 64

static const char *const part_names[PARTS] = {
	[PART_INFO] = "info",         [PART_ABBREV] = "abbrev",
	[PART_LINE] = "line",         [PART_STR] = "str",
	[PART_LINE_STR] = "line_str", [PART_STR_OFFSETS] = "str_offsets",
	[PART_ADDR] = "addr",         [PART_RANGES] = "ranges",
	[PART_RNGLISTS] = "rnglists", [PART_CU_INDEX] = "cu_index",
};

static const char *const section_names[PARTS] = {
	[PART_INFO] = ".debug_info",         [PART_ABBREV] = ".debug_abbrev",
	[PART_LINE] = ".debug_line",         [PART_STR] = ".debug_str",
	[PART_LINE_STR] = ".debug_line_str", [PART_STR_OFFSETS] = ".debug_str_offsets",
	[PART_ADDR] = ".debug_addr",         [PART_RANGES] = ".debug_ranges",
	[PART_RNGLISTS] = ".debug_rnglists", [PART_CU_INDEX] = ".debug_cu_index",
};

bool dwarf_fault(struct dwarf_file *f, enum dwarf_part part, uint64_t offset, const char *what)
{
	if (!f->fault.what)
		f->fault = (struct dwarf_fault){ what, section_names[part], offset };
	return false;
}

/* Finds the part of a section by its name; PARTS: none. */
static enum dwarf_part part_of(const char *name, bool dwo, bool *packed)
{
	size_t length, at, i;

	*packed = !strncmp(name, ".zdebug_", 8);
	if (!*packed && strncmp(name, ".debug_", 7))
		return PARTS;
	at = *packed ? 8 : 7;
	length = strlen(name + at);
	if (dwo && length > 4 && !strcmp(name + at + length - 4, ".dwo"))
		length -= 4;
	else if (dwo && strcmp(name + at, "cu_index") != 0)
		return PARTS;
	for (i = 0; i < PARTS; i++)
		if (strlen(part_names[i]) == length && !strncmp(part_names[i], name + at, length))
			return (enum dwarf_part)i;
	return PARTS;
}

/* Returns the size in a compressed section's header; 0: unknown. */
static uint64_t claimed_size(const struct section *s, const GElf_Shdr *h)
{
	Elf_Data *raw;
	struct bytes b;
	uint64_t size = 0;
	GElf_Chdr c;

	if (h->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(s->scn, &c) ? c.ch_size : 0;
	raw = elf_rawdata(s->scn, NULL);
	b = bytes_of(raw ? raw->d_buf : NULL, raw ? raw->d_size : 0);
	if (!bytes_skip(&b, 4)) /* "ZLIB", then a big-endian number */
		return 0;
	for (unsigned int i = 0; i < 8; i++)
		size = size << 8 | bytes_u8(&b);
	return b.bad ? 0 : size;
}

/* Decompressed here, because libelf supports zstd only from 0.189 on. */
static struct bytes unpack_zstd(struct dwarf_file *file, enum dwarf_part part,
				const struct section *s, uint64_t size)
{
	size_t head = gelf_fsize(file->elf.elf, ELF_T_CHDR, 1, EV_CURRENT), got;
	Elf_Data *raw = elf_rawdata(s->scn, NULL);
	struct bytes none = bytes_of("", 0);
	struct bytes b = bytes_of(raw ? raw->d_buf : NULL, raw ? raw->d_size : 0);
	void *plain;

	if (!head || !bytes_skip(&b, head) || !size)
		return none;
	plain = malloc(size);
	got = plain ? ZSTD_decompress(plain, size, b.base + b.at, bytes_left(&b)) : 0;
	if (!plain || ZSTD_isError(got) || got != size) {
		free(plain);
		return none;
	}
	file->own[part] = plain;
	return elf_bytes(&file->elf, plain, size);
}

/* Returns the decompressed bytes of a section. */
static struct bytes load(struct dwarf_file *file, enum dwarf_part part, const struct section *s,
			 bool packed)
{
	const struct elf_file *f = &file->elf;
	struct bytes none = bytes_of("", 0), b;
	uint64_t size;
	Elf_Data *data;
	GElf_Shdr h;
	GElf_Chdr c;

	if (!s->scn || !gelf_getshdr(s->scn, &h) || h.sh_type == SHT_NOBITS || h.sh_size > MAX_PART)
		return none;
	packed &= !(h.sh_flags & SHF_COMPRESSED);
	if (packed || h.sh_flags & SHF_COMPRESSED) {
		size = claimed_size(s, &h);
		file->packed += h.sh_size;
		if (size > MAX_PART || size > unpacked_most(file->packed) - file->unpacked) {
			dwarf_fault(file, part, 0,
				    "compression ratio too high: more than 32 "
				    "times its size, and 16 MB, it is left out");
			return none;
		}
		file->unpacked += size;
	}
	if (h.sh_flags & SHF_COMPRESSED && gelf_getchdr(s->scn, &c) &&
	    c.ch_type != ELFCOMPRESS_ZLIB) {
		if (c.ch_type == ELFCOMPRESS_ZSTD)
			return unpack_zstd(file, part, s, size);
		dwarf_fault(file, part, 0, "unknown compression method");
		return none;
	}
	if (h.sh_flags & SHF_COMPRESSED ? elf_compress(s->scn, 0, 0) < 0 :
					  packed && elf_compress_gnu(s->scn, 0, 0) < 0)
		return none;
	data = (h.sh_flags & SHF_COMPRESSED) || packed ? elf_getdata(s->scn, NULL) :
							 elf_rawdata(s->scn, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return none;
	/* The ELF file defines the byte order. */
	b = elf_bytes(f, data->d_buf, data->d_size);
	return b;
}

bool dwarf_elf_has_lines(const struct elf_file *f)
{
	uint32_t i;
	bool packed;

	for (i = 1; i < f->n_sections; i++) {
		GElf_Shdr h;

		const char *name = f->sections[i].name;

		if (!name || part_of(name, false, &packed) > PART_LINE ||
		    !gelf_getshdr(f->sections[i].scn, &h))
			continue;
		if (h.sh_type != SHT_NOBITS && h.sh_size)
			return true;
	}
	return false;
}

bool dwarf_file_open(struct dwarf_file *f, struct elf_file *elf, const char *path, bool dwo)
{
	uint32_t i;

	*f = (struct dwarf_file){ .elf = *elf, .path = strdup(path) };
	*elf = (struct elf_file){ .fd = -1 };
	for (i = 0; i < PARTS; i++)
		f->part[i] = bytes_of("", 0);
	if (!f->path) {
		dwarf_file_close(f);
		return false;
	}
	f->budget = 1 << 20;
	for (i = 1; i < f->elf.n_sections; i++) {
		const struct section *s = &f->elf.sections[i];
		enum dwarf_part part;
		bool packed;

		/* Debug files have these sections without their contents. */
		if (s->code && !dwo &&
		    !dwarf_add_range(&f->code, s->address, s->address + s->size)) {
			dwarf_file_close(f);
			return false;
		}
		part = s->name ? part_of(s->name, dwo, &packed) : PARTS;
		if (part == PARTS || f->part[part].size)
			continue;
		f->part[part] = load(f, part, s, packed);
		if (!f->part[part].size && s->size && s->type != SHT_NOBITS)
			dwarf_fault(f, part, 0, "it cannot be read or unpacked");
		f->budget += BUDGET_A_BYTE * (uint64_t)f->part[part].size;
	}
	return true;
}

static void free_abbrevs(struct abbrevs *a)
{
	free(a->list);
	free(a->attr);
	free(a->constant);
	free(a);
}

void dwarf_file_close(struct dwarf_file *f)
{
	uint32_t i;

	for (i = 0; i < f->abbrevs.keys.used; i++)
		free_abbrevs(f->abbrevs.item[i]);
	table_free(&f->abbrevs);
	free(f->unit);
	free(f->code.list);
	free(f->path);
	for (i = 0; i < PARTS; i++)
		free(f->own[i]);
	elf_file_close(&f->elf);
	*f = (struct dwarf_file){ .elf.fd = -1 };
}

bool dwarf_is_code(const struct dwarf_file *f, uint64_t address)
{
	uint32_t i;

	for (i = 0; i < f->code.n; i++)
		if (address >= f->code.list[i].low && address < f->code.list[i].high)
			return true;
	return !f->code.n && address;
}

static const struct section *find_section(const struct dwarf_file *f, const char *name)
{
	uint32_t i;

	for (i = 1; i < f->elf.n_sections; i++)
		if (f->elf.sections[i].name && !strcmp(f->elf.sections[i].name, name))
			return &f->elf.sections[i];
	return NULL;
}

void dwarf_file_altlink(const struct dwarf_file *f, char *name, size_t size, struct build_id *id)
{
	const struct section *s = find_section(f, ".gnu_debugaltlink");
	size_t length = 0, left;
	struct bytes b;
	const char *link;

	name[0] = 0;
	id->size = 0;
	if (s) {
		b = elf_section_bytes(&f->elf, s);
		link = elf_string(&b, 0, &length);
		bytes_skip(&b, length + 1);
		left = bytes_left(&b);
	} else {
		s = find_section(f, ".debug_sup");
		if (!s)
			return;
		b = elf_section_bytes(&f->elf, s);
		/* version 5; this file is not the shared one itself */
		if (bytes_u16(&b) != 5 || bytes_u8(&b))
			return;
		link = elf_string(&b, b.at, &length);
		bytes_skip(&b, length + 1);
		left = dwarf_uleb(&b);
	}
	if (!link || length >= size || b.bad || !left || left > BUILD_ID_MAX ||
	    left > bytes_left(&b))
		return;
	memcpy(name, link, length + 1);
	id->size = (uint8_t)left;
	bytes_copy(&b, id->id, left);
}

/* ---- packages -------------------------------------------------------------------------------- */

/* The columns of a package's index: version 2 (GNU's, DWARF 4) and 5. */
static enum dwarf_part column(uint16_t version, uint32_t id)
{
	switch (id) {
	case 1:
		return PART_INFO;
	case 3:
		return PART_ABBREV;
	case 4:
		return PART_LINE;
	case 6:
		return PART_STR_OFFSETS;
	case 8:
		return version == 5 ? PART_RNGLISTS : PARTS;
	}
	return PARTS;
}

/* Finds the row of an id, from 1; 0: missing. */
static uint32_t find_row(struct bytes b, uint64_t id, uint32_t slots)
{
	uint64_t slot = id & (slots - 1), step = (id >> 32 & (slots - 1)) | 1;
	size_t at = b.at;
	uint32_t i, row;

	for (i = 0; i < slots; i++, slot = (slot + step) & (slots - 1)) {
		uint64_t have;

		if (!bytes_seek(&b, at + 8 * slot))
			return 0;
		have = bytes_u64(&b);
		if (!bytes_seek(&b, at + 8ull * slots + 4 * slot))
			return 0;
		row = bytes_u32(&b);
		if (!row || b.bad)
			return 0;
		if (have == id)
			return row;
	}
	return 0;
}

bool dwarf_package_find(struct dwarf_file *f, uint64_t id, struct bytes part[PARTS])
{
	struct bytes b = f->part[PART_CU_INDEX], offsets, sizes;
	uint32_t columns, units, slots, row, i;
	uint16_t version = bytes_u16(&b);
	size_t table;

	if (version != 5) { /* version 2 has four bytes */
		b = f->part[PART_CU_INDEX];
		version = (uint16_t)bytes_u32(&b);
	} else {
		bytes_skip(&b, 2);
	}
	columns = bytes_u32(&b);
	units = bytes_u32(&b);
	slots = bytes_u32(&b);
	if (b.bad || (version != 2 && version != 5) || !slots || slots & (slots - 1) ||
	    columns > 16 || (uint64_t)slots * 12 > bytes_left(&b) ||
	    4ull * columns * (1 + 2 * (uint64_t)units) > bytes_left(&b) - 12ull * slots)
		return dwarf_fault(f, PART_CU_INDEX, 0, "the package's index is inconsistent");
	row = find_row(b, id, slots);
	if (!row || row > units)
		return false;
	table = b.at + 12ull * slots;
	memcpy(part, f->part, sizeof(f->part));
	bytes_seek(&b, table);
	offsets = sizes = b;
	bytes_seek(&offsets, table + 4ull * columns * row);
	bytes_seek(&sizes, table + 4ull * columns * (row + units));
	for (i = 0; i < columns; i++) {
		enum dwarf_part p = column(version, bytes_u32(&b));
		uint32_t offset = bytes_u32(&offsets), size = bytes_u32(&sizes);

		if (p == PARTS)
			continue;
		if (offset > part[p].size || size > part[p].size - offset)
			return dwarf_fault(f, PART_CU_INDEX, b.at,
					   "a unit's share of the package is out of bounds");
		part[p].base += offset;
		part[p].size = size;
	}
	return !b.bad && !offsets.bad && !sizes.bad;
}
