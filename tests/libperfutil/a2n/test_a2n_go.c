/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Go programs without a symbol table: names and source lines by the table of functions that they
 * carry, in all its layouts; damaged ones; and what Go's linker really writes.
 */
#include <lzma.h>

#include "go_files.h"
#include "a2n/elf/go_table.h"

static const struct {
	uint16_t machine;
	uint8_t word;
	bool big;
} machines[] = {
	{ EM_X86_64, 8, false }, { EM_S390, 8, true },     { EM_386, 4, false },
	{ EM_MIPS, 4, true },    { EM_AARCH64, 8, false },
};
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static struct go_file made;

static void make(enum go_layout layout, unsigned int machine, bool pie, int style)
{
	made.layout = layout;
	made.machine = machines[machine].machine;
	made.word = machines[machine].word;
	made.big = machines[machine].big;
	made.pie = pie;
	made.style = style;
	go_make(&made);
}

struct seen {
	char file[300];
	uint32_t line, n;
};

static void see(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	struct seen *s = arg;

	(void)i;
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(frames[0].file);
	snprintf(s->file, sizeof(s->file), "%s", frames[0].file);
	s->line = frames[0].line;
	s->n++;
}

static struct seen line_of(struct a2n *a, uint64_t address)
{
	struct a2n_answer r = ask(a, address);
	struct seen s = { .n = 0 };

	CU_ASSERT_EQUAL(a2n_lines(a, r.module, &r.module_offset, 1, true, see, &s), 0);
	return s;
}

/* Names from the first to the last byte of each function, none before and behind; lines. */
static int wrong_names(const char *file)
{
	struct a2n *a = open_a2n(NULL, true);
	uint64_t at;
	int wrong = 0;

	map_file(a, file);
	for (size_t i = 0; i < GO_MADE; i++) {
		for (at = go_made[i].entry; at < go_made[i].end; at++) {
			struct a2n_answer r = ask(a, at);

			wrong += strcmp(r.symbol->name, go_made[i].name) != 0 ||
				 r.symbol->value != go_made[i].entry ||
				 r.symbol->size != go_made[i].end - go_made[i].entry;
		}
		for (at = go_made[i].entry; at < go_made[i].end; at += 4) {
			struct seen s = line_of(a, at);
			uint64_t step = (at - go_made[i].entry) / 16;

			wrong += s.n != 1 || strcmp(s.file, GO_SOURCE) ||
				 s.line != go_made[i].line[step < 2 ? step : 2];
		}
	}
	wrong += ask(a, GO_RUNTIME - 1).result != A2N_RESULT_NO_SYMBOL;
	wrong += ask(a, go_made[GO_MADE - 1].end).result != A2N_RESULT_NO_SYMBOL;
	wrong += warnings != 0;
	if (warnings)
		printf("# %s\n", warned);
	a2n_close(a);
	return wrong;
}

static void test_layouts(void)
{
	for (int layout = 0; layout < GO_LAYOUTS; layout++)
		for (unsigned int m = 0; m < MACHINES; m++)
			for (int pie = 0; pie < (machines[m].word == 8 ? 2 : 1); pie++)
				for (int style = 0; style < GO_STYLES; style++) {
					char name[32];
					int wrong;

					snprintf(name, sizeof(name), "go-%d-%u-%d-%d", layout, m,
						 pie, style);
					make((enum go_layout)layout, m, pie, style);
					write_file(name, made.image, made.size);
					wrong = wrong_names(name);
					if (wrong)
						printf("# %s: %d\n", name, wrong);
					CU_ASSERT_EQUAL(wrong, 0);
				}
}

/* No code but C's before it, and no moduledata: code begins where its section does. */
static void test_text_section(void)
{
	struct a2n *a;

	make(GO_26, 0, false, GO_NAMED);
	memset(made.image + 0x2c00, 0, 0x200);
	write_file("text", made.image, made.size);
	a = open_a2n(NULL, false);
	map_file(a, "text");
	CU_ASSERT_STRING_EQUAL(name_of(a, GO_TEXT), go_made[0].name);
	a2n_close(a);
	make(GO_26, 0, false, GO_NO_SECTIONS);
	memset(made.image + 0x2c00, 0, 0x200);
	write_file("text", made.image, made.size);
	a = open_a2n(NULL, false);
	map_file(a, "text");
	CU_ASSERT_STRING_EQUAL(name_of(a, GO_TEXT), A2N_NO_SYMBOLS);
	a2n_close(a);
}

