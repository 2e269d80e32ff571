/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line tables of DWARF 2 to 5, byte by byte: each row, each name, each refusal with its place. */
#include <stdarg.h>

#include "a2n/dwarf/dwarf_file.h"
#include "unit.h"

#define ROWS 32

/* ---- what is written ---- */

struct made {
	uint8_t data[1024];
	size_t n;
};

static void put(struct made *m, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		m->data[m->n++] = (uint8_t)(v >> 8 * i);
}

static void put_bytes(struct made *m, int n, ...)
{
	va_list list;

	va_start(list, n);
	while (n--)
		put(m, (unsigned int)va_arg(list, int), 1);
	va_end(list);
}

static void put_text(struct made *m, const char *s)
{
	memcpy(m->data + m->n, s, strlen(s) + 1);
	m->n += strlen(s) + 1;
}

static void set(struct made *m, size_t at, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		m->data[at + i] = (uint8_t)(v >> 8 * i);
}

/* ---- what is read ---- */

struct told {
	struct dwarf_row row[ROWS];
	uint32_t n, sequences;
};

static void take(void *arg, const struct dwarf_row *rows, uint32_t n)
{
	struct told *t = arg;

	CU_ASSERT_FATAL(t->n + n <= ROWS);
	memcpy(t->row + t->n, rows, n * sizeof(*rows));
	t->n += n;
	t->sequences++;
}

struct read {
	struct dwarf_file file;
	struct dwarf_unit unit;
	struct dwarf_files files;
	struct told told;
	bool ok;
};

static void begin(struct read *r, const struct made *m, size_t size)
{
	*r = (struct read){ .file.budget = 4096 };
	r->file.part[PART_LINE] = bytes_of(m->data, size);
	r->file.part[PART_LINE_STR] = bytes_of("zero\0one\0two", 13);
	r->unit = (struct dwarf_unit){
		.file = &r->file,
		.part = r->file.part,
		.address_size = 8,
		.offset_size = 4,
		.folder = "/src",
	};
}

static void run(struct read *r)
{
	r->ok = dwarf_run_lines(&r->unit, &r->files, take, &r->told);
}

static void read_all(struct read *r, const struct made *m)
{
	begin(r, m, m->n);
	run(r);
}

static bool same_rows(const struct told *t, const struct dwarf_row *want, uint32_t n)
{
	for (uint32_t i = 0; i < t->n && i < n; i++) {
		const struct dwarf_row *a = &t->row[i], *b = &want[i];

		if (a->address == b->address && a->file == b->file && a->line == b->line &&
		    a->column == b->column && a->end == b->end)
			continue;
		printf("# row %u is 0x%llx file %u line %u column %u end %d\n", i,
		       (unsigned long long)a->address, a->file, a->line, a->column, a->end);
		return false;
	}
	return t->n == n;
}

static bool refused(struct read *r, const char *why, uint64_t at)
{
	struct dwarf_fault *f = &r->file.fault;
	bool as = !r->ok && f->what && !strcmp(f->what, why) &&
		  !strcmp(f->section, ".debug_line") && f->offset == at;

	if (!as)
		printf("# %s: %s %s at %llu\n", r->ok ? "read" : "refused", f->section, f->what,
		       (unsigned long long)f->offset);
	return as;
}

/* ---- headers ---- */

enum { LINE_BASE = -3, RANGE = 12, OPCODES = 13 };

/* Where parts of it are, in bytes. */
struct places {
	size_t length, version, header, header_end, minimum, line_base, range, opcodes, tables,
		program;
};

static void head(struct made *m, struct places *p, int version, int offset_size)
{
	if (offset_size == 8)
		put(m, 0xffffffff, 4);
	p->length = m->n;
	put(m, 0, offset_size);
	p->version = m->n;
	put(m, version, 2);
	if (version >= 5)
		put_bytes(m, 2, 8, 0);
	p->header = m->n;
	put(m, 0, offset_size);
	p->header_end = m->n;
	p->minimum = m->n;
	put_bytes(m, 1, 4);
	if (version >= 4)
		put_bytes(m, 1, 1);
	put_bytes(m, 1, 1);
	p->line_base = m->n;
	put_bytes(m, 1, LINE_BASE & 0xff);
	p->range = m->n;
	put_bytes(m, 1, RANGE);
	p->opcodes = m->n;
	/* 1 to 9 are DWARF 2's, 10 to 12 as they are in 3; 12 has an operand. */
	put_bytes(m, 1, OPCODES);
	put_bytes(m, 12, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1);
	p->tables = m->n;
}

