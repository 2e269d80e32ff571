/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads an ELF file by libelf: headers, build id, debug link and symbol tables. libelf handles
 * classes and byte orders; the content of tables is checked here before use.
 */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/build_note.h"
#include "a2n/elf/elf_file.h"
#include "a2n/base/pool.h"

/* Limit of table sizes, larger than in any useful file. */
#define MAX_TABLE     (1ull << 30)
#define UNSIZED_REACH 1024 /* maximum reach of a symbol of size 0, in bytes */

static const char *open_sections(struct elf_file *f)
{
	size_t count = 0, names = 0, i;

	if (elf_getshdrnum(f->elf, &count) || !count)
		return NULL;
	elf_getshdrstrndx(f->elf, &names);
	f->sections = calloc(count, sizeof(*f->sections));
	if (!f->sections)
		return "out of memory";
	for (i = 0; i < count; i++) {
		struct section *s = &f->sections[i];
		GElf_Shdr h;

		s->scn = elf_getscn(f->elf, i);
		if (!s->scn || !gelf_getshdr(s->scn, &h))
			continue;
		s->address = h.sh_addr;
		s->size = h.sh_size;
		s->entry = h.sh_entsize;
		s->type = h.sh_type;
		s->link = h.sh_link;
		s->info = h.sh_info;
		s->code = (h.sh_flags & SHF_ALLOC) && (h.sh_flags & SHF_EXECINSTR);
		s->data = (h.sh_flags & SHF_ALLOC) && !(h.sh_flags & (SHF_EXECINSTR | SHF_TLS));
		/* libelf would return the compressed bytes as a table. */
		if (h.sh_flags & SHF_COMPRESSED)
			s->type = SHT_NULL;
		s->name = elf_strptr(f->elf, names, h.sh_name);
		f->n_sections = (uint32_t)i + 1;
	}
	return NULL;
}

static const char *open_segments(struct elf_file *f)
{
	size_t count = 0, i;

	if (elf_getphdrnum(f->elf, &count) || !count)
		return NULL;
	f->segments = calloc(count, sizeof(*f->segments));
	if (!f->segments)
		return "out of memory";
	for (i = 0; i < count; i++) {
		GElf_Phdr h;

		if (!gelf_getphdr(f->elf, (int)i, &h))
			break;
		if (h.p_type != PT_LOAD || !(h.p_flags & PF_X) || !h.p_memsz)
			continue;
		/* Debug files keep the headers, not the contents. */
		if (!h.p_filesz)
			f->hollow = true;
		f->segments[f->n_segments++] = (struct elf_segment){
			h.p_offset, h.p_filesz ? h.p_filesz : h.p_memsz, h.p_vaddr
		};
	}
	return NULL;
}

static const char *open_elf(struct elf_file *f, bool any)
{
	const char *why = "not an ELF file";

	if (f->elf && elf_kind(f->elf) == ELF_K_ELF && gelf_getehdr(f->elf, &f->header)) {
		if (!any && f->header.e_type != ET_EXEC && f->header.e_type != ET_DYN)
			why = "not a program or library";
		else if (!(why = open_sections(f)))
			why = open_segments(f);
	}
	if (why)
		elf_file_close(f);
	return why;
}

static const char *open_fd(struct elf_file *f, int fd, bool any)
{
	*f = (struct elf_file){ .fd = fd };
	elf_version(EV_CURRENT);
	f->elf = elf_begin(fd, ELF_C_READ, NULL);
	return open_elf(f, any);
}

const char *elf_file_open(struct elf_file *f, int fd)
{
	return open_fd(f, fd, false);
}

const char *elf_file_open_any(struct elf_file *f, int fd)
{
	return open_fd(f, fd, true);
}

const char *elf_file_open_memory(struct elf_file *f, const void *image, size_t size)
{
	*f = (struct elf_file){ .fd = -1 };
	elf_version(EV_CURRENT);
	/* libelf does not modify this memory. */
	f->elf = elf_memory((char *)(uintptr_t)image, size);
	return open_elf(f, false);
}

void elf_file_close(struct elf_file *f)
{
	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->sections);
	free(f->segments);
	*f = (struct elf_file){ .fd = -1 };
}

struct bytes elf_bytes(const struct elf_file *f, const void *base, size_t size)
{
	struct bytes b = bytes_of(base, size);
	const uint16_t probe = 1;

	b.swap = (f->header.e_ident[EI_DATA] == ELFDATA2LSB) != (*(const uint8_t *)&probe == 1);
	return b;
}

