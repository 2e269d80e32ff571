/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the kernel's symbols from its image, vmlinux: those that would be in kallsyms. The image
 * has link addresses; a symbol that is also in kallsyms shows the offset to where the kernel ran.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/elf/elf_file.h"
#include "a2n/kernel/kernel_inner.h"

/* Symbols of the start and end of the kernel and its parts; kernel.c uses these names. */
static bool is_place(const char *name)
{
	static const char *const places[] = {
		"_text", "_stext", "_etext", "_sinittext", "_einittext", "_end",
	};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strcmp(name, places[i]))
			return true;
	return false;
}

static int take(struct kernel *k, const struct elf_file *f, const GElf_Sym *sym, const char *name,
		size_t length)
{
	unsigned int bind = GELF_ST_BIND(sym->st_info), type = GELF_ST_TYPE(sym->st_info);
	struct kernel_symbol s = { .address = sym->st_value, .part = k->image };
	bool place = is_place(name),
	     code = sym->st_shndx < f->n_sections && f->sections[sym->st_shndx].code;

	if ((type != STT_FUNC && type != STT_NOTYPE) || !sym->st_value || !length)
		return 0;
	if (!place && (!code || !strncmp(name, ".L", 2) || name[0] == '$'))
		return 0;
	s.type = bind == STB_LOCAL ? 't' : bind == STB_WEAK ? 'W' : 'T';
	s.name = strings_intern(k->modules->strings, name, length);
	if (!s.name || array_next(k->linked, k->n_linked, k->room_linked))
		return -ENOMEM;
	k->linked[k->n_linked++] = s;
	return 0;
}

static int take_table(struct kernel *k, const struct elf_file *f, const struct section *s)
{
	size_t entry = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT), i;
	Elf_Data *data = elf_getdata(s->scn, NULL);
	struct bytes strings;
	int rc = 0;

	if (!data || !data->d_buf || data->d_type != ELF_T_SYM || !entry ||
	    s->link >= f->n_sections)
		return 0;
	strings = elf_section_bytes(f, &f->sections[s->link]);
	for (i = 1; !rc && i < data->d_size / entry && i <= INT32_MAX; i++) {
		const char *name;
		GElf_Sym sym;
		size_t length;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		name = elf_string(&strings, sym.st_name, &length);
		if (name)
			rc = take(k, f, &sym, name, length);
	}
	return rc;
}

static const struct kernel_symbol *find(const struct kernel_symbol *s, uint32_t n,
					const struct kernel_part *part, const char *name)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (s[i].part == part && !s[i].linked && s[i].name[0] == '_' &&
		    !strcmp(s[i].name, name))
			return &s[i];
	return NULL;
}

int kernel_vmlinux(struct kernel *k, int fd)
{
	struct elf_file f;
	uint32_t i;
	int rc = 0;

	if (elf_file_open(&f, fd))
		return -EBADMSG;
	k->n_linked = 0;
	for (i = 1; !rc && i < f.n_sections; i++)
		if (f.sections[i].type == SHT_SYMTAB && f.sections[i].scn)
			rc = take_table(k, &f, &f.sections[i]);
	elf_file_close(&f);
	/* Only kernels have these symbols: other ELF files are refused. */
	if (!rc && !find(k->linked, k->n_linked, k->image, "_stext") &&
	    !find(k->linked, k->n_linked, k->image, "_text"))
		rc = -ENODATA;
	if (rc)
		k->n_linked = 0;
	k->dirty = true;
	return rc;
}

/* Returns the size of its text, which differs between kernels; 0: unknown. */
static uint64_t text_size(const struct kernel *k, const struct kernel_symbol *s, uint32_t n)
{
	const struct kernel_symbol *from = find(s, n, k->image, "_stext");
	const struct kernel_symbol *to = find(s, n, k->image, "_etext");

	return from && to ? to->address - from->address : 0;
}

int kernel_take_linked(struct kernel *k)
{
	static const char *const both[] = { "_text", "_stext" };
	const struct kernel_symbol *reference = NULL, *linked;
	uint64_t size, other;
	uint32_t i, kept;

	if (!k->n_linked)
		return 0;
	for (i = 0; !reference && i < 2; i++) {
		linked = find(k->linked, k->n_linked, k->image, both[i]);
		reference = linked ? find(k->symbols, k->n_symbols, k->image, both[i]) : NULL;
		if (reference)
			k->moved = reference->address - linked->address;
	}
	k->placed |= reference != NULL;
	size = text_size(k, k->symbols, k->n_symbols);
	other = text_size(k, k->linked, k->n_linked);
	if (size && other && size != other && !k->warned)
		module_warn(k->modules, k->image->module,
			    "its image is of another kernel than the one that ran: names may be wrong");
	for (i = kept = 0; i < k->n_symbols; i++)
		if (k->symbols[i].part != k->image)
			k->symbols[kept++] = k->symbols[i];
	k->n_symbols = kept;
	for (i = 0; i < k->n_linked; i++) {
		struct kernel_symbol s = k->linked[i];

		s.address += k->moved;
		s.linked = true;
		if (array_next(k->symbols, k->n_symbols, k->room_symbols))
			return -ENOMEM;
		k->symbols[k->n_symbols++] = s;
	}
	if (!k->placed && !k->warned)
		module_warn(k->modules, k->image->module,
			    "the kernel's address is unknown: its image's link address is used");
	return 0;
}
