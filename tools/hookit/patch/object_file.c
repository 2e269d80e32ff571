/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sections and functions of an ELF file: each read is bounded by the file's size. */
#include "object_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_machine.h"

#define MOST (UINT64_C(1) << 30) /* bytes of a part: a sparse file may declare any size */

bool patch_fault(struct patch_fault *f, uint64_t offset, const char *format, ...)
{
	va_list args;

	if (f->what[0])
		return false;
	f->offset = offset;
	va_start(args, format);
	vsnprintf(f->what, sizeof(f->what), format, args);
	va_end(args);
	return false;
}

/* Reads a part of the file; the caller frees it. NULL, with a fault. */
static void *read_part(const struct object_file *o, uint64_t offset, uint64_t size,
		       const char *what, struct patch_fault *f)
{
	uint8_t *part;
	uint64_t have = 0;
	ssize_t n;

	if (offset > o->size || size > o->size - offset) {
		patch_fault(f, offset, "%s: %llu bytes reach beyond the end of the file", what,
			    (unsigned long long)size);
		return NULL;
	}
	if (size > MOST) {
		patch_fault(f, offset, "%s: %llu bytes are more than a program has", what,
			    (unsigned long long)size);
		return NULL;
	}
	part = malloc(size ? size : 1);
	if (!part) {
		patch_fault(f, offset, "%s: no memory", what);
		return NULL;
	}
	while (have < size) {
		n = pread(o->fd, part + have, size - have, (off_t)(offset + have));
		if (n <= 0) {
			patch_fault(f, offset + have, "%s cannot be read", what);
			free(part);
			return NULL;
		}
		have += (uint64_t)n;
	}
	return part;
}

static bool read_header(struct object_file *o, struct patch_fault *f)
{
	const Elf64_Ehdr *h = &o->header;

	if (o->size < sizeof(*h) ||
	    pread(o->fd, &o->header, sizeof(*h), 0) != (ssize_t)sizeof(*h) ||
	    memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return patch_fault(f, 0, "not an ELF file");
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != OWN_DATA ||
	    h->e_machine != OWN_MACHINE)
		return patch_fault(f, EI_CLASS, "a program for another machine");
	if (h->e_phnum && h->e_phentsize != sizeof(Elf64_Phdr))
		return patch_fault(f, offsetof(Elf64_Ehdr, e_phentsize),
				   "headers of segments have %u bytes", h->e_phentsize);
	o->segments = read_part(o, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr),
				"the headers of segments", f);
	return o->segments != NULL;
}

static bool section_at(const struct object_file *o, uint32_t i, Elf64_Shdr *sh)
{
	struct bytes b = bytes_of(o->sections, (size_t)o->n_sections * sizeof(*sh));

	return i < o->n_sections && bytes_seek(&b, i * sizeof(*sh)) &&
	       bytes_copy(&b, sh, sizeof(*sh));
}

/* A file without section headers is valid. */
static bool read_sections(struct object_file *o, struct patch_fault *f)
{
	const Elf64_Ehdr *h = &o->header;
	uint64_t count = h->e_shnum;
	uint32_t names = h->e_shstrndx;
	Elf64_Shdr first, sh;

	if (!h->e_shoff)
		return true;
	if (h->e_shentsize != sizeof(sh))
		return patch_fault(f, offsetof(Elf64_Ehdr, e_shentsize),
				   "headers of sections have %u bytes", h->e_shentsize);
	if (h->e_shoff > o->size || o->size - h->e_shoff < sizeof(first) ||
	    pread(o->fd, &first, sizeof(first), (off_t)h->e_shoff) != (ssize_t)sizeof(first))
		return patch_fault(f, h->e_shoff, "the headers of sections are not in the file");
	if (!count)
		count = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (count > o->size / sizeof(sh))
		return patch_fault(f, h->e_shoff, "%llu sections are more than the file has",
				   (unsigned long long)count);
	o->sections = read_part(o, h->e_shoff, count * sizeof(sh), "the headers of sections", f);
	if (!o->sections)
		return false;
	o->n_sections = (uint32_t)count;
	if (!section_at(o, names, &sh))
		return patch_fault(f, offsetof(Elf64_Ehdr, e_shstrndx),
				   "the names of sections are in section %u, of %u", names,
				   o->n_sections);
	o->names = read_part(o, sh.sh_offset, sh.sh_size, "the names of sections", f);
	o->names_size = o->names ? sh.sh_size : 0;
	return o->names != NULL;
}

