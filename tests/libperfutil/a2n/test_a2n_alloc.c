/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The n-th allocation fails, for every n: events say so, questions still have an answer, and no
 * answer is wrong.
 */
#include "elf_files.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static long left = -1; /* allocations until one fails; -1: none does */
static bool all;       /* and every one after it */
static bool reached;

static bool fails(void)
{
	if (left > 0)
		left--;
	else if (left == 0) {
		reached = true;
		if (!all)
			left = -1;
		return true;
	}
	return false;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

static char path[128];
static uint64_t shown;

static const char kallsyms[] =
	"ffffffff81000000 T _stext\nffffffff81000100 T _etext\nffffffffc0000000 t a\t[mod]\n"
	"ffffffffc0000010 t b\t[mod]\nffffffffc0100000 t c\t[bpf]\n";
static const char modules[] = "mod 4096 0 - Live 0xffffffffc0000000\n";

static bool known(const char *name, const char *right)
{
	return !strcmp(name, right) || !strcmp(name, A2N_NO_MODULE) ||
	       !strcmp(name, A2N_NO_SYMBOLS) || !strcmp(name, A2N_NO_SYMBOL_FOUND) ||
	       !strcmp(name, A2N_UNKNOWN);
}

/* Everything once. Returns false when some call reported a lack of memory. */
static bool story(uint32_t *wrong)
{
	static const uint8_t id[] = { 1, 2, 3 };
	struct a2n_map map = { .start = 0x10000000, .length = 0x4000, .path = path };
	const struct a2n_options options = { .demangle = true, .sympath = "/nowhere:/else" };
	struct a2n *a = a2n_open(&options);
	struct a2n_answer r;
	uint32_t i;
	int e = 0;

	if (!a)
		return false;
	e |= a2n_process(a, 10, 1, 1);
	e |= a2n_name(a, 10, 1, 1, "one");
	e |= a2n_thread(a, 10, 1, 11);
	e |= a2n_add_map(a, 10, 1, &map);
	e |= a2n_build_id(a, 1, 1, 1, 1, id, sizeof(id));
	map.path = "/other";
	for (i = 0; i < 20; i++) {
		map.start = 0x20000000 + i * 0x10000;
		e |= a2n_add_map(a, 20, 1, &map);
	}
	e |= a2n_unmap(a, 30, 1, 0x20001000, 0x100000);
	for (i = 2; i < 14; i++)
		e |= a2n_fork(a, 40 + i, i - 1, i, i) |
		     a2n_unmap(a, 40 + i, i, 0x20000000 + i * 16, 16);
	e |= a2n_clone(a, 60, 1, 20, 60);
	e |= a2n_unsure(a, 70, 0);
	e |= a2n_unsure(a, 70, 2);
	e |= a2n_vdso(a, "\177ELF", 4);
	e |= a2n_kallsyms(a, kallsyms, strlen(kallsyms));
	e |= a2n_modules(a, modules, strlen(modules));
	e |= a2n_kernel_load(a, 80, "late", 0xffffffffc0200000, 0x1000);
	e |= a2n_kernel_unload(a, 90, "mod");
	for (i = 0; i < 2; i++) {
		a2n_resolve(a, 1, 35, 0x10000000 + shown, false, &r);
		/* Without memory a name stays as it is. */
		*wrong += !known(r.symbol->name, "shown::it(int)") &&
			  strcmp(r.symbol->name, r.symbol->raw_name);
		a2n_resolve(a, 13, 60, 0x20000000, false, &r);
		*wrong += !known(r.module->name, "/other");
		a2n_resolve(a, 0, 85, 0xffffffffc0000010, true, &r);
		*wrong += !known(r.symbol->name, "b");
	}
	*wrong += !known(a2n_process_name(a, 1, 20), "one");
	*wrong += !known(a2n_thread_name(a, 1, 11, 20), "one");
	a2n_close(a);
	return e == 0;
}

static void test_each_allocation(void)
{
	static const char source[] = "namespace shown { int it(int x) { return x; } }\n";
	uint32_t wrong = 0;
	long n, failed;
	int i;

	write_file("s.cc", source, strlen(source));
	SH("gcc -O1 -fPIC -shared -nostdlib s.cc -o s.so -Wl,-Ttext-segment=0,-z,noseparate-code");
	snprintf(path, sizeof(path), "%s/s.so", dir);
	shown = address_of("s.so", "_ZN5shown2itEi");
	CU_ASSERT(story(&wrong));
	CU_ASSERT_EQUAL(wrong, 0);
	for (i = 0; i < 2; i++) {
		all = i;
		failed = 0;
		for (n = 0, reached = true; reached && n < 100000; n++) {
			reached = false;
			left = n;
			failed += !story(&wrong);
		}
		left = -1;
		CU_ASSERT_EQUAL(wrong, 0);
		CU_ASSERT(n > 100 && n < 100000 && failed > 50);
	}
	printf("# %ld allocations, %ld of them reported\n", n, failed);
}

/* Codes that programs announce: where a call succeeded, its code has its name. */
static bool codes(uint32_t *wrong)
{
	static const struct a2n_jit_line line = { 0x5100, 7, "source" };
	const struct a2n_map map = { .start = 0x5000,
				     .length = 0x1000,
				     .path = "//anon",
				     .flags = A2N_MAP_ANON };
	struct a2n *a = a2n_open(NULL);
	int e, loaded, late, lines, moved, mapped, kernel;
	struct a2n_answer r;

	if (!a)
		return false;
	e = a2n_process(a, 10, 1, 1) | a2n_add_map(a, 11, 1, &map);
	loaded = a2n_jit_load(a, 20, 1, 0x5000, 0x10, "load", 4);
	late = a2n_jit_load_late(a, 15, 25, 1, 0x5100, 0x10, "late", 4);
	lines = a2n_jit_lines(a, &line, 1);
	moved = a2n_jit_move(a, 40, 1, 0x5000, 0x5300, 0x10);
	mapped = a2n_jit_map(a, 0, 50, 1, 0x5200, 0x10, "map", 3);
	kernel = a2n_kernel_code(a, 60, "bpf_it", 0xffffffffc0300000, 0x20);
	left = -1;
	if (!e) {
		const struct {
			int rc;
			uint64_t time, address;
			const char *name;
		} rows[] = {
			{ loaded, 30, 0x5008, "load" },
			{ late, 30, 0x5108, "late" },
			{ loaded | moved, 45, 0x5308, "load" },
			{ mapped, 55, 0x5208, "map" },
			{ kernel, 70, 0xffffffffc0300010, "bpf_it" },
		};

		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			a2n_resolve(a, 1, rows[i].time, rows[i].address, rows[i].address >> 63, &r);
			*wrong += !rows[i].rc && strcmp(r.symbol->name, rows[i].name);
		}
	}
	a2n_close(a);
	return !(e | loaded | late | lines | moved | mapped | kernel);
}

static void test_codes(void)
{
	uint32_t wrong = 0, failed = 0;
	long n;

	left = -1;
	CU_ASSERT(codes(&wrong));
	CU_ASSERT_EQUAL(wrong, 0);
	for (int i = 0; i < 2; i++) {
		all = i;
		for (n = 0, reached = true; reached && n < 100000; n++) {
			reached = false;
			left = n;
			failed += !codes(&wrong);
		}
		left = -1;
		CU_ASSERT_EQUAL(wrong, 0);
		CU_ASSERT(n > 10 && failed > 10);
	}
}

static int run(void)
{
	static const struct unit_test tests[] = { { "each_allocation", test_each_allocation },
						  { "codes", test_codes },
						  { NULL, NULL } };

	return unit_run("a2n_alloc", tests);
}

int main(void)
{
	return with_folder(run);
}
