/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Callbacks that find files for libdwfl, and the address ranges that libdwfl must be given in
 * advance. */
#include "model/dwfl_file.h"

#include <gelf.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "base/cursor.h"

#include "base/unpacked.h"

/* Reads a section's size in the file and uncompressed; false: not compressed. */
static bool is_packed(Elf *elf, size_t names, Elf_Scn *scn, uint64_t *packed, uint64_t *size)
{
	const char *name;
	Elf_Data *raw;
	struct bytes b;
	GElf_Shdr h;
	GElf_Chdr c;

	if (!gelf_getshdr(scn, &h) || h.sh_type == SHT_NOBITS)
		return false;
	*packed = h.sh_size;
	*size = 0;
	if (h.sh_flags & SHF_COMPRESSED) {
		*size = gelf_getchdr(scn, &c) ? c.ch_size : 0;
		return true;
	}
	name = elf_strptr(elf, names, h.sh_name);
	if (!name || strncmp(name, ".zdebug", 7) != 0)
		return false;
	raw = elf_rawdata(scn, NULL);
	b = bytes_of(raw ? raw->d_buf : NULL, raw ? raw->d_size : 0);
	bytes_skip(&b, 4); /* skips "ZLIB"; the size follows in big-endian order */
	for (unsigned int i = 0; i < 8; i++)
		*size = *size << 8 | bytes_u8(&b);
	return true;
}

/* libdwfl decompresses a file's complete debug information, or a whole compressed file: limits
 * both. */
static bool within_bounds(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	uint64_t packed, size, all_packed = 0, all = 0;
	bool ok = elf && elf_kind(elf) == ELF_K_ELF;
	Elf_Scn *scn = NULL;
	size_t names = 0;

	if (ok)
		elf_getshdrstrndx(elf, &names);
	while (ok && (scn = elf_nextscn(elf, scn))) {
		if (!is_packed(elf, names, scn, &packed, &size))
			continue;
		all_packed += packed;
		ok = size <= UINT64_MAX - all && (all += size) <= unpacked_most(all_packed);
	}
	if (elf)
		elf_end(elf);
	return ok;
}

static int open_file(void **userdata, enum a2n_file which, char **name)
{
	const struct dwfl_file *f = *userdata;
	char path[PATH_MAX];
	int fd = f->made ? -1 : a2n_module_open(f->a2n, f->module, which, path, sizeof(path));

	if (fd < 0)
		return -1;
	if (!within_bounds(fd)) {
		close(fd);
		return -1;
	}
	*name = strdup(path);
	return fd;
}

static int find_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	const struct dwfl_file *f = *userdata;

	(void)mod;
	(void)name;
	(void)base;
	if (f->made) {
		*elf = elf_memory((char *)f->made, f->made_size);
		return -1;
	}
	return open_file(userdata, A2N_FILE_CODE, file_name);
}

static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file_name, const char *link, GElf_Word crc, char **found)
{
	(void)mod;
	(void)name;
	(void)base;
	(void)file_name;
	(void)link;
	(void)crc;
	return open_file(userdata, A2N_FILE_DEBUG, found);
}

Dwfl *dwfl_file_begin(void)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf,
		.find_debuginfo = find_debuginfo,
	};

	elf_version(EV_CURRENT);
	return dwfl_begin(&callbacks);
}

bool dwfl_file_range(struct dwfl_file *f)
{
	char path[PATH_MAX];
	int fd = a2n_module_open(f->a2n, f->module, A2N_FILE_CODE, path, sizeof(path));
	Elf *elf = fd >= 0 && within_bounds(fd) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	uint64_t low = UINT64_MAX, high = 0;
	size_t n = 0, i;
	GElf_Phdr p;

	if (elf && !elf_getphdrnum(elf, &n)) {
		for (i = 0; i < n && gelf_getphdr(elf, (int)i, &p); i++) {
			if (p.p_type != PT_LOAD)
				continue;
			/* libdw expects the page of the first segment. */
			if (low == UINT64_MAX)
				low = p.p_align > 1 ? p.p_vaddr & -p.p_align : p.p_vaddr;
			if (p.p_vaddr + p.p_memsz > high)
				high = p.p_vaddr + p.p_memsz;
		}
	}
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	if (low >= high)
		return false;
	f->low = low + f->bias;
	f->high = high + f->bias;
	return true;
}

void dwfl_file_report(struct dwfl_file *f, Dwfl *dwfl)
{
	void **userdata;

	f->mod = dwfl_report_module(dwfl, f->module->name, f->low, f->high);
	if (f->mod && dwfl_module_info(f->mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		*userdata = f;
}
