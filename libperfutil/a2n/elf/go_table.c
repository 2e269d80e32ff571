/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Go's table of functions: finds it and reads its header and functions. It is found by its
 * section's name, or by its header where linkers merged it into other data (external linking, PIE)
 * or the section names are gone. Addresses in it are relocated as the dynamic linker would.
 */
#include <stdlib.h>

#include "a2n/elf/go_table.h"
#include "base/search.h"

#define GO_1_2  0xfffffffbu
#define GO_1_16 0xfffffffau
#define GO_1_18 0xfffffff0u
#define GO_1_20 0xfffffff1u

#define MAX_NAME 65536 /* longer than any function's name */
/* Few functions share a name, so all names together are not much larger than the table. */
#define NAMES_TIMES 4
#define NAMES_START 65536
/* A look-up of lines reads the line table of a function from its start. */
#define BUDGET_A_BYTE 64
/* Limit of candidates per part: each may cost a copy of everything that follows. */
#define MAX_PLACES 64
/* The word of Go's moduledata with the start of the code (from 1.26 on the header lacks it). */
#define MODULE_TEXT 22

static uint64_t word(struct bytes *b, uint8_t size)
{
	return size == 8 ? bytes_u64(b) : bytes_u32(b);
}

static bool new_layout(const struct go_table *g)
{
	return g->layout == GO_1_18 || g->layout == GO_1_20;
}

/* Size of entries and offsets of functions. */
static uint8_t entry_size(const struct go_table *g)
{
	return new_layout(g) ? 4 : g->word;
}

/* ---- header ---------------------------------------------------------------------------------- */

/* Checks for a header: the criterion of a search. */
static bool read_start(struct go_table *g, struct bytes *b, bool wide)
{
	uint16_t pad;

	g->layout = bytes_u32(b);
	pad = bytes_u16(b);
	g->quantum = bytes_u8(b);
	g->word = bytes_u8(b);
	return !b->bad && (g->layout == GO_1_2 || g->layout == GO_1_16 || new_layout(g)) && !pad &&
	       (g->quantum == 1 || g->quantum == 2 || g->quantum == 4) && g->word == (wide ? 8 : 4);
}