static void begin_program(struct made *m, struct places *p, int offset_size)
{
	set(m, p->header, m->n - p->header_end, offset_size);
	p->program = m->n;
}

static void end_program(struct made *m, struct places *p, int offset_size)
{
	set(m, p->length, m->n - p->version, offset_size);
}

static void old_tables(struct made *m)
{
	put_text(m, "inc");
	put_text(m, "/abs");
	put_bytes(m, 1, 0);
	put_text(m, "a.c");
	put_bytes(m, 3, 0, 5, 6);
	put_text(m, "b.h");
	put_bytes(m, 5, 1, 0x80, 1, 0x80, 2);
	put_text(m, "c.h");
	put_bytes(m, 3, 2, 0, 0);
	put_text(m, "/d.h");
	put_bytes(m, 3, 1, 0, 0);
	put_text(m, "e.h");
	put_bytes(m, 3, 3, 0, 0);
	put_bytes(m, 1, 0);
}

static void set_address(struct made *m, uint64_t address)
{
	put_bytes(m, 3, 0, 9, 2);
	put(m, address, 8);
}

static void end_sequence(struct made *m)
{
	put_bytes(m, 3, 0, 1, 1);
}

/* A row at 0x1000, line 7, and its end. */
static void small_program(struct made *m)
{
	set_address(m, 0x1000);
	put_bytes(m, 5, 3, 6, 1, 2, 4);
	end_sequence(m);
}

static const struct dwarf_row small_rows[] = {
	{ 0x1000, 1, 7, 0, false },
	{ 0x1010, 1, 7, 0, true },
};

static void small(struct made *m, struct places *p, int version)
{
	*m = (struct made){ .n = 0 };
	head(m, p, version, 4);
	old_tables(m);
	begin_program(m, p, 4);
	small_program(m);
	end_program(m, p, 4);
}

static bool has_path(struct read *r, struct strings *strings, uint32_t number, const char *want)
{
	const char *path = dwarf_path(&r->unit, &r->files, number, strings);
	bool same = want ? path && !strcmp(path, want) : !path;

	if (!same)
		printf("# file %u is %s\n", number, path);
	return same && path == dwarf_path(&r->unit, &r->files, number, strings);
}

static void old_names(void)
{
	static const char *const folders[] = { "/src", "inc", "/abs" };
	static const char *const names[] = { "a.c", "b.h", "c.h", "/d.h", "e.h" };
	static const uint64_t in[] = { 0, 1, 2, 1, 3 };
	struct strings strings = { 0 };
	struct places p;
	struct made m;
	struct read r;

	for (int version = 2; version <= 4; version++) {
		small(&m, &p, version);
		read_all(&r, &m);
		CU_ASSERT(r.ok && !r.file.fault.what);
		CU_ASSERT(same_rows(&r.told, small_rows, 2) && r.told.sequences == 1);
		CU_ASSERT(r.files.base == 1);
		CU_ASSERT_FATAL(r.files.n_folders == 3 && r.files.n == 5);
		for (int i = 0; i < 3; i++)
			CU_ASSERT_STRING_EQUAL(r.files.folder[i], folders[i]);
		for (int i = 0; i < 5; i++) {
			CU_ASSERT_STRING_EQUAL(r.files.file[i].name, names[i]);
			CU_ASSERT(r.files.file[i].folder == in[i]);
		}
		CU_ASSERT(has_path(&r, &strings, 0, NULL));
		CU_ASSERT(has_path(&r, &strings, 1, "/src/a.c"));
		CU_ASSERT(has_path(&r, &strings, 2, "/src/inc/b.h"));
		CU_ASSERT(has_path(&r, &strings, 3, "/abs/c.h"));
		CU_ASSERT(has_path(&r, &strings, 4, "/d.h"));
		/* For a folder that does not exist, only the unit's own one is known. */
		CU_ASSERT(has_path(&r, &strings, 5, "/src/e.h"));
		CU_ASSERT(has_path(&r, &strings, 6, NULL));
		dwarf_files_free(&r.files);
		CU_ASSERT(!r.files.file && !r.files.folder && !r.files.n && !r.files.n_folders);
	}
	strings_free(&strings);
}