/* Addresses that a symbol table covers keep its names; pclntab names the rest. */
static void test_beside_symbols(void)
{
	struct elf_file f;
	struct symtab t = { 0 };
	struct go_table g;
	uint64_t at = go_made[0].entry;

	make(GO_20, 0, false, GO_NAMED);
	CU_ASSERT_PTR_NULL_FATAL(elf_file_open_memory(&f, made.image, made.size));
	symtab_add(&t, at - 0x20, 0x30, GO_DATA, RANK(RANK_LOCAL, 1), "symbol", 6);
	symtab_add(&t, go_made[1].entry, 0x10, GO_DATA, RANK(RANK_LOCAL, 1), "short", 5);
	symtab_add(&t, go_made[2].entry + 8, 0x8, GO_DATA, RANK(RANK_LOCAL, 1), "inner", 5);
	CU_ASSERT_EQUAL(elf_symbols_go(&f, &t, &g), GO_MADE);
	go_table_close(&g);
	CU_ASSERT_EQUAL(symtab_finish(&t), 0);
	CU_ASSERT_STRING_EQUAL(symtab_name(&t, symtab_find(&t, at)), "symbol");
	CU_ASSERT_STRING_EQUAL(symtab_name(&t, symtab_find(&t, go_made[1].entry)), "short");
	CU_ASSERT_STRING_EQUAL(symtab_name(&t, symtab_find(&t, go_made[2].entry)), go_made[2].name);
	CU_ASSERT_STRING_EQUAL(symtab_name(&t, symtab_find(&t, go_made[2].entry + 8)), "inner");
	symtab_free(&t);
	elf_file_close(&f);
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void damaged(const char *says, const char *name)
{
	struct a2n *a = open_a2n(NULL, false);

	write_file("damaged", made.image, made.size);
	map_file(a, "damaged");
	CU_ASSERT_STRING_EQUAL(name_of(a, GO_RUNTIME), name);
	CU_ASSERT_PTR_NOT_NULL(strstr(warned, says));
	if (!strstr(warned, says))
		printf("# not \"%s\" but \"%s\"\n", says, warned);
	a2n_close(a);
}

static void test_damaged(void)
{
	const size_t table = GO_TABLE - 0x400000;
	uint8_t *functions;
	struct a2n *a;
	struct a2n_answer r;
	struct seen s = { .n = 0 };

	make(GO_20, 0, false, GO_NAMED);
	made.image[table] = 0xf2;
	/* the name of none is the last warning */
	damaged("no symbols in the file", A2N_NO_SYMBOLS);
	make(GO_20, 0, false, GO_NAMED);
	functions = made.image + table + made.image[table + 64] + 256u * made.image[table + 65];
	functions[12 + 3] = 0x7f; /* where the second is told of */
	damaged("its functions are out of order, at 0x", go_made[0].name);
	CU_ASSERT_PTR_NOT_NULL(strstr(warned, "1 functions were read"));

	/* Lines that have no end, or that never move on. */
	make(GO_20, 0, false, GO_NAMED);
	functions = made.image + table + made.image[table + 64] + 256u * made.image[table + 65];
	memset(made.image + table + made.image[table + 56] + 256u * made.image[table + 57] + 1,
	       0xff, 0x10);
	write_file("damaged", made.image, made.size);
	a = open_a2n(NULL, false);
	map_file(a, "damaged");
	r = ask(a, GO_RUNTIME);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, go_made[0].name);
	CU_ASSERT_EQUAL(a2n_lines(a, r.module, &r.module_offset, 1, true, see, &s), 0);
	a2n_close(a);
}

/* The n-th byte of table, headers and moduledata changed: read at most what is there. */
static void test_any_byte(void)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (int layout = 0; layout < GO_LAYOUTS; layout++) {
		make((enum go_layout)layout, 0, layout & 1, GO_NO_SECTIONS);
		for (size_t at = 0; at < made.size; at++) {
			for (size_t v = 0; v < sizeof(values); v++) {
				const uint8_t before = made.image[at];
				struct symtab t = { 0 };
				struct go_table g;
				struct elf_file f;

				made.image[at] = values[v];
				if (elf_file_open_memory(&f, made.image, made.size)) {
					made.image[at] = before;
					continue;
				}
				elf_symbols_go(&f, &t, &g);
				for (size_t i = 0; g.n && i < GO_MADE; i++) {
					struct go_function function;
					const char *file;
					size_t length;
					uint32_t line;

					if (go_table_find(&g, go_made[i].entry + 32, &function))
						go_table_line(&g, &function, go_made[i].entry + 32,
							      &file, &length, &line);
				}
				go_table_close(&g);
				CU_ASSERT_EQUAL(symtab_finish(&t), 0);
				symtab_free(&t);
				elf_file_close(&f);
				made.image[at] = before;
			}
			if (at == 0x200)
				at = 0x20ff;
		}
	}
}