struct bytes elf_section_bytes(const struct elf_file *f, const struct section *s)
{
	Elf_Data *data = NULL;

	if (s->scn && s->type != SHT_NOBITS && s->type != SHT_NULL && s->size <= MAX_TABLE)
		data = elf_rawdata(s->scn, NULL);
	if (!data || !data->d_buf)
		return bytes_of("", 0);
	return elf_bytes(f, data->d_buf, data->d_size);
}

struct bytes elf_address_bytes(const struct elf_file *f, uint64_t address, uint64_t size)
{
	size_t count = 0, i;
	Elf_Data *data;
	GElf_Phdr h;

	elf_getphdrnum(f->elf, &count);
	for (i = 0; i < count && gelf_getphdr(f->elf, (int)i, &h); i++) {
		uint64_t left;

		if (h.p_type != PT_LOAD || address < h.p_vaddr || address - h.p_vaddr >= h.p_filesz)
			continue;
		left = h.p_filesz - (address - h.p_vaddr);
		if (size > left)
			size = left;
		if (size > MAX_TABLE || h.p_offset > INT64_MAX - (address - h.p_vaddr))
			break;
		data = elf_getdata_rawchunk(f->elf, (int64_t)(h.p_offset + (address - h.p_vaddr)),
					    size, ELF_T_BYTE);
		if (data && data->d_buf)
			return elf_bytes(f, data->d_buf, data->d_size);
		break;
	}
	return bytes_of("", 0);
}

const char *elf_string(const struct bytes *strings, uint64_t offset, size_t *length)
{
	struct bytes b = *strings;

	if (offset >= b.size || !bytes_seek(&b, offset))
		return NULL;
	return bytes_str(&b, bytes_left(&b), length);
}

static bool find_build_id(struct bytes b, size_t align, struct build_id *id)
{
	uint32_t size;
	const uint8_t *note = build_note(b, align, BUILD_ID_MAX, &size);

	if (!note)
		return false;
	id->size = (uint8_t)size;
	memcpy(id->id, note, size);
	return true;
}

void elf_file_build_id(struct elf_file *f, struct build_id *id)
{
	size_t count = 0, i;
	GElf_Phdr h;

	memset(id, 0, sizeof(*id));
	for (i = 0; i < f->n_sections; i++)
		if (f->sections[i].type == SHT_NOTE &&
		    find_build_id(elf_section_bytes(f, &f->sections[i]), 4, id))
			return;
	elf_getphdrnum(f->elf, &count);
	for (i = 0; i < count && gelf_getphdr(f->elf, (int)i, &h); i++) {
		Elf_Data *data;

		if (h.p_type != PT_NOTE || h.p_filesz > MAX_TABLE || h.p_offset > INT64_MAX)
			continue;
		data = elf_getdata_rawchunk(f->elf, (int64_t)h.p_offset, h.p_filesz, ELF_T_BYTE);
		if (data && data->d_buf &&
		    find_build_id(elf_bytes(f, data->d_buf, data->d_size), h.p_align == 8 ? 8 : 4,
				  id))
			return;
	}
}

void elf_file_debuglink(struct elf_file *f, char *name, size_t size, uint32_t *crc)
{
	uint32_t i;

	name[0] = 0;
	for (i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];
		struct bytes b;
		const char *link;
		size_t length;

		if (!s->name || strcmp(s->name, ".gnu_debuglink"))
			continue;
		b = elf_section_bytes(f, s);
		link = elf_string(&b, 0, &length);
		if (!link || length >= size || memchr(link, '/', length) ||
		    !bytes_seek(&b, (length + 4) & ~(size_t)3))
			return;
		*crc = bytes_u32(&b);
		if (!b.bad)
			memcpy(name, link, length + 1);
		return;
	}
}

/* Symbols that mark the kind of code for disassemblers, and labels meant to be removed. */
static bool is_mark(const struct elf_file *f, const char *name, size_t length)
{
	if (name[0] == '.' && length > 1 && name[1] == 'L')
		return true;
	if (name[0] != '$' || length < 2)
		return false;
	switch (f->header.e_machine) {
	case EM_ARM:
	case EM_AARCH64:
	case EM_RISCV:
	case EM_CSKY:
		/* Also "$x.17" and "$xrv64i…". */
		return name[1] == 'x' || ((name[1] == 'a' || name[1] == 't' || name[1] == 'd') &&
					  (length == 2 || name[2] == '.'));
	}
	return false;
}

