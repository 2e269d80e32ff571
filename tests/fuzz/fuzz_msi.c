/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a file of saved symbols, asked at many addresses of modules that it may name; saved again,
 * it gives the same answers.
 */
#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "a2nint.h"
#include "fuzz.h"
#include "a2n/inner.h"
#include "a2n/module/module_symbols.h"
#include "a2n/module/msi.h"

#define BASE   0x10000ull /* of the first module */
#define LENGTH 0x10000ull /* of each */
#define STEP   0x800

/* One without a build id, two with one, and a program that is there, without symbols. */
#define PROGRAM 900
static const uint8_t id[] = { 1, 2, 0xff };
static const struct a2n_map maps[] = {
	{ .path = "/a", .build_id = id, .build_id_size = sizeof(id) },
	{ .path = "/b" },
	{ .path = "/c", .build_id = id, .build_id_size = 2 },
	{ .path = "/proc/self/fd/900" },
};
#define MODULES (sizeof(maps) / sizeof(maps[0]))

static void put_program(void)
{
	const struct {
		Elf64_Ehdr e;
		Elf64_Phdr p;
	} elf = {
		.e = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
				     ELFDATA2LSB,
#else
				     ELFDATA2MSB,
#endif
				     EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_ehsize = sizeof(elf.e), .e_phoff = sizeof(elf.e),
			.e_phentsize = sizeof(elf.p), .e_phnum = 1,
		},
		.p = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x3000,
		       .p_filesz = LENGTH, .p_memsz = LENGTH },
	};
	int fd = memfd_create("program", MFD_CLOEXEC);

	if (fd < 0 || write(fd, &elf, sizeof(elf)) != (ssize_t)sizeof(elf) ||
	    dup2(fd, PROGRAM) != PROGRAM)
		abort();
	close(fd);
}

/* The text belongs to what is returned. */
static struct a2n *load(char *text, size_t size)
{
	struct a2n *a = a2n_open(NULL);
	size_t i;

	if (!text || !a || a2n_process(a, 1, 7, 1) || msi_load(inner_modules(a), text, size))
		abort();
	for (i = 0; i < MODULES; i++) {
		struct a2n_map map = maps[i];

		map.start = BASE + i * LENGTH;
		map.length = LENGTH;
		if (a2n_add_map(a, 2, 7, &map))
			abort();
	}
	return a;
}

static void save(void *out, struct modules *ms, struct module *m)
{
	msi_write(out, m, module_known_build_id(ms, m));
}

static struct a2n *again(struct a2n *a)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	fputs(MSI_FIRST, out);
	modules_each(inner_modules(a), save, out);
	if (fclose(out))
		abort();
	return load(text, size);
}

static void compare(struct a2n *first, struct a2n *second)
{
	struct a2n_answer r, q;
	uint64_t at;

	for (at = BASE; at < BASE + MODULES * LENGTH; at += STEP) {
		a2n_resolve(first, 7, 10, at, false, &r);
		a2n_resolve(second, 7, 10, at, false, &q);
		if (r.result != q.result || r.module_offset != q.module_offset ||
		    r.symbol_offset != q.symbol_offset || r.symbol->size != q.symbol->size ||
		    strcmp(r.symbol->name, q.symbol->name) != 0)
			abort();
	}
}

static void saved_again(const uint8_t *data, size_t size)
{
	char *text = malloc(size);
	struct a2n *first, *second;

	if (!text)
		abort();
	memcpy(text, data, size);
	first = load(text, size);
	second = again(first);
	compare(first, second);
	a2n_close(first);
	a2n_close(second);
}

/* By the original's calls. */
static int asked(const uint8_t *data, size_t size)
{
	int fd = memfd_create("msi", MFD_CLOEXEC), rc, i, loaded;
	char path[64];
	SYMDATA d;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || A2nInit())
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	loaded = A2nLoadMsiFile(path);
	if (A2nAddModule(7, BASE, LENGTH, "/a", 100, 0) ||
	    A2nAddModule(7, BASE + LENGTH, LENGTH, "/b", 100, 0))
		abort();
	for (i = 0; i < 64; i++) {
		rc = A2nGetSymbol(7, BASE + (uint64_t)i * STEP, &d);
		if (rc < 0 || (!rc && (d.sym_addr > BASE + (uint64_t)i * STEP)))
			abort();
		fuzz_touch(d.sym_name, strlen(d.sym_name));
	}
	A2nTerminate();
	close(fd);
	return loaded;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t first = sizeof(MSI_FIRST) - 1;
	static bool there;
	int rc;

	if (!there)
		put_program();
	there = true;
	rc = asked(data, size);
	if ((rc != 0) != (size < first || memcmp(data, MSI_FIRST, first)))
		abort();
	if (!rc)
		saved_again(data, size);
	return 0;
}
