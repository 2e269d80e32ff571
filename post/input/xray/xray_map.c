/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses of the functions in an XRay log: the program's section xray_instr_map has an entry for
 * each sled, with its function. Functions are numbered from 1 in that order. Addresses are those of
 * the linker; since version 2 they are relative to the entry, before that relocations fill them in
 * when the program is loaded.
 */
#include "input/xray/xray_map.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"

#define FUNCTIONS (1u << 28)

struct sleds {
	const uint8_t *data;
	uint64_t address, size;
	bool swap, narrow;   /* words of 4 bytes */
	uint64_t *relocated; /* by word: relocated value; or NULL */
};

static uint64_t word_at(const struct sleds *s, uint64_t at)
{
	return s->narrow ? bytes_load32(s->data + at, s->swap) :
			   bytes_load64(s->data + at, s->swap);
}

/* Returns whether a relocation adds the load address; is_absolute(): the value of a symbol. */
static bool is_relative(GElf_Half machine, uint32_t type)
{
	return (machine == EM_X86_64 && type == R_X86_64_RELATIVE) ||
	       (machine == EM_AARCH64 && type == R_AARCH64_RELATIVE) ||
	       (machine == EM_PPC64 && type == R_PPC64_RELATIVE) ||
	       (machine == EM_S390 && type == R_390_RELATIVE) ||
	       (machine == EM_ARM && type == R_ARM_RELATIVE) ||
	       (machine == EM_386 && type == R_386_RELATIVE);
}

static bool is_absolute(GElf_Half machine, uint32_t type)
{
	return (machine == EM_X86_64 && type == R_X86_64_64) ||
	       (machine == EM_AARCH64 && type == R_AARCH64_ABS64) ||
	       (machine == EM_PPC64 && type == R_PPC64_ADDR64) ||
	       (machine == EM_S390 && type == R_390_64);
}

static uint64_t symbol_value(Elf *elf, const GElf_Shdr *of, size_t i)
{
	Elf_Scn *scn = elf_getscn(elf, of->sh_link);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	return data && i < INT32_MAX && gelf_getsym(data, (int)i, &sym) ? sym.st_value : 0;
}

static void relocate(Elf *elf, GElf_Half machine, Elf_Scn *scn, const GElf_Shdr *sh,
		     struct sleds *s)
{
	unsigned int word = s->narrow ? 4 : 8;
	Elf_Data *data = elf_getdata(scn, NULL);
	uint64_t at, i, n = sh->sh_entsize && data ? data->d_size / sh->sh_entsize : 0;
	GElf_Rela rela;

	for (i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getrela(data, (int)i, &rela))
			return;
		at = rela.r_offset - s->address;
		if (at >= s->size || at % word)
			continue;
		if (is_relative(machine, (uint32_t)GELF_R_TYPE(rela.r_info)))
			s->relocated[at / word] = (uint64_t)rela.r_addend;
		else if (is_absolute(machine, (uint32_t)GELF_R_TYPE(rela.r_info)))
			s->relocated[at / word] = (uint64_t)rela.r_addend +
						  symbol_value(elf, sh, GELF_R_SYM(rela.r_info));
	}
}

static int add_functions(struct xray_map *m, const struct sleds *s)
{
	unsigned int word = s->narrow ? 4 : 8, entry = 4 * word;
	uint64_t at, function, last = 0;
	uint32_t room = 0;

	for (at = 0; s->size - at >= entry; at += entry) {
		function = word_at(s, at + word);
		if (s->data[at + 2 * word + 2] >= 2)
			function += s->address + at + word;
		else if (s->relocated[(at + word) / word])
			function = s->relocated[(at + word) / word];
		if (s->narrow)
			function &= UINT32_MAX;
		if (m->count && function == last)
			continue;
		if (m->count == FUNCTIONS || array_next(m->address, m->count, room))
			return -ENOMEM;
		m->address[m->count++] = last = function;
	}
	return 0;
}

static int add_segments(struct xray_map *m, Elf *elf, const char *path)
{
	size_t length = strlen(path), n = 0, i;
	struct pitrace_mte_map *s;
	GElf_Phdr p;

	elf_getphdrnum(elf, &n);
	m->segment = calloc(n + 1, sizeof(*m->segment));
	for (i = 0; m->segment && i < n && i < 1024; i++) {
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		s = calloc(1, sizeof(*s) + length + 4);
		if (!s)
			return -ENOMEM;
		*s = (struct pitrace_mte_map){
			.flags = PITRACE_MAP_READ | PITRACE_MAP_EXEC,
			.path_len = (uint32_t)length,
			.start = p.p_vaddr & ~0xfffull,
			.offset = p.p_offset & ~0xfffull,
			.length = (p.p_memsz + (p.p_vaddr & 0xfff) + 0xfff) & ~0xfffull,
		};
		memcpy(s->path, path, length);
		m->segment[m->nsegment++] = s;
	}
	return m->segment ? 0 : -ENOMEM;
}

/* Relocates words of the map; stops if the sections together exceed the file's size. */
static void relocate_all(Elf *elf, GElf_Half machine, struct sleds *s, uint64_t left)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA)
			continue;
		if (sh.sh_size > left)
			return;
		left -= sh.sh_size;
		relocate(elf, machine, scn, &sh, s);
	}
}

static int read_map(struct xray_map *m, Elf *elf, const char *path, uint64_t size, const char **why)
{
	struct sleds s = { 0 };
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Ehdr e;
	GElf_Shdr sh;
	size_t names;
	int rc;

	*why = "not an ELF file";
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &e) || elf_getshdrstrndx(elf, &names))
		return -EINVAL;
	s.narrow = e.e_ident[EI_CLASS] == ELFCLASS32;
	s.swap = (e.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (!name || strcmp(name, "xray_instr_map") != 0)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			continue;
		s.data = data->d_buf;
		s.size = data->d_size;
		s.address = sh.sh_addr;
		break;
	}
	*why = "it has no section xray_instr_map: it was not built with -fxray-instrument, or was stripped of it";
	if (!s.data)
		return -ENOENT;
	*why = strerror(ENOMEM);
	s.relocated = calloc(s.size / 4 + 1, sizeof(*s.relocated));
	if (!s.relocated)
		return -ENOMEM;
	relocate_all(elf, e.e_machine, &s, size);
	rc = add_functions(m, &s);
	free(s.relocated);
	return rc ? rc : add_segments(m, elf, path);
}

int xray_map_read(struct xray_map *m, const char *path, char *why, size_t size)
{
	struct stat st;
	int fd = regular_open(path, 0, &st), rc;
	char *whole = fd < 0 ? NULL : realpath(path, NULL);
	const char *words = "";
	Elf *elf;

	if (!whole) {
		rc = -errno;
		snprintf(why, size, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		free(whole);
		return rc;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	rc = elf ? read_map(m, elf, whole, (uint64_t)st.st_size, &words) : -ENOMEM;
	if (rc)
		snprintf(why, size, "%s: %s", path, words);
	elf_end(elf);
	free(whole);
	close(fd);
	return rc;
}

void xray_map_free(struct xray_map *m)
{
	uint32_t i;

	for (i = 0; i < m->nsegment; i++)
		free(m->segment[i]);
	free(m->segment);
	free(m->address);
	*m = (struct xray_map){ 0 };
}