static void unit_without_a_folder(void)
{
	struct strings strings = { 0 };
	struct places p;
	struct made m;
	struct read r;

	small(&m, &p, 4);
	begin(&r, &m, m.n);
	r.unit.folder = NULL;
	run(&r);
	CU_ASSERT(r.ok && r.files.n_folders == 3 && !r.files.folder[0]);
	CU_ASSERT(has_path(&r, &strings, 1, "a.c"));
	CU_ASSERT(has_path(&r, &strings, 2, "inc/b.h"));
	dwarf_files_free(&r.files);
	strings_free(&strings);
}

static void new_tables(struct made *m)
{
	put_bytes(m, 3, 1, 1, 0x08); /* path, string */
	put_bytes(m, 1, 2);
	put_text(m, "/src");
	put_text(m, "inc");
	put_bytes(m, 7, 3, 1, 0x1f, 2, 0x0b, 5,
		  0x1e); /* path, line_strp; folder, data1; MD5, data16 */
	put_bytes(m, 1, 2);
	put(m, 5, 4);
	put_bytes(m, 1, 0);
	put(m, 0, 8);
	put(m, 0, 8);
	put(m, 9, 4);
	put_bytes(m, 1, 1);
	put(m, 0, 8);
	put(m, 0, 8);
}

static void new_names(void)
{
	struct strings strings = { 0 };
	struct places p;
	struct read r;

	for (int size = 4; size <= 8; size += 4) {
		struct made m = { .n = 0 };

		head(&m, &p, 5, size);
		if (size == 4) {
			new_tables(&m);
		} else { /* offsets are of 8 bytes, too; no files */
			put_bytes(&m, 3, 1, 1, 0x1f);
			put_bytes(&m, 1, 1);
			put(&m, 9, 8);
			put_bytes(&m, 2, 0, 0);
		}
		begin_program(&m, &p, size);
		small_program(&m);
		end_program(&m, &p, size);
		read_all(&r, &m);
		CU_ASSERT(r.ok && !r.file.fault.what);
		CU_ASSERT(same_rows(&r.told, small_rows, 2));
		CU_ASSERT(r.files.base == 0);
		/* The unit's own attributes are unchanged. */
		CU_ASSERT(r.unit.offset_size == 4);
		if (size == 4) {
			CU_ASSERT_FATAL(r.files.n_folders == 2 && r.files.n == 2);
			CU_ASSERT(has_path(&r, &strings, 0, "/src/one"));
			CU_ASSERT(has_path(&r, &strings, 1, "/src/inc/two"));
			CU_ASSERT(has_path(&r, &strings, 2, NULL));
		} else {
			CU_ASSERT_FATAL(r.files.n_folders == 1 && r.files.n == 0);
			CU_ASSERT_STRING_EQUAL(r.files.folder[0], "two");
		}
		dwarf_files_free(&r.files);
	}
	strings_free(&strings);
}

/* A name that is not there: the file has no path, those after it do. */
static void nameless_file(void)
{
	struct strings strings = { 0 };
	struct made m = { .n = 0 };
	struct places p;
	struct read r;

	head(&m, &p, 5, 4);
	put_bytes(&m, 2, 0, 0);
	put_bytes(&m, 4, 1, 1, 0x1f, 2);
	put(&m, 1000, 4);
	put(&m, 5, 4);
	begin_program(&m, &p, 4);
	small_program(&m);
	end_program(&m, &p, 4);
	read_all(&r, &m);
	CU_ASSERT(r.ok && r.files.n == 2 && r.files.n_folders == 0);
	CU_ASSERT(has_path(&r, &strings, 0, NULL));
	CU_ASSERT(has_path(&r, &strings, 1, "one"));
	dwarf_files_free(&r.files);
	strings_free(&strings);
}

