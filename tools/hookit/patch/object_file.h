/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an ELF file has that is not loaded with it: where its sections are, and its functions. It is
 * read, never mapped: who shortens the file meanwhile does the program no harm.
 */
#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

/* What is wrong, and where in the file, or in a section of it. */
struct patch_fault {
	uint64_t offset;
	char what[160];
};

/* Notes a fault, if it is the first: always false. */
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
	Elf64_Phdr *segments; /* header.e_phnum of them */
	uint8_t *sections;    /* their headers, in the file's form; NULL: none */
	uint32_t n_sections;
	char *names; /* of sections */
	size_t names_size;
	struct object_function *functions; /* in order of their addresses */
	size_t n_functions;
	char *strings; /* their names */
};

/* fd stays the caller's. false: the file is no ELF file of this machine, or is damaged. */
bool object_file_open(struct object_file *o, int fd, struct patch_fault *f);
void object_file_close(struct object_file *o);

/* The section of that name; false: there is none, which is no fault. */
bool object_file_section(const struct object_file *o, const char *name, Elf64_Shdr *sh);
/* Reads its functions, of .symtab, or of .dynsym. false: no memory, or they are damaged: those
 * before are kept. */
bool object_file_functions(struct object_file *o, struct patch_fault *f);
/* The function that has the address, or NULL. */
const struct object_function *object_file_function(const struct object_file *o, uint64_t address);

#endif
