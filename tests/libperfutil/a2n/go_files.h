/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small programs with Go's table of functions, for tests: of each layout, byte order and size of
 * addresses, with or without names of sections, where they were linked or to be relocated.
 */
#ifndef GO_FILES_H
#define GO_FILES_H

#include <elf.h>

#include "elf_files.h"

enum go_layout { GO_2, GO_16, GO_18, GO_20, GO_26, GO_LAYOUTS };
enum { GO_NAMED, GO_MERGED, GO_NAMELESS, GO_NO_SECTIONS, GO_STYLES };

#define GO_TEXT    0x401000ull
#define GO_RUNTIME 0x401040ull /* C code precedes it, from an external linker */
#define GO_DATA    0x402000ull
#define GO_TABLE   (GO_DATA + 0x120)
#define GO_STEPS   3

struct go_file {
	enum go_layout layout;
	uint8_t word;
	bool big, pie;
	int style;
	uint16_t machine;
	uint8_t image[0x4000];
	size_t size, at;
	size_t table_end; /* its offset in the image */
};

static const struct go_made {
	uint64_t entry, end;
	const char *name;
	uint32_t line[GO_STEPS]; /* of each 16 bytes, the last of all that follow */
} go_made[] = {
	{ GO_RUNTIME, GO_RUNTIME + 0x40, "main.first", { 10, 12, 9 } },
	{ GO_RUNTIME + 0x40, GO_RUNTIME + 0x80, "main.(*T).second", { 300, 301, 4 } },
	{ GO_RUNTIME + 0x80, GO_RUNTIME + 0x100, "main.Sum[...]", { 7, 7, 8 } },
};
#define GO_MADE   (sizeof(go_made) / sizeof(go_made[0]))
#define GO_SOURCE "/src/made/main.go"

static inline void go_put(struct go_file *f, uint64_t v, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		f->image[f->at++] = (uint8_t)(v >> 8 * (f->big ? size - 1 - i : i));
}

static inline void go_word(struct go_file *f, uint64_t v)
{
	go_put(f, v, f->word);
}

static inline void go_uleb(struct go_file *f, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		go_put(f, v | 0x80, 1);
	go_put(f, v, 1);
}

static inline void go_text(struct go_file *f, const char *s)
{
	memcpy(f->image + f->at, s, strlen(s) + 1);
	f->at += strlen(s) + 1;
}

/* An address in data; a relocated place contains 0. */
static inline uint64_t go_address(struct go_file *f, uint64_t *rela, uint64_t address)
{
	size_t at = f->at;
	uint32_t type = f->machine == EM_S390    ? R_390_RELATIVE :
			f->machine == EM_AARCH64 ? R_AARCH64_RELATIVE :
						   R_X86_64_RELATIVE;

	if (!f->pie)
		return address;
	f->at = *rela;
	go_word(f, GO_DATA + at - 0x2000);
	go_word(f, type);
	go_word(f, address);
	*rela = f->at;
	f->at = at;
	return 0;
}

