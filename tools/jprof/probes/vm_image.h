/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HotSpot's symbols, from the .symtab of its library or debug file, and its structures, from the
 * tables that it exports for debuggers (gHotSpotVMStructs, gHotSpotVMTypes).
 */
#ifndef VM_IMAGE_H
#define VM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm_elf.h"

struct vm_image {
	void *handle; /* dlopen's */
	const char *base;
	struct vm_elf symbols; /* the library, or its debug file */
	bool stripped;         /* neither has symbols */
};

/* inside: an address in the library. Returns NULL, or an error message. */
const char *vm_image_open(struct vm_image *i, const void *inside);
void vm_image_close(struct vm_image *i);

/* Returns a symbol's address, and the number of bytes up to the next one; NULL: not found. */
void *vm_image_symbol(const struct vm_image *i, const char *name, size_t *room);

/* Returns a member's offset; false: this VM has no member of that name. */
bool vm_image_member(const struct vm_image *i, const char *type, const char *member,
		     size_t *offset);
/* The address of a static member, the value of a constant, and the size of a type, likewise. */
void *vm_image_static(const struct vm_image *i, const char *type, const char *member);
bool vm_image_constant(const struct vm_image *i, const char *name, int32_t *value);
bool vm_image_type_size(const struct vm_image *i, const char *type, size_t *size);

/* A boolean option of the VM; value NULL: this VM has no option of that name. */
struct vm_flag {
	bool *value;
	bool is_chosen; /* set by the user */
};
struct vm_flag vm_image_flag(const struct vm_image *i, const char *name);

#endif
