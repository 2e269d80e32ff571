/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saved symbols as text: what is read of it, by whom and for whom, and what is written. */
#include "a2n/module/msi.h"
#include "unit.h"

static struct modules all;
static struct module m;

static void begin(const char *path)
{
	all = (struct modules){ .machine = 0 };
	m = (struct module){ .path = path };
}

static void end(void)
{
	msi_free(&all);
	CU_ASSERT_PTR_NULL(all.msi);
	symtab_free(&m.tab);
	free(m.segments);
}

static int load(const void *text, size_t size)
{
	char *copy = malloc(size + 1);

	memcpy(copy, text, size);
	return msi_load(&all, copy, size);
}

static void load_text(const char *text)
{
	CU_ASSERT_EQUAL_FATAL(load(text, strlen(text)), 0);
}

/* Returns the symbols read so far, as lines, and forgets them. */
static const char *symbols(void)
{
	static char text[4096];
	size_t at = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < m.n_segments; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%llx>%llx+%llx ",
				       (unsigned long long)m.segments[i].offset,
				       (unsigned long long)m.segments[i].address,
				       (unsigned long long)m.segments[i].size);
	for (uint32_t i = 0; i < m.tab.n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%llx-%llx/%u%s%s ",
				       (unsigned long long)m.tab.symbols[i].value,
				       (unsigned long long)m.tab.symbols[i].end,
				       m.tab.symbols[i].rank, m.tab.symbols[i].sized ? "s" : "u",
				       symtab_name(&m.tab, i));
	symtab_free(&m.tab);
	m.tab = (struct symtab){ 0 };
	return text;
}

static const char *ask(const char *path, const struct build_id *id)
{
	uint32_t n;

	m.path = path;
	n = msi_symbols(&all, &m, id);
	CU_ASSERT_EQUAL(n, m.tab.n);
	return symbols();
}

static void lines(void)
{
	begin("/bin/x");
	load_text("pitrace-msi 1\n"
		  "SYMBOL 1 2 7 1 of_nobody\n"
		  "MODULE /bin/x\n"
		  "SEGMENT 1000 401000 2fff\n"
		  "SYMBOL 401000 401020 7 1 main\n"
		  "a line of a later version\n"
		  "SEGMENT  4000\t405000  10\n"
		  "SYMBOL ffffffffffff0000 ffffffffffffffff 0 0 operator new(unsigned long)\n"
		  "SYMBOL 401020 401021 3 2 with blanks \n"
		  "MODULE /bin/y\n"
		  "SYMBOL 5 6 1 0 y\n");
	CU_ASSERT_STRING_EQUAL(ask("/bin/x", NULL),
			       "1000>401000+2fff 4000>405000+10 401000-401020/7smain "
			       "ffffffffffff0000-ffffffffffffffff/0uoperator new(unsigned long) "
			       "401020-401021/3swith blanks  ");
	/* The symbols of the other file are gone. */
	CU_ASSERT_STRING_EQUAL(ask("/bin/y", NULL), "5-6/1uy ");
	CU_ASSERT_STRING_EQUAL(ask("/bin/", NULL), "");
	CU_ASSERT_STRING_EQUAL(ask("/bin/xx", NULL), "");
	CU_ASSERT_STRING_EQUAL(ask("", NULL), "");
	end();
}

/* Lines that say nothing; the others of their module serve. */
static void odd_lines(void)
{
	static const char *const odd[] = {
		"SYMBOL 30 30 7 1 empty",
		"SYMBOL 30 2f 7 1 backwards",
		"SYMBOL 30 31 8 1 rank",
		"SYMBOL 30 31 7 1 ",
		"SYMBOL 30 31 7 1",
		"SYMBOL 30 31 7",
		"SYMBOL 30 31",
		"SYMBOL 30",
		"SYMBOL ",
		"SYMBOL x 31 7 1 no_hex",
		"SYMBOL 30 31 7 1no_blank",
		"SYMBOL",
		"SEGMENT 1 2",
		"SEGMENT 1",
		"SEGMENT ",
		"SEGMENT 1 2 z",
		"SEGMENTS 1 2 3",
		" SYMBOL 30 31 7 1 later",
		"SYMBOL 11112222333344445 2 7 1 long",
		"symbol 30 31 7 1 small",
	};
	static const char named[] =
		"pitrace-msi 1\nMODULE /m\nSYMBOL 30 31 7 1 a\0b\nSYMBOL 1 2 7 1 f\n";
	char text[256];

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		begin("/m");
		snprintf(text, sizeof(text),
			 "pitrace-msi 1\nMODULE /m\nSEGMENT 4 5 6\n%s\nSYMBOL 1 2 7 1 f\n", odd[i]);
		load_text(text);
		CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "4>5+6 1-2/7sf ");
		end();
	}
	begin("/m");
	CU_ASSERT_EQUAL(load(named, sizeof(named) - 1), 0);
	CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "1-2/7sf ");
	end();
}

