/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a file as liba2n reads it, from a descriptor and from memory. What comes out must be in
 * order: ranges ascend, every address has at most one symbol, and that one covers it. So it is with
 * its variables, and with those that a mapping of the file has.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "a2n.h"
#include "a2n/base/demangle.h"
#include "a2n/dwarf/dwarf_file.h"
#include "a2n/elf/elf_file.h"
#include "fuzz.h"
#include "a2n/elf/go_table.h"

static void check_table(struct symtab *t)
{
	uint32_t i;

	if (symtab_finish(t))
		abort();
	for (i = 0; i < t->n_ranges; i++) {
		uint32_t s = symtab_find(t, t->ranges[i].start);

		if (i && t->ranges[i].start <= t->ranges[i - 1].start)
			abort();
		if (s != t->ranges[i].owner)
			abort();
		if (s == NO_SYMBOL)
			continue;
		if (t->ranges[i].start < t->symbols[s].value ||
		    t->ranges[i].start >= t->symbols[s].end)
			abort();
		if (i + 1 < t->n_ranges && t->ranges[i + 1].start > t->symbols[s].end)
			abort();
		fuzz_touch(symtab_name(t, s), strlen(symtab_name(t, s)));
		if (symtab_find(t, t->symbols[s].end - 1) == NO_SYMBOL)
			abort();
		if (i < 16)
			free(demangle_symbol(symtab_name(t, s)));
	}
	if (t->n_ranges && symtab_find(t, UINT64_MAX) != t->ranges[t->n_ranges - 1].owner)
		abort();
	symtab_find(t, 0);
}

/* Looks up the lines of all functions, at their begin and end. */
static void read_go(struct elf_file *f, struct symtab *t)
{
	struct go_table g;
	uint32_t n = elf_symbols_go(f, t, &g);

	if (n > g.n)
		abort();
	for (uint64_t i = 0; i < g.n && i < 64; i++) {
		struct go_function function, same;
		const char *file;
		size_t length;
		uint32_t line;

		if (!go_table_function(&g, i, &function))
			break;
		if (function.end < function.entry)
			abort();
		fuzz_touch(function.name, function.length);
		if (go_table_find(&g, function.entry, &same) &&
		    (same.entry > function.entry || same.end <= function.entry))
			abort();
		if (go_table_line(&g, &function, function.entry, &file, &length, &line))
			fuzz_touch(file, length);
		if (go_table_line(&g, &function, function.end - 1, &file, &length, &line))
			fuzz_touch(file, length);
	}
	go_table_close(&g);
}

static void read_all(struct elf_file *f)
{
	struct symtab t = { 0 };
	struct build_id id;
	char link[256];
	uint32_t crc, n;

	elf_file_build_id(f, &id);
	if (id.size > BUILD_ID_MAX)
		abort();
	elf_file_debuglink(f, link, sizeof(link), &crc);
	if (strlen(link) >= sizeof(link) || strchr(link, '/'))
		abort();
	n = elf_symbols_full(f, &t);
	n += elf_symbols_debugdata(f, &t);
	n += elf_symbols_dynamic(f, &t);
	n += elf_symbols_segment(f, &t);
	n += elf_symbols_plt(f, &t);
	if (n < t.n)
		abort();
	dwarf_symbols_frames(f, &t, "/lib/libfuzz.so.1");
	read_go(f, &t);
	check_table(&t);
	symtab_free(&t);
}

/* The variables of a symbol table, and what a mapping of the file says of their addresses: at most
 * one, which covers it, as the table has it. */
static void ask_variables(struct a2n *a, uint64_t start, uint64_t offset, struct symtab *t)
{
	for (uint32_t i = 0; i < t->n_ranges && i < 64; i++) {
		uint64_t value = t->ranges[i].start, distance = UINT64_MAX;
		uint64_t address = start + (value - offset);
		const struct a2n_symbol *s = a2n_variable(a, 1, 1, address, &distance);

		if (!s)
			continue;
		if (distance >= s->size || s->value + distance != value)
			abort();
		fuzz_touch(s->name, strlen(s->name));
	}
}

/* The file as a process maps it. */
static void as_mapped(int fd, struct symtab *full, struct symtab *exported)
{
	struct a2n_map map = { .start = 0x40001000, .length = 0x1000 };
	struct a2n *a = a2n_open(NULL);
	struct a2n_answer r;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	map.path = path;
	if (!a || a2n_process(a, 0, 1, 0) || a2n_add_map(a, 0, 1, &map))
		abort();
	a2n_resolve(a, 1, 1, map.start, false, &r);
	ask_variables(a, map.start, r.module_offset, full);
	ask_variables(a, map.start, r.module_offset, exported);
	a2n_close(a);
}

static void read_variables(struct elf_file *f, int fd)
{
	struct symtab full = { 0 }, exported = { 0 };

	if (elf_variables(f, &full) < full.n || elf_variables_exported(f, &exported) < exported.n)
		abort();
	check_table(&full);
	check_table(&exported);
	as_mapped(fd, &full, &exported);
	symtab_free(&full);
	symtab_free(&exported);
}

/* The same file as the kernel's image, moved. */
static void as_kernel(int fd)
{
	static const char text[] = "ffffffff91000000 T _text\nffffffff91000000 T _stext\n";
	struct a2n *a = a2n_open(NULL);
	struct a2n_answer r;

	if (!a || fd < 0)
		abort();
	a2n_kallsyms(a, text, sizeof(text) - 1);
	if (!a2n_kernel_image(a, fd)) {
		a2n_resolve(a, 0, 1, 0xffffffff91000000, true, &r);
		if (r.result == A2N_OK && r.symbol_offset >= r.symbol->size)
			abort();
		fuzz_touch(r.symbol->name, strlen(r.symbol->name));
	}
	a2n_close(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_file f;
	void *copy;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	as_kernel(dup(fd));
	if (!elf_file_open(&f, fd)) {
		read_all(&f);
		read_variables(&f, fd);
		elf_file_close(&f);
	}
	/* of just its size, for the sanitizer */
	copy = malloc(size ? size : 1);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	if (!elf_file_open_memory(&f, copy, size)) {
		read_all(&f);
		elf_file_close(&f);
	}
	free(copy);
	return 0;
}
