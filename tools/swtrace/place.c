/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the file offset of a symbol in an ELF file of this machine. The file is untrusted: every
 * offset and size is checked. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "place.h"
#include "base/regular.h"
#include "swtrace.h"

#define TABLES_MAX (1u << 30) /* of symbols and names per file, bytes */

/* The file is read, not mapped: its owner may truncate it at any time. */
struct elf_program {
	int fd;
	Elf64_Ehdr header;
	uint64_t left; /* bytes of tables that may still be read */
};

static bool get(const struct elf_program *m, uint64_t at, void *to, size_t n)
{
	return at <= INT64_MAX - n && pread(m->fd, to, n, (off_t)at) == (ssize_t)n;
}

/* Reads a table of the file. Returns NULL if it is missing or too large; the caller frees it. */
static void *get_all(struct elf_program *m, uint64_t at, uint64_t size)
{
	void *p = size && size <= m->left ? malloc(size) : NULL;

	m->left -= p ? size : 0;
	if (p && !get(m, at, p, size)) {
		free(p);
		p = NULL;
	}
	return p;
}

/* Converts an address of code to its offset in the file. */
static bool offset_of(const struct elf_program *m, uint64_t address, uint64_t *offset)
{
	Elf64_Phdr p;

	for (unsigned int i = 0; i < m->header.e_phnum; i++)
		if (get(m, m->header.e_phoff + i * sizeof(p), &p, sizeof(p)) &&
		    p.p_type == PT_LOAD && p.p_flags & PF_X && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz) {
			*offset = address - p.p_vaddr + p.p_offset;
			return true;
		}
	return false;
}

static bool named(const char *strings, uint64_t size, uint32_t at, const char *name)
{
	size_t n = strlen(name) + 1;

	return at < size && n <= size - at && !memcmp(strings + at, name, n);
}

static bool in_table(struct elf_program *m, const Elf64_Shdr *table, const char *name,
		     uint64_t *address)
{
	Elf64_Sym *symbols = NULL;
	char *names = NULL;
	Elf64_Shdr strings;
	bool found = false;

	if (get(m, m->header.e_shoff + table->sh_link * sizeof(strings), &strings,
		sizeof(strings))) {
		symbols = get_all(m, table->sh_offset, table->sh_size);
		names = get_all(m, strings.sh_offset, strings.sh_size);
	}
	for (uint64_t i = 0; symbols && names && !found && i < table->sh_size / sizeof(*symbols);
	     i++) {
		const Elf64_Sym *s = &symbols[i];

		found = s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
			named(names, strings.sh_size, s->st_name, name);
		if (found)
			*address = s->st_value;
	}
	free(symbols);
	free(names);
	return found;
}

static bool symbol(struct elf_program *m, const char *name, uint64_t *address)
{
	Elf64_Shdr s;

	for (unsigned int i = 0; i < m->header.e_shnum; i++)
		if (get(m, m->header.e_shoff + i * sizeof(s), &s, sizeof(s)) &&
		    (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM) &&
		    in_table(m, &s, name, address))
			return true;
	/* Accept _start as the entry point even in a program without symbols. */
	*address = m->header.e_entry;
	return !strcmp(name, "_start");
}

static bool find(const char *option, struct elf_program *m, const char *file, const char *name,
		 uint64_t *offset)
{
	char *end;
	uint64_t address = strtoull(name, &end, 16);
	const uint8_t order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	if (memcmp(m->header.e_ident, ELFMAG, SELFMAG) ||
	    m->header.e_ident[EI_CLASS] != ELFCLASS64 || m->header.e_ident[EI_DATA] != order) {
		fail("%s: %s is not a 64-bit ELF file of this machine: give FILE:%s", option, file,
		     name);
		return false;
	}
	if (strncmp(name, "0x", 2) || *end) {
		if (!symbol(m, name, &address)) {
			fail("%s: %s has no function %s (if the file was stripped, give an address, 0x..., as objdump -d shows it; _start always exists)",
			     option, file, name);
			return false;
		}
	}
	if (!offset_of(m, address, offset)) {
		fail("%s: %s has no code at 0x%llx", option, file, (unsigned long long)address);
		return false;
	}
	return true;
}

bool place_find(const char *option, const char *text, const char *program, char *file, size_t room,
		uint64_t *offset)
{
	const char *colon = strrchr(text, ':');
	struct elf_program m = { .left = TABLES_MAX };
	char path[PATH_MAX], real[PATH_MAX];
	bool ok;

	if (!colon && !program) {
		fail("%s: '%s' names no file: give FILE:%s", option, text, text);
		return false;
	}
	snprintf(path, sizeof(path), "%.*s", colon ? (int)(colon - text) : PATH_MAX - 1,
		 colon ? text : program);
	m.fd = regular_open(path, 0, NULL);
	if (m.fd < 0 || !realpath(path, real) || strlen(real) >= room) {
		fail("%s: %s: %s", option, path,
		     m.fd < 0 && errno != EINVAL ? strerror(errno) : "not a regular file");
		if (m.fd >= 0)
			close(m.fd);
		return false;
	}
	strcpy(file, real);
	get(&m, 0, &m.header, sizeof(m.header));
	ok = find(option, &m, path, colon ? colon + 1 : text, offset);
	close(m.fd);
	return ok;
}
