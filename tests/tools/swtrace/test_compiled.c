/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With which options a program was compiled: made programs, of 32 and 64 bits, with each name and
 * section that counts, and damaged ones. */
#include <elf.h>
#include <stdint.h>
#include <sys/mman.h>

#include "compiled.h"
#include "unit.h"

/* ---- made programs --------------------------------------------------------------------------- */

#define MOST 16
static struct {
	uint8_t byte[8192];
	size_t size;
} image;

struct made_section {
	const char *name;
	uint32_t type, link;
	const char *data;
	size_t size;
};

struct made {
	bool wide;
	struct made_section section[MOST];
	int n;
};

static void put(size_t at, uint64_t value, size_t size)
{
	memcpy(image.byte + at, &value, size);
}

static size_t heads_at;

static size_t head_of(const struct made *m, int i)
{
	return heads_at + (size_t)i * (m->wide ? 64 : 40);
}

/* The first section is empty, the last has the sections' names. */
static void build(const struct made *m)
{
	size_t word = m->wide ? 8 : 4, at = 64, names = 3000, name = 1;

	memset(&image, 0, sizeof(image));
	memcpy(image.byte, ELFMAG, SELFMAG);
	put(EI_CLASS, m->wide ? ELFCLASS64 : ELFCLASS32, 1);
	put(EI_DATA, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB, 1);
	heads_at = 4096;
	put(m->wide ? 40 : 32, heads_at, word);
	put(m->wide ? 58 : 46, m->wide ? 64 : 40, 2);
	put(m->wide ? 60 : 48, (uint64_t)m->n + 2, 2);
	put(m->wide ? 62 : 50, (uint64_t)m->n + 1, 2);
	for (int i = 0; i < m->n; i++) {
		const struct made_section *s = &m->section[i];
		size_t head = head_of(m, i + 1);

		memcpy(image.byte + at, s->data, s->size);
		put(head, name, 4);
		put(head + 4, s->type, 4);
		put(head + (m->wide ? 24 : 16), at, word);
		put(head + (m->wide ? 32 : 20), s->size, word);
		put(head + (m->wide ? 40 : 24), s->link, 4);
		strcpy((char *)image.byte + names + name, s->name);
		name += strlen(s->name) + 1;
		at += s->size;
	}
	put(head_of(m, m->n + 1) + 4, SHT_STRTAB, 4);
	put(head_of(m, m->n + 1) + (m->wide ? 24 : 16), names, word);
	put(head_of(m, m->n + 1) + (m->wide ? 32 : 20), name, word);
	image.size = head_of(m, m->n + 2);
}

static char why[200];

static bool read_image(struct compiled *c)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	char path[64];
	bool is;

	CU_ASSERT_EQUAL_FATAL(write(fd, image.byte, image.size), (ssize_t)image.size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	strcpy(why, "before");
	is = compiled_read(path, c, why, sizeof(why));
	close(fd);
	return is;
}

static struct compiled of(const struct made *m)
{
	struct compiled c = { .instrumented = true, .xray = true };

	build(m);
	CU_ASSERT(read_image(&c));
	CU_ASSERT_STRING_EQUAL(why, "");
	return c;
}

static bool same(const struct compiled *a, const struct compiled *b)
{
	return a->loader == b->loader && a->instrumented == b->instrumented &&
	       a->fentry == b->fentry && a->returns == b->returns && a->patchable == b->patchable &&
	       a->xray == b->xray && a->linked == b->linked;
}

#define TEXT(s) (s), sizeof(s)
#define SYMBOLS(kind, names)                                                          \
	{                                                                             \
		{ ".symbols", kind, 2, TEXT("x") },                                   \
			{ ".strings", SHT_STRTAB, 0, "\0" names, sizeof(names) + 1 }, \
	}

/* ---- what counts ----------------------------------------------------------------------------- */