bool object_file_open(struct object_file *o, int fd, struct patch_fault *f)
{
	struct stat st;

	*o = (struct object_file){ .fd = fd };
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return patch_fault(f, 0, "not a file");
	o->size = (uint64_t)st.st_size;
	if (read_header(o, f) && read_sections(o, f))
		return true;
	object_file_close(o);
	return false;
}

void object_file_close(struct object_file *o)
{
	free(o->segments);
	free(o->sections);
	free(o->names);
	free(o->functions);
	free(o->strings);
	*o = (struct object_file){ .fd = -1 };
}

static const char *string_at(const char *strings, size_t size, uint64_t at)
{
	return at < size && memchr(strings + at, 0, size - at) ? strings + at : NULL;
}

bool object_file_section(const struct object_file *o, const char *name, Elf64_Shdr *sh)
{
	for (uint32_t i = 1; section_at(o, i, sh); i++) {
		const char *own = string_at(o->names, o->names_size, sh->sh_name);

		if (own && !strcmp(own, name))
			return true;
	}
	return false;
}

static int in_order(const void *a, const void *b)
{
	const struct object_function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

bool object_file_functions(struct object_file *o, struct patch_fault *f)
{
	Elf64_Shdr table, strings;
	struct bytes b;
	uint8_t *symbols;
	uint64_t n, i;

	if (!object_file_section(o, ".symtab", &table) || table.sh_type == SHT_NOBITS) {
		if (!object_file_section(o, ".dynsym", &table) || table.sh_type == SHT_NOBITS)
			return true;
	}
	if (!section_at(o, table.sh_link, &strings))
		return patch_fault(f, table.sh_offset, "the symbols' names are in no section");
	symbols = read_part(o, table.sh_offset, table.sh_size, "the symbols", f);
	if (!symbols)
		return false;
	o->strings = read_part(o, strings.sh_offset, strings.sh_size, "the symbols' names", f);
	n = table.sh_size / sizeof(Elf64_Sym);
	o->functions = o->strings ? malloc((n + 1) * sizeof(*o->functions)) : NULL;
	if (!o->functions) {
		free(symbols);
		return patch_fault(f, table.sh_offset, "symbols: no memory");
	}
	b = bytes_of(symbols, table.sh_size);
	for (i = 0; i < n; i++) {
		const char *name;
		Elf64_Sym s;

		bytes_copy(&b, &s, sizeof(s));
		if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF)
			continue;
		name = string_at(o->strings, strings.sh_size, s.st_name);
		if (!name) {
			patch_fault(f, table.sh_offset + i * sizeof(s),
				    "symbol %llu: its name is beyond the table of names",
				    (unsigned long long)i);
			continue;
		}
		o->functions[o->n_functions++] = (struct object_function){
			.address = s.st_value,
			.size = s.st_size,
			.name = name,
		};
	}
	free(symbols);
	qsort(o->functions, o->n_functions, sizeof(*o->functions), in_order);
	return !f->what[0];
}

const struct object_function *object_file_function(const struct object_file *o, uint64_t address)
{
	size_t low = 0, high = o->n_functions, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (o->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Symbols with the same start are sorted by length, the longest last; a symbol without a
	 * size covers only its start. */
	if (!low)
		return NULL;
	low--;
	return address - o->functions[low].address <
			       (o->functions[low].size ? o->functions[low].size : 1) ?
		       &o->functions[low] :
		       NULL;
}
