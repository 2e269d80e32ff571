/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of one ELF file that are used: build id, segments, symbols, PLT entries, and the name
 * of its debug file. The file may be damaged or malicious: parts that contradict each other are
 * ignored.
 */
#ifndef A2N_ELF_H
#define A2N_ELF_H

#include <gelf.h>

#include "base/cursor.h"
#include "a2n/elf/symtab.h"

#define BUILD_ID_MAX 64

struct build_id {
	uint8_t size; /* 0: none */
	uint8_t id[BUILD_ID_MAX];
};

/* An executable part of the program: file offset to virtual address. */
struct elf_segment {
	uint64_t offset, size, address;
};

struct section {
	uint64_t address, size, entry;
	uint32_t type, link, info;
	bool code;        /* loaded and executable */
	bool data;        /* loaded, not executable, not thread-local */
	const char *name; /* NULL when damaged */
	Elf_Scn *scn;
};

struct elf_file {
	Elf *elf;
	int fd; /* -1: in memory */
	GElf_Ehdr header;
	struct section *sections; /* by index; none when the file has no section headers */
	uint32_t n_sections;
	struct elf_segment *segments; /* executable ones */
	uint32_t n_segments;
	bool hollow; /* segments without contents: offsets are invalid */
};

/* Takes ownership of fd, also on failure. NULL, or the reason of the failure. */
const char *elf_file_open(struct elf_file *f, int fd);
/* The same for a file with debugging information, which may be an object file. */
const char *elf_file_open_any(struct elf_file *f, int fd);
const char *elf_file_open_memory(struct elf_file *f, const void *image, size_t size);
void elf_file_close(struct elf_file *f);

void elf_file_build_id(struct elf_file *f, struct build_id *id);
static inline bool same_build_id(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->id, b->id, a->size);
}

/* Returns the name in .gnu_debuglink (no folder), "" if none, and the file's CRC. */
void elf_file_debuglink(struct elf_file *f, char *name, size_t size, uint32_t *crc);

/* Each adds the symbols that it finds and returns their number. */
uint32_t elf_symbols_full(struct elf_file *f, struct symtab *t);      /* .symtab */
uint32_t elf_symbols_dynamic(struct elf_file *f, struct symtab *t);   /* .dynsym, PT_DYNAMIC */
uint32_t elf_symbols_debugdata(struct elf_file *f, struct symtab *t); /* .gnu_debugdata */
uint32_t elf_symbols_plt(struct elf_file *f, struct symtab *t);       /* last: name@plt */
/* … variables, by .symtab and by .dynsym. */
uint32_t elf_variables(struct elf_file *f, struct symtab *t);
uint32_t elf_variables_exported(struct elf_file *f, struct symtab *t);

/* Internal, for the functions above. */
struct bytes elf_bytes(const struct elf_file *f, const void *base, size_t size);
struct bytes elf_section_bytes(const struct elf_file *f, const struct section *s);
/* Returns bytes of the file by virtual address, through the program headers. */
struct bytes elf_address_bytes(const struct elf_file *f, uint64_t address, uint64_t size);
/* The same with relative relocations applied, as for a program at its link address. *own: memory
 * that the caller frees, or NULL. */
struct bytes elf_relocated(struct elf_file *f, uint64_t address, uint64_t size, void **own);
/* Returns a string of a string table; NULL if it is not terminated. */
const char *elf_string(const struct bytes *strings, uint64_t offset, size_t *length);
bool elf_take_symbol(const struct elf_file *f, const GElf_Sym *sym, const char *name, size_t length,
		     uint64_t limit, struct symtab *t);
uint32_t elf_symbols_dynsym(struct elf_file *f, struct symtab *t);  /* .dynsym, by sections */
uint32_t elf_symbols_segment(struct elf_file *f, struct symtab *t); /* PT_DYNAMIC, no sections */

#endif