/* One name among others, not first, not last, and only whole. */
static void names(void)
{
	static const struct {
		struct made_section section[2];
		struct compiled is;
	} all[] = {
		{ SYMBOLS(SHT_SYMTAB, "main\0__cyg_profile_func_enter\0exit"),
		  { .instrumented = true } },
		{ SYMBOLS(SHT_DYNSYM, "main\0__fentry__\0exit"), { .fentry = true } },
		{ SYMBOLS(SHT_SYMTAB, "__fentry__\0__return__"),
		  { .fentry = true, .returns = true } },
		{ SYMBOLS(SHT_SYMTAB, "HookitFlush"), { .linked = true } },
		{ SYMBOLS(SHT_SYMTAB, "libhookit.so.1"), { .linked = true } },
		{ SYMBOLS(SHT_SYMTAB, "_mcount\0__fentry\0HookitFlushed\0libhookit.s"), {} },
		{ SYMBOLS(SHT_SYMTAB, ""), {} },
		/* No symbols refer to them. */
		{ SYMBOLS(SHT_NOTE, "__fentry__"), {} },
		{ { { ".symbols", SHT_SYMTAB, 1, TEXT("x") },
		    { ".strings", SHT_STRTAB, 0, TEXT("\0__fentry__") } },
		  {} },
		{ { { ".symbols", SHT_SYMTAB, 99, TEXT("x") },
		    { ".strings", SHT_STRTAB, 0, TEXT("\0__fentry__") } },
		  {} },
		{ { { ".symbols", SHT_SYMTAB, 2, TEXT("x") },
		    { ".strings", SHT_PROGBITS, 0, TEXT("\0__fentry__") } },
		  {} },
		/* A name that is not ended. */
		{ { { ".symbols", SHT_SYMTAB, 2, TEXT("x") },
		    { ".strings", SHT_STRTAB, 0, "\0__return__\0__fentry__", 22 } },
		  { .returns = true } },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		for (int wide = 0; wide < 2; wide++) {
			struct made m = { .wide = wide, .n = 2 };
			struct compiled want = all[i].is, got;

			memcpy(m.section, all[i].section, sizeof(all[i].section));
			want.loader = LOADER_NONE;
			got = of(&m);
			if (!same(&got, &want))
				printf("# names %zu\n", i);
			CU_ASSERT(same(&got, &want));
		}
	}
}

static void sections(void)
{
	static const struct {
		struct made_section section;
		struct compiled is;
	} all[] = {
		{ { ".interp", SHT_PROGBITS, 0, TEXT("/lib64/ld-linux-x86-64.so.2") },
		  { .loader = LOADER_OURS } },
		{ { ".interp", SHT_PROGBITS, 0, TEXT("/lib/ld-musl-x86_64.so.1") },
		  { .loader = LOADER_MUSL } },
		{ { ".interp", SHT_PROGBITS, 0, TEXT("/lib/ld-muslx") },
		  { .loader = LOADER_OURS } },
		{ { "__patchable_function_entries", SHT_PROGBITS, 0, TEXT("x") },
		  { .loader = LOADER_NONE, .patchable = true } },
		{ { "xray_instr_map", SHT_PROGBITS, 0, TEXT("x") },
		  { .loader = LOADER_NONE, .xray = true } },
		{ { ".text", SHT_PROGBITS, 0, TEXT("x") }, { .loader = LOADER_NONE } },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		for (int wide = 0; wide < 2; wide++) {
			struct made m = { wide, { all[i].section }, 1 };
			struct compiled got = of(&m);

			if (!same(&got, &all[i].is))
				printf("# sections %zu\n", i);
			CU_ASSERT(same(&got, &all[i].is));
		}
	}
}

/* Both tables of a program are looked at, and more; not any number. */
static void tables(void)
{
	static const struct made_section last[] = {
		{ ".dynsym", SHT_DYNSYM, 10, TEXT("x") },
		{ ".dynstr", SHT_STRTAB, 0, TEXT("\0__fentry__") },
	};
	struct made m = { .wide = true, .n = 10 };

	for (int before = 7; before <= 8; before++) {
		m.n = before + 2;
		for (int i = 0; i < before; i++)
			m.section[i] = (struct made_section){ ".symtab", SHT_SYMTAB,
							      (uint32_t)before + 3, TEXT("x") };
		memcpy(m.section + before, last, sizeof(last));
		m.section[before].link = (uint32_t)before + 2;
		CU_ASSERT_EQUAL(of(&m).fentry, before == 7);
	}
}

/* ---- what is damaged ------------------------------------------------------------------------- */

static void refused(const char *word)
{
	struct compiled c;

	CU_ASSERT(!read_image(&c));
	if (!strstr(why, word) || (!*word && *why))
		printf("# '%s', not '%s'\n", why, word);
	CU_ASSERT(strstr(why, word) && (*word || !*why));
}