/* Many functions that share one long name would take more memory than any file has. */
static void test_long_names(void)
{
	const uint32_t n = 4000, length = 60000, functions = 80 + 65536;
	struct go_file *f = &made;
	size_t size = 0x2000 + functions + n * 8 + 4 + n * 40 + 16;
	uint8_t *image = calloc(1, size);
	struct symtab t = { 0 };
	struct go_table g;
	struct elf_file elf;
	const uint64_t header[] = { n, 1, 0x401000, 72, 72, 72, 72, functions };

	CU_ASSERT_PTR_NOT_NULL_FATAL(image);
	make(GO_20, 0, false, GO_NO_SECTIONS);
	memcpy(image, f->image, 0x200);
	memcpy(image + 0x2000, "\xf1\xff\xff\xff\0\0\1\x08", 8);
	memcpy(image + 0x2008, header, sizeof(header));
	memset(image + 0x2000 + 72, 'x', length);
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t entry = i / 8, at = n * 8 + 8 + i * 40;
		uint8_t *p = image + 0x2000 + functions;

		memcpy(p + i * 8, &entry, 4);
		if (i == n)
			break;
		memcpy(p + i * 8 + 4, &at, 4);
		memcpy(p + at, &entry, 4);
	}
	/* the data segment's size in the file and in memory */
	memcpy(image + 0x100 + 56 + 32, &(const uint64_t){ size - 0x2000 }, 8);
	memcpy(image + 0x100 + 56 + 40, &(const uint64_t){ size - 0x2000 }, 8);
	CU_ASSERT_PTR_NULL_FATAL(elf_file_open_memory(&elf, image, size));
	elf_symbols_go(&elf, &t, &g);
	CU_ASSERT_PTR_NOT_NULL_FATAL(g.fault);
	CU_ASSERT_PTR_NOT_NULL(strstr(g.fault, "longer names"));
	CU_ASSERT(t.names_used < 8 * size);
	go_table_close(&g);
	symtab_free(&t);
	elf_file_close(&elf);
	free(image);
}

/* The relevant parts of a program linked by the linker of Go 1.26 and GNU ld, and the output of nm:
 * the table is relocated, and its header no longer has the start of the code. */
static void test_linked(void)
{
	uint8_t *packed, *plain = malloc(8 << 20);
	char path[] = "tests/data/go/go126-pie.xz", line[512], name[400];
	uint64_t limit = 128 << 20;
	size_t in = 0, out = 0, size;
	unsigned long at, length;
	int wrong = 0, n = 0;
	struct a2n *a;
	FILE *f = fopen(path, "rb");

	packed = malloc(1 << 20);
	CU_ASSERT_FATAL(f && packed && plain);
	size = fread(packed, 1, 1 << 20, f);
	fclose(f);
	CU_ASSERT_EQUAL_FATAL(lzma_stream_buffer_decode(&limit, 0, NULL, packed, &in, size, plain,
							&out, 8 << 20),
			      LZMA_OK);
	write_file("linked", plain, out);
	free(packed);
	free(plain);
	a = open_a2n(NULL, false);
	map_file(a, "linked");
	f = fopen("tests/data/go/go126-pie.names", "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	while (fgets(line, sizeof(line), f)) {
		CU_ASSERT_EQUAL_FATAL(sscanf(line, "%lx %lx %399s", &at, &length, name), 3);
		n++;
		if (strcmp(name_of(a, at), name) || strcmp(name_of(a, at + length - 1), name))
			wrong++;
	}
	fclose(f);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(n >= 30);
	/* The C compiler's start-up files are not Go code. */
	CU_ASSERT_EQUAL(ask(a, 0x1a310).result, A2N_RESULT_NO_SYMBOL);
	a2n_close(a);
}

/* ---- real ------------------------------------------------------------------------------------ */