/* Segments without a symbol are of no use: the file may have names. */
static void no_symbols(void)
{
	begin("/m");
	load_text("pitrace-msi 1\nMODULE /m\nSEGMENT 1 2 3\n");
	CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "");
	CU_ASSERT(!m.segments && !m.n_segments);
	end();
}

static void most_segments(void)
{
	char text[4096] = "pitrace-msi 1\nMODULE /m\n";
	size_t at = strlen(text);

	for (unsigned int i = 0; i < 70; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "SEGMENT %x 0 1\n", i);
	snprintf(text + at, sizeof(text) - at, "SYMBOL 1 2 7 1 f\n");
	begin("/m");
	load_text(text);
	CU_ASSERT_STRING_NOT_EQUAL(ask("/m", NULL), "");
	CU_ASSERT_EQUAL_FATAL(m.n_segments, 64);
	for (unsigned int i = 0; i < 64; i++)
		CU_ASSERT(m.segments[i].offset == i && m.segments[i].size == 1);
	end();
}

static void build_ids(void)
{
	static const struct {
		const char *said;
		bool same;
	} cases[] = {
		{ "00a1ff", true },    { " 00A1Ff", true },  { "00a1fe", false },
		{ "01a1ff", false },   { "00a1", false },    { "", false },
		{ "00a1ff00", false }, { "00a1ff0", false }, { "00a1f", false },
		{ "0xa1ff", false },   { "00 a1ff", false }, { "-0a1ff", false },
	};
	static const struct build_id id = { .size = 3, .id = { 0x00, 0xa1, 0xff } };
	static const struct build_id none = { .size = 0 };
	char text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin("/m");
		snprintf(text, sizeof(text),
			 "pitrace-msi 1\nMODULE /m\nBUILDID %s\nSYMBOL 1 2 7 1 f\n", cases[i].said);
		load_text(text);
		CU_ASSERT_STRING_EQUAL(ask("/m", &id), cases[i].same ? "1-2/7sf " : "");
		/* The build that ran is unknown: any one matches. */
		CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "1-2/7sf ");
		/* It is known to have none. */
		CU_ASSERT_STRING_EQUAL(ask("/m", &none), *cases[i].said ? "" : "1-2/7sf ");
		end();
	}
	/* Several builds at one path: the one that ran is used. */
	begin("/m");
	load_text("pitrace-msi 1\nMODULE /m\nSEGMENT 1 1 1\nBUILDID 01\nSYMBOL 1 2 7 1 first\n"
		  "MODULE /l\nSYMBOL 3 4 7 1 l\n"
		  "MODULE /m\nBUILDID 00a1ff\nSYMBOL 1 2 7 1 second\n"
		  "MODULE /m\nSYMBOL 1 2 7 1 third\n");
	CU_ASSERT_STRING_EQUAL(ask("/m", &id), "1-2/7ssecond ");
	CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "1>1+1 1-2/7sfirst ");
	CU_ASSERT_STRING_EQUAL(ask("/m", &none), "1-2/7sthird ");
	CU_ASSERT_STRING_EQUAL(ask("/l", &id), "3-4/7sl ");
	end();
}

/* Paths of which one begins another, in any order. */
static void paths(void)
{
	static const char *const names[] = { "/b", "/a", "/ab", "/", "/aa", "/abc", "/b/", "/B" };
	char text[1024] = "pitrace-msi 1\n", want[64];
	size_t at = strlen(text);

	begin(NULL);
	for (unsigned int i = 0; i < 8; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "MODULE %s\nSYMBOL %x %x 7 1 f%u\n", names[i], i, i + 1, i);
	load_text(text);
	for (unsigned int i = 0; i < 8; i++) {
		snprintf(want, sizeof(want), "%x-%x/7sf%u ", i, i + 1, i);
		CU_ASSERT_STRING_EQUAL(ask(names[i], NULL), want);
	}
	CU_ASSERT_STRING_EQUAL(ask("/ac", NULL), "");
	CU_ASSERT_STRING_EQUAL(ask("/abcd", NULL), "");
	CU_ASSERT_STRING_EQUAL(ask("a", NULL), "");
	end();
}