static void damaged(void)
{
	for (int wide = 0; wide < 2; wide++) {
		const struct made m = { wide, { { ".text", SHT_PROGBITS, 0, TEXT("x") } }, 1 };
		size_t whole;
		struct compiled c;
		char at[64];

		build(&m);
		whole = image.size;
		/* One byte is missing. */
		image.size--;
		refused("at byte 4096: the heads of the sections are beyond the file's end");
		image.size = whole;
		put(wide ? 58 : 46, wide ? 63 : 39, 2);
		snprintf(at, sizeof(at), "at byte %d: the size of a section's head is too small",
			 wide ? 58 : 46);
		refused(at);
		/* Larger heads are those of a later version. */
		put(wide ? 58 : 46, wide ? 65 : 41, 2);
		image.size = whole + 3;
		CU_ASSERT(read_image(&c));
		/* No sections. */
		build(&m);
		put(wide ? 60 : 48, 0, 2);
		CU_ASSERT(read_image(&c) && c.loader == LOADER_UNKNOWN);
		CU_ASSERT_STRING_EQUAL(why, "");
		build(&m);
		put(wide ? 40 : 32, 0, wide ? 8 : 4);
		CU_ASSERT(read_image(&c) && c.loader == LOADER_UNKNOWN);
		/* Their names are in none of them. */
		build(&m);
		put(wide ? 62 : 50, 3, 2);
		CU_ASSERT(read_image(&c) && c.loader == LOADER_UNKNOWN);
		/* A name beyond the others is none. */
		build(&m);
		put(head_of(&m, 1), 7, 4);
		CU_ASSERT(read_image(&c) && c.loader == LOADER_NONE);
	}
}

static void no_programs(void)
{
	const struct made m = { true, { { ".text", SHT_PROGBITS, 0, TEXT("x") } }, 1 };
	const struct made narrow = { false, { { ".text", SHT_PROGBITS, 0, TEXT("x") } }, 1 };
	struct compiled c = { .xray = true };

	strcpy(why, "before");
	CU_ASSERT(!compiled_read("/nowhere/program", &c, why, sizeof(why)));
	CU_ASSERT(!*why && !c.xray);
	CU_ASSERT(!compiled_read("/dev", &c, why, sizeof(why)));
	CU_ASSERT(!compiled_read("/dev/zero", &c, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "");
	build(&m);
	image.byte[1] = 'e';
	refused("");
	build(&m);
	image.byte[EI_DATA] ^= 3;
	refused("");
	build(&m);
	image.size = 51;
	refused("");
	image.size = 52;
	refused("at byte 52: the head of the program ends");
	image.size = 63;
	refused("at byte 63: the head of the program ends");
	image.size = 64;
	refused("at byte 4096: the heads");
	/* One of 32 bits is shorter. */
	build(&narrow);
	image.size = 52;
	refused("at byte 4096: the heads");
	image.size = 0;
	refused("");
}

/* ---- words ----------------------------------------------------------------------------------- */

static void words(void)
{
	static const struct {
		struct compiled c;
		const char *options;
	} all[] = {
		{ { .instrumented = true, .fentry = true, .xray = true },
		  "-finstrument-functions" },
		{ { .fentry = true, .returns = true, .patchable = true },
		  "-pg -mfentry -minstrument-return=call" },
		{ { .fentry = true, .patchable = true },
		  "-pg -mfentry, which tells no ends of calls" },
		{ { .patchable = true, .xray = true }, "-fpatchable-function-entry" },
		{ { .xray = true, .returns = true }, "-fxray-instrument" },
	};
	struct compiled none = { .returns = true, .linked = true };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		CU_ASSERT_STRING_EQUAL(compiled_words(&all[i].c), all[i].options);
	CU_ASSERT_PTR_NULL(compiled_words(&none));
	CU_ASSERT_PTR_NULL(compiled_cannot(&none));
	none.loader = LOADER_OURS;
	CU_ASSERT_PTR_NULL(compiled_cannot(&none));
	none.loader = LOADER_NONE;
	CU_ASSERT_PTR_NOT_NULL_FATAL(compiled_cannot(&none));
	CU_ASSERT(strstr(compiled_cannot(&none), "statically") != NULL);
	none.loader = LOADER_MUSL;
	CU_ASSERT(strstr(compiled_cannot(&none), "musl") != NULL);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "names", names },
		{ "sections", sections },
		{ "tables", tables },
		{ "damaged", damaged },
		{ "no_programs", no_programs },
		{ "words", words },
		{},
	};

	return unit_run("compiled", tests);
}
