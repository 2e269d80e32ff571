/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Real ELF files for tests of liba2n: compiled in a temporary folder, mapped as a loader would, and
 * judged by what nm and objdump say of them.
 */
#ifndef ELF_FILES_H
#define ELF_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a2n.h"
#include "unit.h"

#define BIAS 0x400000000ull

static char dir[64];
static char warned[4096]; /* what the resolver warned of */
static uint32_t warnings;

/* A shell command in the folder; its exit status. */
__attribute__((format(printf, 1, 2))) static inline int sh(const char *format, ...)
{
	char command[2048], *whole;
	va_list ap;
	int r;

	va_start(ap, format);
	vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);
	if (asprintf(&whole, "cd %s && { %s\n}", dir, command) < 0)
		return 1;
	r = system(whole);
	free(whole);
	return r;
}

#define SH(...)       CU_ASSERT_EQUAL_FATAL(sh(__VA_ARGS__), 0)
#define HAVE(program) (!sh("command -v " program " >/dev/null 2>&1"))

static inline void write_file(const char *name, const void *data, size_t size)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(fwrite(data, 1, size, f), size);
	fclose(f);
}

static inline char *read_file(const char *name, size_t *size)
{
	char path[256], *data = malloc(64 << 20);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	CU_ASSERT_FATAL(f && data);
	*size = fread(data, 1, 64 << 20, f);
	fclose(f);
	return data;
}

static inline void remember(void *arg, const char *module, const char *message)
{
	(void)arg;
	snprintf(warned, sizeof(warned), "%s: %s", module, message);
	warnings++;
}

static inline struct a2n *open_a2n(const char *sympath, bool demangle)
{
	const struct a2n_options options = { .sympath = sympath,
					     .demangle = demangle,
					     .warn = remember };
	struct a2n *a = a2n_open(&options);

	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	warnings = 0;
	warned[0] = 0;
	return a;
}

/* Map the executable segments of `file` (libelf knows them, of any machine) as pid 1's, under the
 * name `path`. */
static inline uint32_t map_as(struct a2n *a, const char *file, const struct a2n_map *like)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	uint32_t n = 0;
	size_t count, i;
	Elf *elf;

	CU_ASSERT_FATAL(fd >= 0 && elf_version(EV_CURRENT) != EV_NONE);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	CU_ASSERT_FATAL(!elf_getphdrnum(elf, &count));
	for (i = 0; i < count; i++) {
		struct a2n_map map = *like;
		GElf_Phdr p;

		CU_ASSERT_PTR_NOT_NULL_FATAL(gelf_getphdr(elf, (int)i, &p));
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		map.start = BIAS + (p.p_vaddr & ~0xffful);
		map.offset = p.p_offset & ~0xffful;
		map.length = ((p.p_vaddr + p.p_memsz + 0xffful) & ~0xffful) -
			     (p.p_vaddr & ~0xffful);
		CU_ASSERT_EQUAL(a2n_add_map(a, 10, 1, &map), 0);
		n++;
	}
	elf_end(elf);
	close(fd);
	return n;
}

static inline void map_file(struct a2n *a, const char *name)
{
	char path[256];
	struct a2n_map map = { .path = path };

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	CU_ASSERT(map_as(a, path, &map) > 0);
}

static inline struct a2n_answer ask(struct a2n *a, uint64_t address)
{
	struct a2n_answer r;

	a2n_resolve(a, 1, 20, BIAS + address, false, &r);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r.symbol);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r.module);
	CU_ASSERT_PTR_NOT_NULL(r.module->symbols_from);
	return r;
}

static inline const char *name_of(struct a2n *a, uint64_t address)
{
	return ask(a, address).symbol->name;
}

struct nm {
	uint64_t value, size;
	char type, name[400];
};

/* Without a file type, nm loads the plug-ins of all compilers to find it: that takes nine tenths of
 * its time. */
static inline const char *nm_target(const char *name)
{
	unsigned char head[20] = { 0 };
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (f) {
		if (fread(head, sizeof(head), 1, f) != 1)
			head[4] = 0;
		fclose(f);
	}
	return head[4] == 2 && head[5] == 1 && head[18] == 62 && !head[19] ?
		       "--target=elf64-x86-64" :
		       "";
}

