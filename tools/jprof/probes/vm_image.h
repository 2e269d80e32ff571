/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What HotSpot's library says of itself: its symbols, of the file's .symtab or its debug file's,
 * and its structures, of the tables that it exports for debuggers (gHotSpotVMStructs,
 * gHotSpotVMTypes).
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

/* inside: an address in the library. NULL, or why not. */
const char *vm_image_open(struct vm_image *i, const void *inside);
void vm_image_close(struct vm_image *i);

/* The address of a symbol, and the bytes up to the next one; NULL: there is none. */
void *vm_image_symbol(const struct vm_image *i, const char *name, size_t *room);

/* A member's offset; false: this VM has none of that name. */
bool vm_image_member(const struct vm_image *i, const char *type, const char *member,
		     size_t *offset);
/* The address of a static member, and the value of a constant, likewise. */
void *vm_image_static(const struct vm_image *i, const char *type, const char *member);
bool vm_image_constant(const struct vm_image *i, const char *name, int32_t *value);
bool vm_image_type_size(const struct vm_image *i, const char *type, size_t *size);

/* An option of the VM's that is yes or no; value NULL: this VM has none of that name. */
struct vm_flag {
	bool *value;
	bool is_chosen; /* the user has said which */
};
struct vm_flag vm_image_flag(const struct vm_image *i, const char *name);

#endif