/* The text that came last has the first word; each machine has its own. */
static void several_texts(void)
{
	begin("/m");
	CU_ASSERT_FALSE(msi_of(&all, 0));
	load_text("pitrace-msi 1\nMODULE /m\nSYMBOL 1 2 7 1 early\nMODULE /n\nSYMBOL 1 2 7 1 n\n");
	load_text("pitrace-msi 1\nMODULE /m\nSYMBOL 1 2 7 1 late\nMODULE /n\nSEGMENT 1 1 1\n");
	all.machine = 2;
	load_text("pitrace-msi 1\nMODULE /m\nSYMBOL 1 2 7 1 elsewhere\n");
	CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "1-2/7slate ");
	CU_ASSERT_STRING_EQUAL(ask("/n", NULL), "1-2/7sn ");
	m.key.machine = 2;
	CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "1-2/7selsewhere ");
	CU_ASSERT_STRING_EQUAL(ask("/n", NULL), "");
	m.key.machine = 1;
	CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "");
	CU_ASSERT_TRUE(msi_of(&all, 0));
	CU_ASSERT_FALSE(msi_of(&all, 1));
	CU_ASSERT_TRUE(msi_of(&all, 2));
	end();
}

static void other_texts(void)
{
	static const char *const others[] = { "", "pitrace-msi 1", "pitrace-msi 2\n",
					      "\npitrace-msi 1\n" };

	begin("/m");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CU_ASSERT_EQUAL(load(others[i], strlen(others[i])), -EBADMSG);
	CU_ASSERT_PTR_NULL(all.msi);
	load_text("pitrace-msi 1\n");
	CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "");
	/* The last line needs no end. */
	load_text("pitrace-msi 1\nMODULE /m\nSYMBOL 1 2 7 1 f");
	CU_ASSERT_STRING_EQUAL(ask("/m", NULL), "1-2/7sf ");
	end();
}

static const char *written(const struct build_id *id)
{
	static char text[4096];
	FILE *f = fmemopen(text, sizeof(text), "w");

	text[0] = 0;
	msi_write(f, &m, id);
	fclose(f);
	return text;
}

static void writing(void)
{
	static const struct build_id id = { .size = 3, .id = { 0x00, 0xa1, 0x0f } };
	static const struct build_id none = { .size = 0 };
	static const char symbols_as_text[] = "SYMBOL 1000 1010 7 1 f\n"
					      "SYMBOL fffffffffffffff0 ffffffffffffffff 1 0 g h\n";
	char want[512];

	begin("/bin/x");
	CU_ASSERT_STRING_EQUAL(written(&id), "");
	symtab_add(&m.tab, 0x1000, 0x10, 0x2000, 7, "f", 1);
	symtab_add(&m.tab, 0x1800, 0x10, 0x2000, 7, "two\nlines", 9);
	symtab_add(&m.tab, 0xfffffffffffffff0, 0, UINT64_MAX, 1, "g hi", 3);
	snprintf(want, sizeof(want), "MODULE /bin/x\n%s", symbols_as_text);
	CU_ASSERT_STRING_EQUAL(written(NULL), want);
	CU_ASSERT_STRING_EQUAL(written(&none), want);
	m.segments = calloc(2, sizeof(*m.segments));
	m.segments[0] = (struct elf_segment){ .offset = 0x1, .address = 0x401001, .size = 0xabc };
	m.segments[1] = (struct elf_segment){ .offset = 0x2000, .address = 0, .size = UINT64_MAX };
	m.n_segments = 2;
	snprintf(want, sizeof(want),
		 "MODULE /bin/x\nBUILDID 00a10f\nSEGMENT 1 401001 abc\n"
		 "SEGMENT 2000 0 ffffffffffffffff\n%s",
		 symbols_as_text);
	CU_ASSERT_STRING_EQUAL(written(&id), want);
	m.path = "/bin/\nx";
	CU_ASSERT_STRING_EQUAL(written(&id), "");
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "lines", lines },
		{ "odd_lines", odd_lines },
		{ "no_symbols", no_symbols },
		{ "most_segments", most_segments },
		{ "build_ids", build_ids },
		{ "paths", paths },
		{ "several_texts", several_texts },
		{ "other_texts", other_texts },
		{ "writing", writing },
		{ NULL, NULL },
	};

	return unit_run("msi", tests);
}