/*
 * Selects symbols that name code. Symbols without size: hand-written functions have type FUNC and
 * no size, old assembly has global labels without a type; local labels without a type are places
 * inside functions, or routines without another name.
 */
bool elf_take_symbol(const struct elf_file *f, const GElf_Sym *sym, const char *name, size_t length,
		     uint64_t limit, struct symtab *t)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
	uint64_t value = sym->st_value;
	uint8_t rank;

	if (!function && type != STT_NOTYPE && type != STT_OBJECT)
		return false;
	rank = bind == STB_LOCAL ? RANK_LOCAL : bind == STB_WEAK ? RANK_WEAK : RANK_GLOBAL;
	if (!sym->st_size && type == STT_OBJECT)
		return false;
	if (!length || is_mark(f, name, length))
		return false;
	if (f->header.e_machine == EM_ARM && function)
		value &= ~1ull;
	if (value >= limit)
		return false;
	/* The size is unknown: used only near by, or as the name of the gap after it. */
	if (!sym->st_size && limit - value > UNSIZED_REACH)
		limit = value + UNSIZED_REACH;
	symtab_add(t, value, sym->st_size, limit,
		   !sym->st_size && !function && rank == RANK_LOCAL ? RANK_LABEL :
								      RANK(rank, function),
		   name, length);
	return true;
}

static Elf_Data *table_data(const struct elf_file *f, uint32_t index, Elf_Type type)
{
	const struct section *s = &f->sections[index];
	Elf_Data *data;

	if (!s->scn || s->type == SHT_NOBITS || s->size > MAX_TABLE)
		return NULL;
	data = elf_getdata(s->scn, NULL);
	return data && data->d_buf && data->d_type == type ? data : NULL;
}

/* data_wanted: variables instead of code. */
static uint32_t add_table(struct elf_file *f, uint32_t index, bool data_wanted, struct symtab *t)
{
	const struct section *s = &f->sections[index];
	Elf_Data *data = table_data(f, index, ELF_T_SYM), *wide = NULL;
	size_t entry = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT), i;
	struct bytes strings;
	uint32_t found = 0;

	if (!data || s->link >= f->n_sections || !entry)
		return 0;
	strings = elf_section_bytes(f, &f->sections[s->link]);
	for (i = 1; i < f->n_sections && !wide; i++)
		if (f->sections[i].type == SHT_SYMTAB_SHNDX && f->sections[i].link == index)
			wide = table_data(f, (uint32_t)i, ELF_T_WORD);
	for (i = 1; i < data->d_size / entry && i <= INT32_MAX; i++) {
		const struct section *home;
		Elf32_Word where = 0;
		const char *name;
		GElf_Sym sym;
		size_t length;

		if (!gelf_getsymshndx(data, wide, (int)i, &sym, &where))
			break;
		if (sym.st_shndx != SHN_XINDEX) {
			if (sym.st_shndx >= SHN_LORESERVE)
				continue;
			where = sym.st_shndx;
		}
		if (where >= f->n_sections)
			continue;
		/* .dynsym lacks functions, so the end of an unsized one is unknown. */
		if (s->type == SHT_DYNSYM && !sym.st_size)
			continue;
		home = &f->sections[where];
		if (data_wanted && GELF_ST_TYPE(sym.st_info) != STT_OBJECT)
			continue;
		if (!(data_wanted ? home->data : home->code) || sym.st_value < home->address ||
		    sym.st_value - home->address >= home->size ||
		    home->size > UINT64_MAX - home->address)
			continue;
		name = elf_string(&strings, sym.st_name, &length);
		if (name)
			found += elf_take_symbol(f, &sym, name, length, home->address + home->size,
						 t);
	}
	return found;
}

static uint32_t add_tables(struct elf_file *f, uint32_t type, bool data_wanted, struct symtab *t)
{
	uint32_t i, found = 0;

	for (i = 1; i < f->n_sections; i++)
		if (f->sections[i].type == type)
			found += add_table(f, i, data_wanted, t);
	return found;
}

uint32_t elf_symbols_full(struct elf_file *f, struct symtab *t)
{
	return add_tables(f, SHT_SYMTAB, false, t);
}

uint32_t elf_symbols_dynsym(struct elf_file *f, struct symtab *t)
{
	return add_tables(f, SHT_DYNSYM, false, t);
}

uint32_t elf_variables(struct elf_file *f, struct symtab *t)
{
	return add_tables(f, SHT_SYMTAB, true, t);
}

uint32_t elf_variables_exported(struct elf_file *f, struct symtab *t)
{
	return add_tables(f, SHT_DYNSYM, true, t);
}
