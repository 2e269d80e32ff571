/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names for an XRay log that was made from an instruction trace: an ELF file that XRay's tools (and
 * post) accept as the program, with the functions' symbols and the section xray_instr_map.
 * Addresses are function numbers times 16, because the functions' own addresses come from several
 * processes and times. The file is laid out here since libelf cannot write to pipes.
 */
#include "export/xray/xray_runs.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "export/writer.h"
#include "job.h"

#define FIRST 0x1000u /* of the first function: its address and its offset in the file */
#define APART 16u
#define ENTRY \
	32u /* bytes of a map entry: addresses of the sled and its function, kind, always, version
	     * 0 */

enum { TEXT = 1, SYMBOLS, NAMES, MAP, SECTIONS_NAMES, SECTIONS };

static const char section_names[] = "\0.text\0.symtab\0.strtab\0xray_instr_map\0.shstrtab";
static const uint8_t section_name[SECTIONS] = { 0, 1, 7, 15, 23, 38 };

/* Returns the machine if XRay's tools can read its maps, else 0. */
static uint16_t machine_of(const struct pifile_header *h)
{
	static const struct {
		const char *name;
		uint16_t machine;
	} list[] = {
		{ "x86_64", EM_X86_64 },
		{ "aarch64", EM_AARCH64 },
		{ "ppc64le", EM_PPC64 },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (!strncmp(h->machine, list[i].name, sizeof(h->machine)))
			return list[i].machine;
	}
	return EM_NONE;
}

struct elf_out {
	FILE *out;
	const struct job *job;
	const struct xray_functions *f;
	uint64_t names; /* size in bytes */
};

static const char *name_of(const struct elf_out *e, uint32_t i)
{
	return e->job->model->names.symbols.symbol[e->f->symbol[i]].name;
}

static void put(struct elf_out *e, const void *data, size_t size)
{
	fwrite(data, size, 1, e->out);
}

static Elf64_Shdr section(unsigned int i, uint32_t type, uint64_t flags, uint64_t offset,
			  uint64_t size, uint64_t entry)
{
	return (Elf64_Shdr){
		.sh_name = htole32(section_name[i]),
		.sh_type = htole32(type),
		.sh_flags = htole64(flags),
		.sh_offset = htole64(offset),
		.sh_size = htole64(size),
		.sh_addr = flags & SHF_ALLOC ? htole64(offset) : 0,
		.sh_entsize = htole64(entry),
		.sh_addralign = htole64(1),
	};
}

/* Writes header, segment, code (empty: zeros), map, symbols, names, section names, section
 * table. */
static void write_elf(struct elf_out *e)
{
	const uint64_t n = e->f->count, text = n * APART, map = FIRST + text;
	const uint64_t symbols = map + n * ENTRY, names = symbols + (n + 1) * sizeof(Elf64_Sym);
	const uint64_t table = names + e->names + sizeof(section_names);
	static const uint8_t zeros[FIRST];
	Elf64_Shdr s[SECTIONS] = {
		[TEXT] = section(TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, FIRST, text, 0),
		[SYMBOLS] = section(SYMBOLS, SHT_SYMTAB, 0, symbols, (n + 1) * sizeof(Elf64_Sym),
				    sizeof(Elf64_Sym)),
		[NAMES] = section(NAMES, SHT_STRTAB, 0, names, e->names, 0),
		[MAP] = section(MAP, SHT_PROGBITS, SHF_ALLOC, map, n * ENTRY, 0),
		[SECTIONS_NAMES] = section(SECTIONS_NAMES, SHT_STRTAB, 0, names + e->names,
					   sizeof(section_names), 0),
	};
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = htole16(ET_EXEC),
		.e_machine = htole16(machine_of(&e->job->input->header)),
		.e_version = htole32(EV_CURRENT),
		.e_phoff = htole64(sizeof(head)),
		.e_shoff = htole64(table),
		.e_ehsize = htole16(sizeof(head)),
		.e_phentsize = htole16(sizeof(Elf64_Phdr)),
		.e_phnum = htole16(1),
		.e_shentsize = htole16(sizeof(Elf64_Shdr)),
		.e_shnum = htole16(SECTIONS),
		.e_shstrndx = htole16(SECTIONS_NAMES),
	};
	Elf64_Phdr segment = {
		.p_type = htole32(PT_LOAD),
		.p_flags = htole32(PF_R | PF_X),
		.p_offset = htole64(FIRST),
		.p_vaddr = htole64(FIRST),
		.p_paddr = htole64(FIRST),
		.p_filesz = htole64(text + n * ENTRY),
		.p_memsz = htole64(text + n * ENTRY),
		.p_align = htole64(FIRST),
	};
	Elf64_Sym symbol = { 0 };
	uint64_t at = 1, sled[ENTRY / 8] = { 0 };
	uint32_t i;

	put(e, &head, sizeof(head));
	put(e, &segment, sizeof(segment));
	put(e, zeros, FIRST - sizeof(head) - sizeof(segment));
	for (i = 0; i < n; i++)
		put(e, zeros, APART);
	for (i = 0; i < n; i++) {
		sled[0] = sled[1] = htole64(FIRST + (uint64_t)i * APART);
		put(e, sled, sizeof(sled));
	}
	put(e, &symbol, sizeof(symbol));
	for (i = 0; i < n; i++) {
		symbol = (Elf64_Sym){
			.st_name = htole32((uint32_t)at),
			.st_shndx = htole16(TEXT),
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_value = htole64(FIRST + (uint64_t)i * APART),
			.st_size = htole64(APART),
		};
		put(e, &symbol, sizeof(symbol));
		at += strlen(name_of(e, i)) + 1;
	}
	put(e, zeros, 1);
	for (i = 0; i < n; i++)
		put(e, name_of(e, i), strlen(name_of(e, i)) + 1);
	put(e, section_names, sizeof(section_names));
	s[SYMBOLS].sh_link = htole32(NAMES);
	s[SYMBOLS].sh_info = htole32(1);
	put(e, s, sizeof(s));
}

static int xray_map_write(const struct job *job, FILE *out)
{
	struct xray_functions f = { 0 };
	struct elf_out e = { .out = out, .job = job, .f = &f, .names = 1 };
	int rc;

	if (job->input->calls) {
		complain(
			"--format xray-map: the functions of an XRay log are in the program that it is of");
		return -EOPNOTSUPP;
	}
	rc = xray_runs(job, &f, NULL, NULL);
	for (uint32_t i = 0; !rc && i < f.count; i++)
		e.names += strlen(name_of(&e, i)) + 1;
	if (!rc && e.names > UINT32_MAX)
		rc = -EOVERFLOW;
	if (!rc)
		write_elf(&e);
	xray_functions_free(&f);
	return rc;
}

const struct writer writer_xray_map = {
	.name = "xray-map",
	.what = "names for an XRay log that was written from an instruction trace",
	.write = xray_map_write,
	.path = "post.xray.map",
	.needs = NEED_RUNS,
};