/* f: layout, word, big, pie, style and machine are told. */
static inline void go_make(struct go_file *f)
{
	static const uint32_t magic[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1,
					  0xfffffff1 };
	static const char names[] = "\0.text\0.gopclntab\0.data.rel.ro\0.go.module\0.shstrtab\0"
				    ".note.go.buildid";
	bool old = f->layout == GO_2, eighteen = f->layout >= GO_18;
	uint8_t quantum = f->machine == EM_386 || f->machine == EM_X86_64 ? 1 :
			  f->machine == EM_S390                           ? 2 :
									    4;
	uint8_t entry = eighteen ? 4 : f->word;
	const size_t table = GO_TABLE - GO_DATA + 0x2000, module = 0x2c00, dynamic = 0x2e00;
	uint64_t rela = 0x3000, fields = table + 8 + f->word * (old ? 1 : eighteen ? 3 : 2);
	uint64_t functions, files, strings, function[GO_MADE], lines[GO_MADE], file_steps, i, k;
	uint64_t base = table, name_base = table;

	memset(f->image, 0, sizeof(f->image));
	/* ---- header, names, units, files, steps, functions (at first in another order) */
	f->at = table;
	go_put(f, magic[f->layout], 4);
	go_put(f, 0, 2);
	go_put(f, quantum, 1);
	go_put(f, f->word, 1);
	go_word(f, GO_MADE);
	if (!old)
		go_word(f, 1);
	if (f->layout == GO_18 || f->layout == GO_20)
		go_word(f, go_address(f, &rela, GO_RUNTIME));
	functions = f->at;
	if (old)
		f->at += (2 * GO_MADE + 1) * f->word + 4;
	else
		f->at = fields + 5ull * f->word;
	/* names */
	strings = f->at;
	name_base = old ? table : strings;
	for (i = 0; i < GO_MADE; i++)
		go_text(f, go_made[i].name);
	/* units */
	f->at = (f->at + 3) & ~3ull;
	k = f->at; /* the unit's list: one file, behind one that is none */
	go_put(f, 0xffffffff, 4);
	go_put(f, 0, 4);
	files = f->at;
	if (old) {
		go_put(f, 2, 4);
		go_put(f, f->at + 4 - table, 4);
	}
	go_text(f, GO_SOURCE);
	/* steps; 0 is none */
	base = old ? table : f->at;
	if (!old)
		go_put(f, 0, 1);
	file_steps = f->at - base;
	go_uleb(f, 4); /* from -1 to 1 */
	go_uleb(f, 0x100 / quantum);
	go_put(f, 0, 1);
	for (i = 0; i < GO_MADE; i++) {
		int64_t before = -1;

		lines[i] = f->at - base;
		for (unsigned int s = 0; s < GO_STEPS; s++) {
			int64_t change = (int64_t)go_made[i].line[s] - before;

			before = go_made[i].line[s];
			if (s && !change) {
				/* no step: the one before is longer, so an odd table is made */
				f->at--;
				go_uleb(f, 32 / quantum);
				continue;
			}
			go_uleb(f, (uint32_t)(change < 0 ? ~(change * 2) : change * 2));
			go_uleb(f, s + 1 == GO_STEPS ? 0x100 / quantum : 16u / quantum);
		}
		go_put(f, 0, 1);
	}
	f->at = (f->at + 7) & ~7ull;
	if (!old) {
		size_t at = f->at;

		functions = at;
		f->at = fields;
		go_word(f, strings - table);
		go_word(f, k - table);
		go_word(f, files - table);
		go_word(f, base - table);
		go_word(f, functions - table);
		f->at = at + (2 * GO_MADE + 1) * entry;
	}
	for (i = 0; i < GO_MADE; i++) {
		f->at = (f->at + 7) & ~7ull;
		function[i] = f->at - (old ? table : functions);
		if (eighteen)
			go_put(f, go_made[i].entry - GO_RUNTIME, 4);
		else
			go_word(f, go_address(f, &rela, go_made[i].entry));
		go_put(f, strings - name_base, 4);
		strings += strlen(go_made[i].name) + 1;
		go_put(f, 0, 4); /* args */
		go_put(f, 0, 4);
		go_put(f, 0, 4); /* stack */
		go_put(f, file_steps, 4);
		go_put(f, lines[i], 4);
		go_put(f, 0, 4);
		go_put(f, 0, 4); /* unit */
	}
	f->table_end = f->at;
	f->at = functions;
	for (i = 0; i <= GO_MADE; i++) {
		uint64_t at = i < GO_MADE ? go_made[i].entry : go_made[i - 1].end;

		if (eighteen)
			go_put(f, at - GO_RUNTIME, 4);
		else
			go_word(f, go_address(f, &rela, at));
		if (i < GO_MADE)
			go_put(f, function[i], entry);
	}
	if (old)
		go_put(f, files - table, 4);
	/* ---- moduledata: table, names, …, code */
	f->at = module;
	go_word(f, go_address(f, &rela, GO_TABLE));
	go_word(f, go_address(f, &rela, GO_TABLE + (name_base == table ? 0 : 8 + 8ull * f->word)));
	f->at = module + 22ull * f->word;
	go_word(f, go_address(f, &rela, GO_RUNTIME));
	/* ---- dynamic */
	f->at = dynamic;
	go_word(f, DT_RELA);
	go_word(f, GO_DATA + 0x1000);
	go_word(f, DT_RELASZ);
	go_word(f, rela - 0x3000);
	go_word(f, DT_NULL);
	go_word(f, 0);
	/* ---- ELF */
	f->at = 0x3800;
	memcpy(f->image + f->at, names, sizeof(names));
	f->at = 0x3900;
	for (i = 0; i < 6 && f->style != GO_NO_SECTIONS; i++) {
		static const struct {
			uint32_t name, type, flags;
			uint64_t address, size;
		} sections[] = {
			{ 0, 0, 0, 0, 0 },
			{ 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, GO_TEXT, 0x200 },
			{ 7, SHT_PROGBITS, SHF_ALLOC, GO_TABLE, 0x900 },
			{ 31, SHT_PROGBITS, SHF_ALLOC, GO_DATA + 0xc00, 0x200 },
			{ 52, SHT_NOTE, 0, 0, 0 },
			{ 42, SHT_STRTAB, 0, 0, sizeof(names) },
		};
		uint32_t name = f->style == GO_NAMELESS ? 0 : sections[i].name;
		uint64_t offset = i == 5       ? 0x3800 :
				  i == 4 || !i ? 0 :
						 sections[i].address - 0x400000;

		if (f->style == GO_MERGED && (i == 2 || i == 3))
			name = 18;
		go_put(f, name, 4);
		go_put(f, sections[i].type, 4);
		go_word(f, sections[i].flags);
		go_word(f, sections[i].address);
		go_word(f, offset);
		go_word(f, sections[i].size);
		go_put(f, 0, 8);
		go_word(f, 1);
		go_word(f, 0);
	}
	f->size = f->at;
	f->at = 0;
	memcpy(f->image, ELFMAG, 4);
	f->at = 4;
	go_put(f, f->word == 8 ? ELFCLASS64 : ELFCLASS32, 1);
	go_put(f, f->big ? ELFDATA2MSB : ELFDATA2LSB, 1);
	go_put(f, 1, 1);
	f->at = 16;
	go_put(f, f->pie ? ET_DYN : ET_EXEC, 2);
	go_put(f, f->machine, 2);
	go_put(f, 1, 4);
	go_word(f, GO_RUNTIME);
	go_word(f, 0x100);
	go_word(f, f->style == GO_NO_SECTIONS ? 0 : 0x3900);
	go_put(f, 0, 4);
	go_put(f, f->word == 8 ? 64 : 52, 2);
	go_put(f, f->word == 8 ? 56 : 32, 2);
	go_put(f, f->pie ? 3 : 2, 2);
	go_put(f, f->word == 8 ? 64 : 40, 2);
	go_put(f, f->style == GO_NO_SECTIONS ? 0 : 6, 2);
	go_put(f, f->style == GO_NO_SECTIONS ? 0 : 5, 2);
	f->at = 0x100;
	for (i = 0; i < 3; i++) {
		static const struct {
			uint32_t type, flags;
			uint64_t offset, size;
		} segments[] = {
			{ PT_LOAD, PF_R | PF_X, 0x1000, 0x1000 },
			{ PT_LOAD, PF_R, 0x2000, 0x1800 },
			{ PT_DYNAMIC, PF_R, 0x2e00, 0x60 },
		};

		go_put(f, segments[i].type, 4);
		if (f->word == 8)
			go_put(f, segments[i].flags, 4);
		go_word(f, segments[i].offset);
		go_word(f, 0x400000 + segments[i].offset);
		go_word(f, 0x400000 + segments[i].offset);
		go_word(f, segments[i].size);
		go_word(f, segments[i].size);
		if (f->word == 4)
			go_put(f, segments[i].flags, 4);
		go_word(f, 0x1000);
	}
}

#endif
