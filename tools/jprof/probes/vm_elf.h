/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF files of a Java VM: its library, or the file that its symbols were split off into. */
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
/* A symbol's value, and the bytes up to the next one; 0: there is none. */
uint64_t vm_elf_symbol(const struct vm_elf *f, const char *name, size_t *room);

/* Which build it is; NULL: it does not say. */
const uint8_t *vm_elf_build_id(const struct vm_elf *f, uint32_t *size);
/* The name, without folders, of the file that its symbols were split off into; false: none. */
bool vm_elf_debug_name(const struct vm_elf *f, char name[NAME_MAX + 1]);

#endif