/* Reads the symbols that nm lists for a file's code. Returns their number, or -1 if nm fails. */
static inline int read_nm(const char *nm, const char *name, struct nm **out)
{
	struct nm *list = NULL, s;
	char command[512], line[1024];
	int n = 0, room = 0;
	FILE *f;

	snprintf(command, sizeof(command), "%s %s -S --defined-only '%s/%s' 2>/dev/null", nm,
		 nm_target(name), dir, name);
	f = popen(command, "r");
	CU_ASSERT_FATAL(f != NULL);
	while (fgets(line, sizeof(line), f)) {
		s.size = 0;
		if (sscanf(line, "%lx %lx %c %399s", &s.value, &s.size, &s.type, s.name) != 4) {
			s.size = 0;
			if (sscanf(line, "%lx %c %399s", &s.value, &s.type, s.name) != 3)
				continue;
		}
		if (!strchr("tTwWi", s.type))
			continue;
		if (n == room) {
			room = room ? 2 * room : 256;
			list = realloc(list, (size_t)room * sizeof(*list));
			CU_ASSERT_PTR_NOT_NULL_FATAL(list);
		}
		list[n++] = s;
	}
	*out = list;
	return pclose(f) ? -1 : n;
}

/* The same, kept here: a test asks for one symbol of a file after the other. */
static inline int symbols_of(const char *nm, const char *name, const struct nm **out)
{
	static struct nm *list;
	static char of[128];
	static struct stat was;
	static int n;
	struct stat now;
	char path[256], key[128];

	snprintf(key, sizeof(key), "%s %s", nm, name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	CU_ASSERT_EQUAL_FATAL(stat(path, &now), 0);
	if (!list || strcmp(of, key) || now.st_ino != was.st_ino || now.st_size != was.st_size ||
	    memcmp(&now.st_mtim, &was.st_mtim, sizeof(now.st_mtim))) {
		free(list);
		n = read_nm(nm, name, &list);
		was = now;
		strcpy(of, key);
	}
	*out = list;
	return n;
}

/* Is this an answer nm would give: the innermost sized symbol, else an unsized one, else none. */
static inline bool agrees(const struct nm *list, int n, uint64_t address,
			  const struct a2n_answer *r)
{
	uint64_t start = 0;
	bool covered = false, named = false;
	int i;

	for (i = 0; i < n; i++)
		if (list[i].size && address >= list[i].value &&
		    address - list[i].value < list[i].size && list[i].value >= start) {
			start = list[i].value;
			covered = true;
		}
	for (i = 0; i < n && !named; i++)
		named = r->result == A2N_OK && !strcmp(list[i].name, r->symbol->raw_name) &&
			list[i].value == r->symbol->value &&
			(covered ? list[i].size && list[i].value == start : !list[i].size);
	if (covered)
		return named;
	return r->result == A2N_RESULT_NO_SYMBOL || named ||
	       (r->result == A2N_OK && strstr(r->symbol->raw_name, "@plt"));
}

/* Ask for the first, last and next address of every symbol. */
static inline void check_against_nm(struct a2n *a, const char *nm, const char *name)
{
	int n, i, k, wrong = 0;
	const struct nm *list;

	n = symbols_of(nm, name, &list);
	CU_ASSERT(n > 0);
	for (i = 0; i < n; i++) {
		const uint64_t at[] = { list[i].value, list[i].value + list[i].size / 2,
					list[i].value + list[i].size - 1,
					list[i].value + list[i].size, list[i].value - 1 };

		for (k = 0; k < 5; k++) {
			struct a2n_answer r;

			if (k == 2 && !list[i].size)
				continue;
			r = ask(a, at[k]);
			/* The file's other sections are not mapped as code. */
			if (r.result == A2N_RESULT_NO_MODULE || agrees(list, n, at[k], &r))
				continue;
			if (!wrong++)
				printf("# %s: %#lx (%s %#lx+%#lx) is %s\n", name, (long)at[k],
				       list[i].name, (long)list[i].value, (long)list[i].size,
				       r.symbol->name);
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static inline uint64_t address_of(const char *name, const char *symbol)
{
	const struct nm *list;
	int n = symbols_of("nm", name, &list), i;
	uint64_t value = 0;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i].name, symbol))
			value = list[i].value;
	CU_ASSERT_NOT_EQUAL_FATAL(value, 0);
	return value;
}

static inline int with_folder(int (*run)(void))
{
	int r;

	snprintf(dir, sizeof(dir), "/tmp/a2n-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	r = run();
	if (!getenv("KEEP")) {
		char command[128];

		snprintf(command, sizeof(command), "rm -rf %s", dir);
		if (system(command))
			r = 1;
	}
	return r;
}

#endif
