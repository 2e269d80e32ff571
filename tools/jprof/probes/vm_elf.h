/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF files of a Java VM: its library, or its separate debug file. */
#ifndef VM_ELF_H
#define VM_ELF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VM_ELF_ID 32 /* bytes of a build id at most */

struct vm_elf {
	const void *data; /* mapped; NULL: none */
	size_t size;
};

bool vm_elf_has_symbols(const struct vm_elf *f);
/* Returns a symbol's value, and the number of bytes up to the next one; 0: not found. */
uint64_t vm_elf_symbol(const struct vm_elf *f, const char *name, size_t *room);

/* Returns the build id; NULL: none. */
const uint8_t *vm_elf_build_id(const struct vm_elf *f, uint32_t *size);
/* Returns the debug file's name, without folders; false: none. */
bool vm_elf_debug_name(const struct vm_elf *f, char name[NAME_MAX + 1]);

#endif