/* ---- programs ---- */

static void each_opcode(void)
{
	static const struct dwarf_row want[] = {
		{ 0x2000, 1, 1, 0, false },
		{ 0x2000 + 4 * 300, 1, 1, 0, false },      /* advance_pc, in instructions */
		{ 0x2000 + 4 * 300, 300, 51, 260, false }, /* file, column, line */
		{ 0x24b0 + 4 * 20, 300, 51, 260, false },  /* const_add_pc: (255 - 13) / 12 */
		{ 0x2500 + 0x1234, 300, 51, 260, false },  /* fixed_advance_pc, in bytes */
		{ 0x3734, 300, 48, 260, false },           /* the first special one: line - 3 */
		{ 0x3734, 300, 56, 260, false },           /* the last one of that address: + 8 */
		{ 0x3738, 300, 53, 260, false },           /* the next */
		{ 0x3738 + 4 * 20, 300, 52, 260, false },  /* 255: (242 / 12, 242 % 12 - 3) */
		{ 0x3788, 300, 40, 260, false },           /* line - 12 */
		{ 0x3788, 300, 40, 260, true },
	};
	struct made m = { .n = 0 };
	struct places p;
	struct read r;

	head(&m, &p, 3, 4);
	put_bytes(&m, 2, 0, 0);
	begin_program(&m, &p, 4);
	set_address(&m, 0x2000);
	put_bytes(&m, 1, 1);
	put_bytes(&m, 4, 2, 0xac, 0x02, 1);
	put_bytes(&m, 8, 3, 50, 4, 0xac, 0x02, 5, 0x84, 0x02);
	put_bytes(&m, 4, 6, 7, 10, 11); /* nothing that is kept */
	put_bytes(&m, 4, 12, 0x80, 0x01, 1);
	put_bytes(&m, 2, 8, 1);
	put_bytes(&m, 4, 9, 0x34, 0x12, 1);
	put_bytes(&m, 4, 13, 24, 25, 255);
	put_bytes(&m, 3, 3, 0x74, 1);
	end_sequence(&m);
	end_program(&m, &p, 4);
	read_all(&r, &m);
	CU_ASSERT(r.ok && same_rows(&r.told, want, 11) && r.told.sequences == 1);
	CU_ASSERT(!r.files.n && r.files.n_folders == 1);
	dwarf_files_free(&r.files);
}

/* Opcodes that a later DWARF brings: the header says how many operands they have. */
static void unknown_opcodes(void)
{
	struct made m = { .n = 0 };
	struct places p;
	struct read r;

	head(&m, &p, 3, 4);
	m.data[p.opcodes] = 15;
	put_bytes(&m, 2, 0, 3);
	put_bytes(&m, 2, 0, 0);
	begin_program(&m, &p, 4);
	put_bytes(&m, 1, 13);
	put_bytes(&m, 7, 14, 0x80, 0x01, 0x81, 0x82, 0x03, 3);
	put_bytes(&m, 4, 0, 2, 0x80, 1); /* an extended one of a producer's own */
	small_program(&m);
	end_program(&m, &p, 4);
	read_all(&r, &m);
	CU_ASSERT(r.ok && same_rows(&r.told, small_rows, 2));
	dwarf_files_free(&r.files);
}

static void defined_file(void)
{
	static const struct dwarf_row want[] = { { 0, 6, 1, 0, false }, { 8, 6, 1, 0, true } };
	struct strings strings = { 0 };
	struct made m = { .n = 0 };
	struct places p;
	struct read r;

	head(&m, &p, 2, 4);
	old_tables(&m);
	begin_program(&m, &p, 4);
	put_bytes(&m, 3, 0, 10, 3);
	put_text(&m, "late.h");
	put_bytes(&m, 2, 1, 0);
	put_bytes(&m, 1, 0); /* its third number */
	end_program(&m, &p, 4);
	m.data[p.program + 1] = 11;
	put_bytes(&m, 5, 4, 6, 1, 2, 2);
	end_sequence(&m);
	end_program(&m, &p, 4);
	read_all(&r, &m);
	CU_ASSERT(r.ok && same_rows(&r.told, want, 2) && r.files.n == 6);
	CU_ASSERT(has_path(&r, &strings, 6, "/src/inc/late.h"));
	dwarf_files_free(&r.files);
	strings_free(&strings);
}