/* Each function that the symbol table of `full` has in Go's code has that name in `stripped`. */
static int compare(const char *full, const char *stripped, int *checked)
{
	struct a2n *a = open_a2n(NULL, false);
	struct nm *list;
	int n = read_nm("nm", full, &list), i, k, wrong = 0;
	uint64_t low = 0, high = 0;

	map_file(a, stripped);
	for (i = 0; i < n; i++) {
		if (!strcmp(list[i].name, "runtime.text"))
			low = list[i].value;
		if (!strcmp(list[i].name, "runtime.etext"))
			high = list[i].value;
	}
	CU_ASSERT(low && high > low);
	for (*checked = i = 0; i < n; i++) {
		const char *bracket = strchr(list[i].name, '[');
		struct a2n_answer r;
		bool same = false;

		/* Symbols of C are not in it; nm's names end at a blank. */
		if (list[i].value < low || list[i].value >= high || !list[i].size || bracket ||
		    !strchr(list[i].name, '.') || strchr("dDrRbB", list[i].type) ||
		    strchr(list[i].name, '{'))
			continue;
		r = ask(a, list[i].value + list[i].size - 1);
		for (k = 0; k < n && !same; k++)
			same = list[k].value == list[i].value &&
			       !strcmp(r.symbol->name, list[k].name);
		++*checked;
		if (!same && r.symbol->value != list[i].value && !wrong++)
			printf("# %s: %#lx is %s, not %s\n", stripped, (long)list[i].value,
			       r.symbol->name, list[i].name);
	}
	a2n_close(a);
	free(list);
	return wrong;
}

static const char go_program[] = "package main\n"
				 "//go:noinline\n"
				 "func spin(n int) int {\n"
				 "	s := 1\n"
				 "	for i := 0; i < n; i++ {\n"
				 "		s = s*3 + i\n"
				 "	}\n"
				 "	return s\n"
				 "}\n"
				 "func main() { println(spin(3)) }\n";

/* Each instruction has the line that Go's disassembler shows. */
static void check_lines(const char *what)
{
	struct a2n *a = open_a2n(NULL, false);
	char command[512], text[512];
	int n = 0, wrong = 0;
	FILE *f;

	map_file(a, "stripped");
	snprintf(command, sizeof(command),
		 "cd %s && ${GO:-go} tool objdump -s '^main.spin$' full "
		 "| grep -o 'spin.go:[0-9]*.*0x[0-9a-f]*'",
		 dir);
	f = popen(command, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	while (fgets(text, sizeof(text), f)) {
		unsigned long line, at;
		struct seen s;

		if (sscanf(text, "spin.go:%lu 0x%lx", &line, &at) != 2)
			continue;
		n++;
		s = line_of(a, at);
		wrong += s.n != 1 || s.line != line || !strstr(s.file, "/spin.go");
	}
	pclose(f);
	if (wrong)
		printf("# %s: %d of %d lines are wrong\n", what, wrong, n);
	/* Older ones do not record PIE. */
	CU_ASSERT(n >= 5 || strstr(what, "pie"));
	CU_ASSERT_EQUAL(wrong, 0);
	a2n_close(a);
}

static void real(const char *what, const char *build)
{
	int checked = 0, wrong;

	SH("strip -o stripped full 2>/dev/null || llvm-strip -o stripped full");
	wrong = compare("full", "stripped", &checked);
	if (wrong || checked < 500)
		printf("# %s (%s): %d of %d are wrong\n", what, build, wrong, checked);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(checked >= 500);
	check_lines(what);
}

static void test_go(void)
{
	static const char *const builds[][2] = {
		{ "", "" },
		{ "", "-buildmode=pie" },
		{ "", "-buildmode=pie -ldflags=-linkmode=external" },
		/* Others take minutes to build what Go comes with: GO_TEST_ALL=1. */
		{ "GOARCH=s390x", "" },
		{ "GOARCH=386", "" },
		{ "GOARCH=arm64", "-buildmode=pie" },
		{ "", "-ldflags=-linkmode=external" },
	};
	size_t n = getenv("GO_TEST_ALL") ? sizeof(builds) / sizeof(builds[0]) : 3;

	if (sh("command -v ${GO:-go} >log")) {
		unit_skip(NULL, "go is not installed");
		return;
	}
	write_file("spin.go", go_program, strlen(go_program));
	for (size_t i = 0; i < n; i++) {
		/* GO names another one to be tested. */
		if (sh("%s GOCACHE=${GOCACHE:-$PWD/cache} GO111MODULE=off ${GO:-go} build %s "
		       "-o full spin.go >log 2>&1",
		       builds[i][0], builds[i][1])) {
			sh("sed 's/^/# /' log");
			CU_FAIL("a program cannot be built");
			continue;
		}
		real(builds[i][1], builds[i][0]);
	}
}

static int run(void)
{
	static const struct unit_test tests[] = { { "layouts", test_layouts },
						  { "text_section", test_text_section },
						  { "beside_symbols", test_beside_symbols },
						  { "damaged", test_damaged },
						  { "any_byte", test_any_byte },
						  { "long_names", test_long_names },
						  { "linked", test_linked },
						  { "go", test_go },
						  { NULL, NULL } };

	return unit_run("a2n_go", tests);
}

int main(void)
{
	return with_folder(run);
}
