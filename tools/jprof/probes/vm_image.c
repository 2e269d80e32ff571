/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vm_image.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>

#include "vm_file.h"

const char *vm_image_open(struct vm_image *i, const void *inside)
{
	Dl_info info;

	memset(i, 0, sizeof(*i));
	if (!dladdr(inside, &info) || !info.dli_fname)
		return "the Java VM's library is not found";
	i->base = info.dli_fbase;
	i->handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!i->handle)
		return "the Java VM's library is not found";
	if (!vm_file_map(&i->symbols, open(info.dli_fname, O_RDONLY | O_CLOEXEC))) {
		vm_image_close(i);
		return "the Java VM's library cannot be read";
	}
	if (!vm_elf_has_symbols(&i->symbols)) {
		struct vm_elf library = i->symbols;

		i->stripped = !vm_file_debug(&i->symbols, &library, info.dli_fname);
		vm_file_unmap(&library);
	}
	return NULL;
}

void vm_image_close(struct vm_image *i)
{
	vm_file_unmap(&i->symbols);
	if (i->handle)
		dlclose(i->handle);
	memset(i, 0, sizeof(*i));
}

void *vm_image_symbol(const struct vm_image *i, const char *name, size_t *room)
{
	uint64_t found = vm_elf_symbol(&i->symbols, name, room);

	return found ? (void *)(i->base + found) : NULL;
}

/* ---- structures ------------------------------------------------------------------------------ */

/* A table in the VM, whose address and layout are given by symbols. */
struct vm_table {
	const char *entries;
	size_t stride;
};

static bool number_of(const struct vm_image *i, const char *name, size_t *to)
{
	const uint64_t *p = dlsym(i->handle, name);

	if (p)
		*to = (size_t)*p;
	return p;
}

static bool table_of(const struct vm_image *i, const char *name, const char *stride,
		     struct vm_table *t)
{
	const char *const *p = dlsym(i->handle, name);

	t->entries = p ? *p : NULL;
	return t->entries && number_of(i, stride, &t->stride);
}

static const char *text_at(const char *entry, size_t offset)
{
	return *(const char *const *)(entry + offset);
}

/* The table of members for compilers in Java (JVMCI): newer VMs have some members only here. It has
 * the same layout as the table for debuggers. */
#define FOR_COMPILERS "_ZN14JVMCIVMStructs21localHotSpotVMStructsE"

static const char *find_in_table(const struct vm_image *i, const struct vm_table *t,
				 const char *type, const char *member, bool is_static)
{
	size_t type_at, member_at, static_at;

	if (!number_of(i, "gHotSpotVMStructEntryTypeNameOffset", &type_at) ||
	    !number_of(i, "gHotSpotVMStructEntryFieldNameOffset", &member_at) ||
	    !number_of(i, "gHotSpotVMStructEntryIsStaticOffset", &static_at))
		return NULL;
	for (const char *e = t->entries; text_at(e, type_at); e += t->stride)
		if (is_static == !!*(const int32_t *)(e + static_at) &&
		    !strcmp(text_at(e, type_at), type) && !strcmp(text_at(e, member_at), member))
			return e;
	return NULL;
}

/* Returns a member's entry; NULL: not found. */
static const char *find_member(const struct vm_image *i, const char *type, const char *member,
			       bool is_static)
{
	const char *found;
	struct vm_table t;
	size_t room;

	if (!table_of(i, "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride", &t))
		return NULL;
	found = find_in_table(i, &t, type, member, is_static);
	if (found)
		return found;
	t.entries = vm_image_symbol(i, FOR_COMPILERS, &room);
	return t.entries ? find_in_table(i, &t, type, member, is_static) : NULL;
}

bool vm_image_member(const struct vm_image *i, const char *type, const char *member, size_t *offset)
{
	const char *e = find_member(i, type, member, false);
	size_t offset_at;

	if (!e || !number_of(i, "gHotSpotVMStructEntryOffsetOffset", &offset_at))
		return false;
	*offset = (size_t) * (const uint64_t *)(e + offset_at);
	return true;
}

void *vm_image_static(const struct vm_image *i, const char *type, const char *member)
{
	const char *e = find_member(i, type, member, true);
	size_t address_at;

	if (!e || !number_of(i, "gHotSpotVMStructEntryAddressOffset", &address_at))
		return NULL;
	return *(void *const *)(e + address_at);
}

bool vm_image_constant(const struct vm_image *i, const char *name, int32_t *value)
{
	size_t name_at, value_at;
	struct vm_table t;

	if (!table_of(i, "gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntryArrayStride", &t) ||
	    !number_of(i, "gHotSpotVMIntConstantEntryNameOffset", &name_at) ||
	    !number_of(i, "gHotSpotVMIntConstantEntryValueOffset", &value_at))
		return false;
	for (const char *e = t.entries; text_at(e, name_at); e += t.stride) {
		if (strcmp(text_at(e, name_at), name))
			continue;
		*value = *(const int32_t *)(e + value_at);
		return true;
	}
	return false;
}

bool vm_image_type_size(const struct vm_image *i, const char *type, size_t *size)
{
	size_t type_at, size_at;
	struct vm_table t;

	if (!table_of(i, "gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride", &t) ||
	    !number_of(i, "gHotSpotVMTypeEntryTypeNameOffset", &type_at) ||
	    !number_of(i, "gHotSpotVMTypeEntrySizeOffset", &size_at))
		return false;
	for (const char *e = t.entries; text_at(e, type_at); e += t.stride) {
		if (strcmp(text_at(e, type_at), type))
			continue;
		*size = (size_t) * (const uint64_t *)(e + size_at);
		return true;
	}
	return false;
}

/* ---- options --------------------------------------------------------------------------------- */

#define CHOSEN_BY 0xf /* of an option's flags; 0: not set by the user */

/* The layout of an option's entry. */
struct vm_flags {
	size_t size, name, value, flags;
};

static bool read_flags(const struct vm_image *i, struct vm_flags *l)
{
	return vm_image_type_size(i, "JVMFlag", &l->size) &&
	       vm_image_member(i, "JVMFlag", "_name", &l->name) &&
	       vm_image_member(i, "JVMFlag", "_addr", &l->value) &&
	       vm_image_member(i, "JVMFlag", "_flags", &l->flags);
}

struct vm_flag vm_image_flag(const struct vm_image *i, const char *name)
{
	const char *const *first = vm_image_static(i, "JVMFlag", "flags");
	const size_t *n = vm_image_static(i, "JVMFlag", "numFlags");
	struct vm_flags l;

	if (!first || !n || !read_flags(i, &l))
		return (struct vm_flag){ 0 };
	/* The last entry has no name. */
	for (size_t k = 0; k < *n; k++) {
		const char *e = *first + k * l.size;

		if (text_at(e, l.name) && !strcmp(text_at(e, l.name), name))
			return (struct vm_flag){
				.value = *(bool *const *)(e + l.value),
				.is_chosen = *(const int32_t *)(e + l.flags) & CHOSEN_BY,
			};
	}
	return (struct vm_flag){ 0 };
}