/* An address of 4 bytes is valid, one of 3 is not. */
static void addresses(void)
{
	static const struct dwarf_row want[] = {
		{ 0x80000000, 1, 1, 0, false },
		{ 0x80000000, 1, 1, 0, true },
	};
	struct made m = { .n = 0 };
	struct places p;
	struct read r;

	head(&m, &p, 4, 4);
	put_bytes(&m, 2, 0, 0);
	begin_program(&m, &p, 4);
	put_bytes(&m, 7, 0, 5, 2, 0, 0, 0, 0x80);
	put_bytes(&m, 6, 0, 4, 2, 1, 2, 3);
	put_bytes(&m, 1, 1);
	end_sequence(&m);
	end_program(&m, &p, 4);
	read_all(&r, &m);
	CU_ASSERT(r.ok && same_rows(&r.told, want, 2));
	dwarf_files_free(&r.files);
}

/* Rows go out by address, those of one in their order; each sequence begins anew. */
static void sequences(void)
{
	static const struct dwarf_row want[] = {
		{ 0x100, 1, 2, 0, false }, { 0x200, 1, 3, 0, false }, { 0x200, 1, 5, 0, false },
		{ 0x300, 1, 1, 0, false }, { 0x300, 1, 4, 0, false }, { 0x400, 1, 5, 0, true },
		{ 0x50, 1, 2, 0, false },  { 0x60, 1, 2, 0, true },
	};
	static const int place[] = { 0x300, 0x100, 0x200, 0x300, 0x200 };
	struct made m = { .n = 0 };
	struct places p;
	struct read r;

	head(&m, &p, 4, 4);
	put_bytes(&m, 2, 0, 0);
	begin_program(&m, &p, 4);
	for (int i = 0; i < 5; i++) {
		set_address(&m, (uint64_t)place[i]);
		if (i)
			put_bytes(&m, 2, 3, 1);
		put_bytes(&m, 1, 1);
	}
	set_address(&m, 0x400);
	end_sequence(&m);
	/* An end without a row before it is not a sequence, and leaves nothing. */
	put_bytes(&m, 4, 3, 20, 4, 9);
	set_address(&m, 0x999);
	end_sequence(&m);
	set_address(&m, 0x50);
	put_bytes(&m, 3, 3, 1, 1);
	set_address(&m, 0x60);
	end_sequence(&m);
	/* Rows without an end are not given out. */
	put_bytes(&m, 2, 1, 1);
	end_program(&m, &p, 4);
	read_all(&r, &m);
	CU_ASSERT(r.ok && same_rows(&r.told, want, 8) && r.told.sequences == 2);
	dwarf_files_free(&r.files);
}

/* Merged in both directions: 1 to 17 rows, from the last to the first. */
static void sorted(void)
{
	for (uint32_t n = 2; n <= 17; n++) {
		struct dwarf_row want[ROWS];
		struct made m = { .n = 0 };
		struct places p;
		struct read r;

		head(&m, &p, 4, 4);
		put_bytes(&m, 2, 0, 0);
		begin_program(&m, &p, 4);
		for (uint32_t i = 0; i < n; i++) {
			set_address(&m, (uint64_t)(n - i) * 8);
			put_bytes(&m, 3, 3, 1, 1);
			want[n - 1 - i] = (struct dwarf_row){ (uint64_t)(n - i) * 8, 1, i + 2, 0,
							      false };
		}
		set_address(&m, 0x1000);
		end_sequence(&m);
		want[n] = (struct dwarf_row){ 0x1000, 1, n + 1, 0, true };
		end_program(&m, &p, 4);
		read_all(&r, &m);
		CU_ASSERT(r.ok && same_rows(&r.told, want, n + 1));
		dwarf_files_free(&r.files);
	}
}