static bool read_header(struct go_table *g, bool wide)
{
	struct bytes b = g->table;
	uint64_t room;

	if (!read_start(g, &b, wide))
		return go_table_fault(g, 0, "unsupported header");
	g->n = word(&b, g->word);
	if (g->layout == GO_1_2) {
		g->names = g->steps = 0;
		g->functions = b.at;
	} else {
		word(&b, g->word); /* files */
		if (new_layout(g))
			g->text = word(&b, g->word);
		g->names = word(&b, g->word);
		g->units = word(&b, g->word);
		g->files = word(&b, g->word);
		g->steps = word(&b, g->word);
		g->functions = word(&b, g->word);
	}
	if (b.bad)
		return go_table_fault(g, b.at, "it ends in its header");
	if (g->names >= b.size || g->units >= b.size || g->files >= b.size || g->steps >= b.size ||
	    g->functions >= b.size)
		return go_table_fault(g, 8, "its header has offsets beyond its end");
	room = (b.size - g->functions) / entry_size(g);
	if (!g->n || !room || g->n > (room - 1) / 2)
		return go_table_fault(g, 8, "it has fewer functions than its header says");
	if (g->layout == GO_1_2) {
		bytes_seek(&b, g->functions + (2 * g->n + 1) * g->word);
		g->files = bytes_u32(&b);
		if (b.bad || g->files >= b.size)
			return go_table_fault(g, b.at, "its list of files is beyond its end");
	}
	g->budget = BUDGET_A_BYTE * (uint64_t)g->table.size;
	return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static uint64_t entry(const struct go_table *g, uint64_t i)
{
	struct bytes b = g->table;

	bytes_seek(&b, g->functions + 2 * i * entry_size(g));
	return g->text + word(&b, entry_size(g));
}

bool go_table_function(struct go_table *g, uint64_t i, struct go_function *function)
{
	uint64_t at = g->functions + (2 * i + 1) * entry_size(g), name;
	struct bytes b = g->table;

	bytes_seek(&b, at);
	function->entry = entry(g, i);
	function->end = entry(g, i + 1);
	function->at = word(&b, entry_size(g));
	/* Relative to the table at first, in later versions to its functions. */
	if (g->layout != GO_1_2)
		function->at += g->functions;
	if (b.bad || function->end < function->entry || function->at >= b.size)
		return go_table_fault(g, at, "its functions are out of order");
	bytes_seek(&b, function->at);
	if (g->text + word(&b, entry_size(g)) != function->entry)
		return go_table_fault(g, function->at, "a function's entry has another address");
	name = g->names + bytes_u32(&b);
	if (b.bad || name >= b.size)
		return go_table_fault(g, function->at, "a function's name is beyond its end");
	if (b.size > name + MAX_NAME)
		b.size = name + MAX_NAME;
	function->name = elf_string(&b, name, &function->length);
	if (!function->name)
		return go_table_fault(g, name, "a function's name is not terminated");
	return true;
}

bool go_table_find(struct go_table *g, uint64_t address, struct go_function *function)
{
	uint64_t low;

	if (address < entry(g, 0) || address >= entry(g, g->n))
		return false;
	low = search_sorted(i, 1, (uint64_t)g->n, entry(g, i) <= address) - 1;
	return go_table_function(g, low, function) && address >= function->entry &&
	       address < function->end;
}

uint32_t elf_symbols_go(struct elf_file *f, struct symtab *t, struct go_table *g)
{
	uint64_t names = 0, i;
	uint32_t found = 0, k;

	if (!go_table_open(f, g))
		return 0;
	for (i = 0; i < g->n && !t->failed; i++) {
		struct go_function function;

		if (!go_table_function(g, i, &function))
			break;
		names += function.length;
		if (names / NAMES_TIMES > g->table.size + NAMES_START) {
			go_table_fault(g, function.at,
				       "its functions have longer names than it "
				       "has room for");
			break;
		}
		for (k = 0; k < f->n_segments; k++) {
			const struct elf_segment *s = &f->segments[k];

			if (function.entry < s->address || function.entry - s->address >= s->size ||
			    s->size > UINT64_MAX - s->address || !function.length ||
			    function.end == function.entry)
				continue;
			symtab_add(t, function.entry, function.end - function.entry,
				   s->address + s->size, RANK_LABEL, function.name,
				   function.length);
			found++;
			break;
		}
	}
	return found;
}

/* ---- finding it ------------------------------------------------------------------------------ */

/* Returns bytes by address; *own is their memory if they had to be relocated. */
static bool take(struct elf_file *f, struct go_table *g, uint64_t address, uint64_t size)
{
	free(g->own);
	*g = (struct go_table){ .address = address };
	g->table = elf_relocated(f, address, size, &g->own);
	return g->table.size;
}

static bool is_wide(const struct elf_file *f)
{
	return f->header.e_ident[EI_CLASS] == ELFCLASS64;
}

/* Searches this part of the program for a header followed by a consistent table. */
static bool search(struct elf_file *f, struct go_table *g, uint64_t address, uint64_t size)
{
	struct bytes b = elf_address_bytes(f, address, size);
	unsigned int places = 0;
	uint64_t at;

	for (at = -address & 3; at + 8 <= b.size && places < MAX_PLACES; at += 4) {
		struct go_function first;
		struct bytes start = b;

		bytes_seek(&start, at);
		if (!read_start(g, &start, is_wide(f)))
			continue;
		places++;
		if (take(f, g, address + at, b.size - at) && read_header(g, is_wide(f)) &&
		    go_table_function(g, 0, &first) && go_table_function(g, g->n - 1, &first))
			return true;
	}
	free(g->own);
	*g = (struct go_table){ .own = NULL };
	return false;
}

static bool is_table(const char *name)
{
	return !strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab");
}

/* Checks for sections that only Go's linker creates. */
static bool is_gos(const char *name)
{
	return !strncmp(name, ".go.", 4) || !strcmp(name, ".note.go.buildid") ||
	       !strcmp(name, ".gosymtab") || !strcmp(name, ".typelink");
}

/* Checks for Go's build id, which remains if strip tools damage the section names. */
static bool has_gos_note(struct bytes b)
{
	while (bytes_left(&b)) {
		uint32_t name_size = bytes_u32(&b), size = bytes_u32(&b), type = bytes_u32(&b);
		const char *name = bytes_take(&b, ((uint64_t)name_size + 3) & ~3ull);

		if (name && name_size == 4 && type == 4 && !memcmp(name, "Go", 3))
			return true;
		if (!bytes_skip(&b, ((uint64_t)size + 3) & ~3ull))
			break;
	}
	return false;
}

static bool find_table(struct elf_file *f, struct go_table *g)
{
	bool named = false, go = false;
	size_t count = 0, i;
	GElf_Phdr h;

	for (i = 1; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];

		if (!s->name || !s->name[0])
			continue;
		named |= s->type != SHT_STRTAB;
		go |= is_gos(s->name);
		if (is_table(s->name) && s->address && s->type != SHT_NOBITS && s->size &&
		    take(f, g, s->address, s->size))
			return read_header(g, is_wide(f));
	}
	elf_getphdrnum(f->elf, &count);
	for (i = 0; i < count && named && !go && gelf_getphdr(f->elf, (int)i, &h); i++)
		go = h.p_type == PT_NOTE &&
		     has_gos_note(elf_address_bytes(f, h.p_vaddr, h.p_filesz));
	if (named && !go)
		return false;
	for (i = 0; i < count && gelf_getphdr(f->elf, (int)i, &h); i++)
		if (h.p_type == PT_LOAD && !(h.p_flags & PF_X) &&
		    search(f, g, h.p_vaddr, h.p_filesz))
			return true;
	return false;
}

