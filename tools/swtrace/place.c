/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A symbol's byte in an ELF file of this machine. The file may be anything: all is checked. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "place.h"
#include "swtrace.h"

struct image {
	const uint8_t *bytes;
	size_t size;
	Elf64_Ehdr header;
};

static bool get(const struct image *m, uint64_t at, void *to, size_t n)
{
	if (at > m->size || n > m->size - at)
		return false;
	memcpy(to, m->bytes + at, n);
	return true;
}

/* The byte at which the code of that address stands. */
static bool offset_of(const struct image *m, uint64_t address, uint64_t *offset)
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

static bool named(const struct image *m, const Elf64_Shdr *strings, uint32_t at, const char *name)
{
	size_t n = strlen(name) + 1;

	return at < strings->sh_size && n <= strings->sh_size - at &&
	       strings->sh_offset <= m->size && at + n <= m->size - strings->sh_offset &&
	       !memcmp(m->bytes + strings->sh_offset + at, name, n);
}

static bool in_table(const struct image *m, const Elf64_Shdr *table, const char *name,
		     uint64_t *address)
{
	Elf64_Shdr strings;
	Elf64_Sym s;

	if (!get(m, m->header.e_shoff + table->sh_link * sizeof(strings), &strings,
		 sizeof(strings)))
		return false;
	for (uint64_t at = 0; at < table->sh_size && get(m, table->sh_offset + at, &s, sizeof(s));
	     at += sizeof(s))
		if (s.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s.st_info) == STT_FUNC &&
		    named(m, &strings, s.st_name, name)) {
			*address = s.st_value;
			return true;
		}
	return false;
}

static bool symbol(const struct image *m, const char *name, uint64_t *address)
{
	Elf64_Shdr s;

	for (unsigned int i = 0; i < m->header.e_shnum; i++)
		if (get(m, m->header.e_shoff + i * sizeof(s), &s, sizeof(s)) &&
		    (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM) &&
		    in_table(m, &s, name, address))
			return true;
	/* Where a program begins has a name also in one that has none. */
	*address = m->header.e_entry;
	return !strcmp(name, "_start");
}

static bool find(const char *option, const struct image *m, const char *file, const char *name,
		 uint64_t *offset)
{
	char *end;
	uint64_t address = strtoull(name, &end, 16);
	const uint8_t order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	if (m->size < sizeof(m->header) || memcmp(m->header.e_ident, ELFMAG, SELFMAG) ||
	    m->header.e_ident[EI_CLASS] != ELFCLASS64 || m->header.e_ident[EI_DATA] != order)
		return fail("%s: %s is no 64-bit ELF file of this machine: say FILE:%s", option, file,
			    name), false;
	if (strncmp(name, "0x", 2) || *end) {
		if (!symbol(m, name, &address))
			return fail("%s: %s has no function %s (if it was stripped: give its address, 0x..., as objdump -d shows it; _start is always there)",
				    option, file, name), false;
	}
	if (!offset_of(m, address, offset))
		return fail("%s: %s has no code at 0x%llx", option, file,
			    (unsigned long long)address), false;
	return true;
}

bool place_find(const char *option, const char *text, const char *program, char *file, size_t room,
		uint64_t *offset)
{
	const char *colon = strrchr(text, ':');
	struct image m = { 0 };
	char path[PATH_MAX], real[PATH_MAX];
	struct stat st;
	bool ok;
	int fd;

	if (!colon && !program)
		return fail("%s: of which file? say FILE:%s", option, text), false;
	snprintf(path, sizeof(path), "%.*s", colon ? (int)(colon - text) : PATH_MAX - 1,
		 colon ? text : program);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !realpath(path, real) ||
	    strlen(real) >= room) {
		fail("%s: %s: %s", option, path, fd < 0 ? strerror(errno) : "no file that can be used");
		if (fd >= 0)
			close(fd);
		return false;
	}
	strcpy(file, real);
	m.size = (size_t)st.st_size;
	m.bytes = m.size ? mmap(NULL, m.size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	close(fd);
	if (m.bytes == MAP_FAILED)
		return fail("%s: %s: it is empty, or cannot be read", option, path), false;
	get(&m, 0, &m.header, sizeof(m.header));
	ok = find(option, &m, path, colon ? colon + 1 : text, offset);
	munmap((void *)(uintptr_t)m.bytes, m.size);
	return ok;
}
