/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of an ELF file that are not loaded: its sections and functions. The file is read, never
 * mapped, so that the program is not harmed if it is truncated meanwhile.
 */
#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

/* An error, and its offset in the file or in a section. */
struct patch_fault {
	uint64_t offset;
	char what[160];
};

/* Records a fault, unless there is one already. Always returns false. */
bool patch_fault(struct patch_fault *f, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

struct object_function {
	uint64_t address, size;
	const char *name;
};

struct object_file {
	int fd;
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr *segments; /* header.e_phnum entries */
	uint8_t *sections;    /* section headers, as in the file; NULL: none */
	uint32_t n_sections;
	char *names; /* of sections */
	size_t names_size;
	struct object_function *functions; /* sorted by address */
	size_t n_functions;
	char *strings; /* names of the functions */
};

/* The caller owns fd. false: not an ELF file of this machine, or damaged. */
bool object_file_open(struct object_file *o, int fd, struct patch_fault *f);
void object_file_close(struct object_file *o);

/* Finds the section of that name; false: none, which is not a fault. */
bool object_file_section(const struct object_file *o, const char *name, Elf64_Shdr *sh);
/* Reads its functions from .symtab, or from .dynsym. false: no memory, or damaged; functions read
 * before are kept. */
bool object_file_functions(struct object_file *o, struct patch_fault *f);
/* The function that contains the address, or NULL. */
const struct object_function *object_file_function(const struct object_file *o, uint64_t address);

#endif
