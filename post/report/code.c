/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a symbol's bytes through the program headers. */
#include "report/code.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_CODE (16u << 20) /* maximum bytes of a function */

static const char *no_file(const struct a2n_module *m)
{
	if (m->name[0] == '/')
		return "the file that ran is not here: name a folder that holds it, -sympath FOLDER";
	if (!strcmp(m->name, A2N_JITCODE))
		return "this code was never announced";
	return "the kernel's code is in no file that post reads: kallsyms has names only";
}

static int read_bytes(struct machine_code *c, Elf *elf, uint64_t size)
{
	const char *raw;
	size_t length, n = 0, i;
	GElf_Ehdr header;
	GElf_Phdr p;

	c->why = "the file is damaged";
	if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &n))
		return 0;
	c->machine = header.e_machine;
	c->is_32 = gelf_getclass(elf) == ELFCLASS32;
	c->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	raw = elf_rawfile(elf, &length);
	for (i = 0; raw && i < n && gelf_getphdr(elf, (int)i, &p); i++) {
		if (p.p_type != PT_LOAD || c->address < p.p_vaddr ||
		    c->address - p.p_vaddr >= p.p_filesz)
			continue;
		if (p.p_offset > length || length - p.p_offset < p.p_filesz)
			return 0;
		if (size > p.p_filesz - (c->address - p.p_vaddr))
			size = p.p_filesz - (c->address - p.p_vaddr);
		c->bytes = malloc(size ? size : 1);
		if (!c->bytes)
			return -ENOMEM;
		memcpy(c->bytes, raw + p.p_offset + (c->address - p.p_vaddr), size);
		c->size = size;
		c->why = NULL;
		return 0;
	}
	return 0;
}

int code_open(struct machine_code *c, struct a2n *a, const struct a2n_symbol *symbol)
{
	uint64_t size = symbol->size < MAX_CODE ? symbol->size : MAX_CODE;
	Elf *elf;
	int fd, rc = 0;

	*c = (struct machine_code){ .address = symbol->value, .base = symbol->value };
	fd = a2n_module_open(a, symbol->module, A2N_FILE_CODE, c->path, sizeof(c->path));
	if (fd < 0) {
		c->why = no_file(symbol->module);
		return 0;
	}
	elf_version(EV_CURRENT);
	elf = fstat(fd, &c->st) ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	c->why = "the file cannot be read";
	if (elf) {
		rc = read_bytes(c, elf, size);
		elf_end(elf);
	}
	close(fd);
	return rc;
}

int code_made(struct machine_code *c, const struct names *n, uint64_t module_offset)
{
	struct a2n_code code = { 0 };
	struct jit_from from;

	a2n_code(n->a2n, module_offset, &code);
	*c = (struct machine_code){
		.address = code.address,
		.base = module_offset - A2N_CODE_OFFSET(module_offset),
		.why = "its program announced this code without its bytes",
	};
	if (!code.bytes)
		return 0;
	from = jit_from(&n->jit, code.bytes);
	snprintf(c->path, sizeof(c->path), "%s", from.path);
	c->st = *from.st;
	c->machine = from.machine;
	c->is_32 = from.machine == EM_386 || from.machine == EM_ARM || from.machine == EM_PPC;
	c->big_endian = from.big_endian;
	if (!from.size)
		return 0;
	if (!from.machine) {
		c->why = jit_no_machine;
		return 0;
	}
	/* A partially moved piece of code is shorter than before. */
	c->size = from.size < code.size ? from.size : code.size;
	c->bytes = malloc(c->size);
	if (!c->bytes)
		return -ENOMEM;
	memcpy(c->bytes, code.bytes, c->size);
	c->why = NULL;
	return 0;
}

void code_close(struct machine_code *c)
{
	free(c->bytes);
	*c = (struct machine_code){ 0 };
}