/* The program is where the header says, whatever precedes it. */
static void header_with_more(void)
{
	struct made m = { .n = 0 };
	struct places p;
	struct read r;

	head(&m, &p, 4, 4);
	old_tables(&m);
	put_bytes(&m, 4, 1, 1, 1, 1);
	begin_program(&m, &p, 4);
	small_program(&m);
	end_program(&m, &p, 4);
	put_bytes(&m, 2, 3, 3); /* of the next table */
	read_all(&r, &m);
	CU_ASSERT(r.ok && same_rows(&r.told, small_rows, 2) && r.told.sequences == 1);
	dwarf_files_free(&r.files);
}

/* ---- what is refused ---- */

static bool refuses(const struct made *m, const char *why, uint64_t at)
{
	struct read r;

	read_all(&r, m);
	dwarf_files_free(&r.files);
	return refused(&r, why, at) && !r.told.n;
}

static void bad_headers(void)
{
	static const char version[] = "a line table has an unsupported version, not 2 to 5";
	static const char header[] = "a line table's header is inconsistent";
	struct places p;
	struct made m;
	struct read r;

	for (int bad = 0; bad <= 6; bad += bad ? 5 : 1) {
		small(&m, &p, 4);
		set(&m, p.version, bad, 2);
		CU_ASSERT(refuses(&m, version, 0));
	}
	small(&m, &p, 4);
	set(&m, p.version, 0x104, 2);
	CU_ASSERT(refuses(&m, version, 0));
	small(&m, &p, 4);
	set(&m, p.length, m.n - p.version + 1, 4);
	CU_ASSERT(refuses(&m, "a line table is longer than the section", 0));
	set(&m, p.length, 0xfffffff0, 4);
	CU_ASSERT(refuses(&m, "a line table is longer than the section", 4));
	for (int i = 0; i < 3; i++) {
		small(&m, &p, 4);
		m.data[i ? i == 1 ? p.range : p.opcodes : p.minimum + 1] = 0;
		CU_ASSERT(refuses(&m, header, 0));
	}
	/* The header ends inside of its tables, or beyond the table. */
	small(&m, &p, 4);
	set(&m, p.header, p.program - p.header_end - 1, 4);
	CU_ASSERT(refuses(&m, header, 0));
	set(&m, p.header, m.n - p.header_end + 1, 4);
	CU_ASSERT(refuses(&m, header, 0));
	set(&m, p.header, m.n - p.header_end, 4);
	read_all(&r, &m);
	CU_ASSERT(r.ok && !r.told.n && r.files.n == 5);
	dwarf_files_free(&r.files);
	/* A place that the section does not have; its last is one. */
	begin(&r, &m, m.n);
	r.unit.lines_at = m.n + 1;
	run(&r);
	CU_ASSERT(refused(&r, "a line table is out of bounds", 0));
	begin(&r, &m, m.n);
	r.unit.lines_at = m.n;
	run(&r);
	CU_ASSERT(refused(&r, "a line table is longer than the section", m.n));
}

static bool refuses_table(size_t n, const uint8_t *table, size_t at)
{
	struct made m = { .n = 0 };
	struct places p;

	head(&m, &p, 5, 4);
	memcpy(m.data + m.n, table, n);
	m.n += n;
	begin_program(&m, &p, 4);
	small_program(&m);
	end_program(&m, &p, 4);
	return refuses(&m, "a line table's header is inconsistent", p.tables + at);
}