/* ---- start of the code ---------------------------------------------------------------------- */

/* Go's moduledata begins with the addresses of the table and of its names. */
static bool text_of_module(struct elf_file *f, struct go_table *g, uint64_t address, uint64_t size)
{
	void *own = NULL;
	struct bytes b = elf_relocated(f, address, size, &own);
	bool found = false;
	uint64_t at;

	for (at = -address & (g->word - 1u); at < b.size && !found; at += g->word) {
		bytes_seek(&b, at);
		if (word(&b, g->word) != g->address || word(&b, g->word) != g->address + g->names)
			continue;
		if (!bytes_seek(&b, at + MODULE_TEXT * (uint64_t)g->word))
			break;
		g->text = word(&b, g->word);
		found = !b.bad;
	}
	free(own);
	return found;
}

static bool find_text(struct elf_file *f, struct go_table *g)
{
	size_t count = 0, i;
	GElf_Phdr h;

	for (i = 1; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];

		if (s->name && !strcmp(s->name, ".go.module") &&
		    text_of_module(f, g, s->address, s->size))
			return true;
	}
	elf_getphdrnum(f->elf, &count);
	for (i = 0; i < count && gelf_getphdr(f->elf, (int)i, &h); i++)
		if (h.p_type == PT_LOAD && !(h.p_flags & PF_X) &&
		    text_of_module(f, g, h.p_vaddr, h.p_filesz))
			return true;
	for (i = 1; i < f->n_sections; i++)
		if (f->sections[i].name && !strcmp(f->sections[i].name, ".text")) {
			g->text = f->sections[i].address;
			return true;
		}
	return go_table_fault(g, 0, "the start of its code is unknown");
}

bool go_table_open(struct elf_file *f, struct go_table *g)
{
	*g = (struct go_table){ .own = NULL };
	return find_table(f, g) && (!new_layout(g) || g->text || find_text(f, g));
}

void go_table_close(struct go_table *g)
{
	free(g->own);
	g->own = NULL;
	g->table = bytes_of("", 0);
	g->n = 0;
}
