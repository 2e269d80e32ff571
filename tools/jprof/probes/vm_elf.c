/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vm_elf.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/build_note.h"
#include "base/cursor.h"

static struct bytes bytes_at(const struct vm_elf *f, size_t at)
{
	struct bytes b = bytes_of(f->data, f->size);

	bytes_seek(&b, at);
	return b;
}

static bool read_at(const struct vm_elf *f, size_t at, void *to, size_t size)
{
	struct bytes b = bytes_at(f, at);
	const void *p = bytes_take(&b, size);

	if (p)
		memcpy(to, p, size);
	return p;
}

/* ---- sections -------------------------------------------------------------------------------- */

static bool header(const struct vm_elf *f, ElfW(Ehdr) * e)
{
	return read_at(f, 0, e, sizeof(*e)) && !memcmp(e->e_ident, ELFMAG, SELFMAG) &&
	       e->e_shentsize == sizeof(ElfW(Shdr));
}

static bool section(const struct vm_elf *f, const ElfW(Ehdr) * e, uint32_t number, ElfW(Shdr) * s)
{
	return number < e->e_shnum &&
	       read_at(f, e->e_shoff + (size_t)number * sizeof(*s), s, sizeof(*s));
}

/* Finds the first section of this type from *from on, and advances it. */
static bool find_section(const struct vm_elf *f, uint32_t type, uint32_t *from, ElfW(Shdr) * s)
{
	ElfW(Ehdr) e;

	if (!header(f, &e))
		return false;
	while (section(f, &e, *from, s)) {
		++*from;
		if (s->sh_type == type)
			return true;
	}
	return false;
}

/* Whether a section contains the text and its NUL at this offset. */
static bool is_text(const struct vm_elf *f, const ElfW(Shdr) * strings, size_t at, const char *text)
{
	struct bytes b = bytes_at(f, strings->sh_offset + at);
	size_t n = strlen(text) + 1;
	const void *p = bytes_take(&b, n);

	return p && !memcmp(p, text, n);
}

/* ---- symbols --------------------------------------------------------------------------------- */

bool vm_elf_has_symbols(const struct vm_elf *f)
{
	uint32_t from = 0;
	ElfW(Shdr) s;

	return find_section(f, SHT_SYMTAB, &from, &s);
}

/* A section's part that is in the file. */
static struct bytes contents(const struct vm_elf *f, const ElfW(Shdr) * s)
{
	struct bytes b = bytes_at(f, s->sh_offset);
	size_t size = s->sh_size < bytes_left(&b) ? s->sh_size : bytes_left(&b);
	const uint8_t *p = bytes_take(&b, size);

	return bytes_of(p, p ? size : 0);
}

static bool is_name(const struct bytes *strings, size_t at, const char *name, size_t size)
{
	return at < strings->size && strings->base[at] == (uint8_t)*name &&
	       strings->size - at >= size && !memcmp(strings->base + at, name, size);
}

/* Returns the value of a symbol; name NULL: of the first symbol after `value`. 0: not found. The
 * VM's library has 100,000 symbols: each is looked at in place. */
static uint64_t find_in(const struct vm_elf *f, const ElfW(Shdr) * table, const char *name,
			uint64_t value)
{
	struct bytes symbols = contents(f, table), strings;
	size_t size = name ? strlen(name) + 1 : 0;
	uint64_t next = 0;
	ElfW(Shdr) names;
	ElfW(Ehdr) e;
	ElfW(Sym) s;

	if (!header(f, &e) || !section(f, &e, table->sh_link, &names))
		return 0;
	strings = contents(f, &names);
	for (size_t at = 0; symbols.size - at >= sizeof(s); at += sizeof(s)) {
		memcpy(&s, symbols.base + at, sizeof(s));
		if (s.st_shndx == SHN_UNDEF)
			continue;
		if (name && is_name(&strings, s.st_name, name, size))
			return s.st_value;
		if (!name && s.st_value > value && (!next || s.st_value < next))
			next = s.st_value;
	}
	return next;
}

/* The size is computed from the next symbol: distributions omit symbol sizes. */
uint64_t vm_elf_symbol(const struct vm_elf *f, const char *name, size_t *room)
{
	uint64_t found = 0, next = 0;
	uint32_t from = 0;
	ElfW(Shdr) s;

	while (!found && find_section(f, SHT_SYMTAB, &from, &s)) {
		found = find_in(f, &s, name, 0);
		next = found ? find_in(f, &s, NULL, found) : 0;
	}
	*room = next > found ? next - found : 0;
	return found;
}

/* ---- build id and debug file ----------------------------------------------------------------- */

const uint8_t *vm_elf_build_id(const struct vm_elf *f, uint32_t *size)
{
	const uint8_t *id = NULL;
	uint32_t from = 0;
	ElfW(Shdr) s;

	while (!id && find_section(f, SHT_NOTE, &from, &s)) {
		struct bytes b = bytes_at(f, s.sh_offset);
		const uint8_t *notes = bytes_take(&b, s.sh_size);

		if (notes)
			id = build_note(bytes_of(notes, s.sh_size), 4, VM_ELF_ID, size);
	}
	return id;
}

bool vm_elf_debug_name(const struct vm_elf *f, char name[NAME_MAX + 1])
{
	ElfW(Shdr) s, names;
	uint32_t from = 0;
	ElfW(Ehdr) e;

	if (!header(f, &e) || !section(f, &e, e.e_shstrndx, &names))
		return false;
	while (find_section(f, SHT_PROGBITS, &from, &s)) {
		struct bytes b = bytes_at(f, s.sh_offset);
		const char *p;

		if (!is_text(f, &names, s.sh_name, ".gnu_debuglink"))
			continue;
		p = (const char *)bytes_take(&b, s.sh_size);
		if (!p || !memchr(p, 0, s.sh_size) || !*p || strlen(p) > NAME_MAX || strchr(p, '/'))
			return false;
		strcpy(name, p);
		return true;
	}
	return false;
}