static void bad_tables(void)
{
	static const uint8_t constant[] = { 1, 1, 0x21,
					    0 };            /* implicit_const: without a constant */
	static const uint8_t nothing[] = { 1, 1, 0x19, 1 }; /* flag_present: entries of no size */
	static const uint8_t unknown[] = { 1, 1, 0x7f, 1 };
	struct made m = { .n = 0 };
	struct places p;
	struct read r;

	CU_ASSERT(refuses_table(sizeof(constant), constant, 3));
	CU_ASSERT(refuses_table(sizeof(nothing), nothing, 4));
	CU_ASSERT(refuses_table(sizeof(unknown), unknown, 4));
	/* 16 formats are read, 17 are not; entries without formats are none. */
	for (int n = 16; n <= 17; n++) {
		m.n = 0;
		head(&m, &p, 5, 4);
		put_bytes(&m, 1, n);
		for (int i = 0; i < n; i++)
			put_bytes(&m, 2, i ? 3 : 1, i ? 0x0b : 0x08);
		put_bytes(&m, 1, 1);
		put_text(&m, "x");
		for (int i = 1; i < n; i++)
			put_bytes(&m, 1, i);
		put_bytes(&m, 2, 0, 100);
		begin_program(&m, &p, 4);
		small_program(&m);
		end_program(&m, &p, 4);
		read_all(&r, &m);
		if (n == 16)
			CU_ASSERT(r.ok && r.files.n_folders == 1 && !r.files.n &&
				  same_rows(&r.told, small_rows, 2));
		if (n == 17)
			CU_ASSERT(
				refused(&r, "a line table's header is inconsistent", p.tables + 1));
		dwarf_files_free(&r.files);
	}
}

static void bad_programs(void)
{
	static const char program[] = "a line table's program cannot be read";
	struct places p;
	struct made m;
	struct read r;

	/* An extended opcode without a byte, or longer than what is left. */
	for (int length = 0; length <= 3; length += 3) {
		small(&m, &p, 4);
		put_bytes(&m, 4, 0, length, 0x80, 0);
		end_program(&m, &p, 4);
		read_all(&r, &m);
		CU_ASSERT(refused(&r, program, m.n - 2));
		CU_ASSERT(same_rows(&r.told, small_rows, 2));
		dwarf_files_free(&r.files);
	}
	/* A file's name without an end. */
	small(&m, &p, 4);
	put_bytes(&m, 5, 0, 3, 3, 'x', 'y');
	end_program(&m, &p, 4);
	read_all(&r, &m);
	CU_ASSERT(refused(&r, program, m.n - 2) && r.files.n == 5);
	dwarf_files_free(&r.files);
	/* More work than its budget. */
	small(&m, &p, 4);
	for (int enough = 0; enough < 2; enough++) {
		begin(&r, &m, m.n);
		r.file.budget = m.n - p.program - !enough;
		run(&r);
		CU_ASSERT(r.ok == enough && r.told.n == (enough ? 2 : 0) && !r.file.budget);
		CU_ASSERT(enough || !strcmp(r.file.fault.what, "too much work for its size"));
		dwarf_files_free(&r.files);
	}
}

/* Cut anywhere: refused, by what its length says. */
static void cut(void)
{
	struct places p;
	struct made m;
	struct read r;

	small(&m, &p, 4);
	for (size_t n = 0; n < m.n; n++) {
		begin(&r, &m, n);
		run(&r);
		CU_ASSERT(refused(&r, "a line table is longer than the section", 0) && !r.told.n);
		dwarf_files_free(&r.files);
	}
	for (size_t n = p.version; n < m.n; n++) {
		const char *why = n < p.version + 2 ?
					  "a line table has an unsupported version, not 2 to 5" :
					  "a line table's header is inconsistent";

		set(&m, p.length, n - p.version, 4);
		begin(&r, &m, n);
		run(&r);
		if (n >= p.program)
			why = "a line table's program cannot be read";
		CU_ASSERT(r.ok ? n >= p.program : !strcmp(r.file.fault.what, why));
		CU_ASSERT(!r.told.n);
		dwarf_files_free(&r.files);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "old_names", old_names },
		{ "unit_without_a_folder", unit_without_a_folder },
		{ "new_names", new_names },
		{ "nameless_file", nameless_file },
		{ "each_opcode", each_opcode },
		{ "unknown_opcodes", unknown_opcodes },
		{ "defined_file", defined_file },
		{ "addresses", addresses },
		{ "sequences", sequences },
		{ "sorted", sorted },
		{ "header_with_more", header_with_more },
		{ "bad_headers", bad_headers },
		{ "bad_tables", bad_tables },
		{ "bad_programs", bad_programs },
		{ "cut", cut },
		{ NULL, NULL },
	};

	return unit_run("dwarf_line", tests);
}
