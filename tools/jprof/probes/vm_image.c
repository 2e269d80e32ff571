/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vm_image.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"

/* ---- the file -------------------------------------------------------------------------------- */

static const char *map_file(struct vm_image *i, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return "the Java VM's library cannot be read";
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		i->file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (!i->file || i->file == MAP_FAILED) {
		i->file = NULL;
		return "the Java VM's library cannot be read";
	}
	i->size = (size_t)st.st_size;
	return NULL;
}

const char *vm_image_open(struct vm_image *i, const void *inside)
{
	const char *why;
	Dl_info info;

	memset(i, 0, sizeof(*i));
	if (!dladdr(inside, &info) || !info.dli_fname)
		return "the Java VM's library is not found";
	i->base = info.dli_fbase;
	i->handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!i->handle)
		return "the Java VM's library is not found";
	why = map_file(i, info.dli_fname);
	if (why)
		vm_image_close(i);
	return why;
}

void vm_image_close(struct vm_image *i)
{
	if (i->file)
		munmap((void *)i->file, i->size);
	if (i->handle)
		dlclose(i->handle);
	memset(i, 0, sizeof(*i));
}

/* ---- symbols --------------------------------------------------------------------------------- */

static bool read_at(const struct vm_image *i, size_t at, void *to, size_t size)
{
	struct bytes b = bytes_of(i->file, i->size);
	const void *p;

	bytes_seek(&b, at);
	p = bytes_take(&b, size);
	if (p)
		memcpy(to, p, size);
	return p;
}

static bool section(const struct vm_image *i, const ElfW(Ehdr) * e, uint32_t number, ElfW(Shdr) * s)
{
	return number < e->e_shnum &&
	       read_at(i, e->e_shoff + (size_t)number * sizeof(*s), s, sizeof(*s));
}

static bool is_named(const struct vm_image *i, const ElfW(Shdr) * strings, const ElfW(Sym) * s,
		     const char *name, size_t n)
{
	struct bytes b = bytes_of(i->file, i->size);
	const void *p;

	bytes_seek(&b, strings->sh_offset + s->st_name);
	p = bytes_take(&b, n);
	return p && !memcmp(p, name, n);
}

/* name NULL: the first symbol after `value`, which is 0 if there is none. */
static uint64_t find_in(const struct vm_image *i, const ElfW(Ehdr) * e, const ElfW(Shdr) * table,
			const char *name, uint64_t value)
{
	uint64_t next = 0;
	ElfW(Shdr) strings;
	ElfW(Sym) s;

	if (!section(i, e, table->sh_link, &strings))
		return 0;
	for (size_t at = 0; at + sizeof(s) <= table->sh_size; at += sizeof(s)) {
		if (!read_at(i, table->sh_offset + at, &s, sizeof(s)))
			return 0;
		if (s.st_shndx == SHN_UNDEF)
			continue;
		if (name && is_named(i, &strings, &s, name, strlen(name) + 1))
			return s.st_value;
		if (!name && s.st_value > value && (!next || s.st_value < next))
			next = s.st_value;
	}
	return next;
}

/* Distributions leave out how long a symbol is. */
void *vm_image_symbol(const struct vm_image *i, const char *name, size_t *room)
{
	uint64_t found = 0, next = 0;
	ElfW(Ehdr) e;
	ElfW(Shdr) s;

	if (!read_at(i, 0, &e, sizeof(e)) || memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_shentsize != sizeof(s))
		return NULL;
	for (uint32_t n = 0; n < e.e_shnum && !found; n++) {
		if (!section(i, &e, n, &s) || s.sh_type != SHT_SYMTAB)
			continue;
		found = find_in(i, &e, &s, name, 0);
		next = found ? find_in(i, &e, &s, NULL, found) : 0;
	}
	*room = next > found ? next - found : 0;
	return found ? (void *)(i->base + found) : NULL;
}

/* ---- structures ------------------------------------------------------------------------------ */

/* A table of the VM's: where it is, and how its entries are laid out, is told by symbols, too. */
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

/* The members that compilers in Java are told of (JVMCI): newer VMs have some in this table alone.
 * It is laid out as the debuggers' is. */
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

/* NULL: there is none of that name. */
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
