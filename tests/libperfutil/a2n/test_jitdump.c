/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The jitdump reader against files made byte by byte: every record kind in both byte orders, what
 * real writers do that the format's text doesn't say, every oddity and damage that was ever seen.
 */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jitdump.h"
#include "jitdump_image.h"

static struct jitdump *open_image(void)
{
	struct jitdump *d;
	const char *why;

	CU_ASSERT_EQUAL_FATAL(jitdump_open(&d, file_of(image, used), &why), 0);
	return d;
}

static const char *refused(void)
{
	struct jitdump *d;
	const char *why = NULL;

	CU_ASSERT_EQUAL(jitdump_open(&d, file_of(image, used), &why), -EBADMSG);
	CU_ASSERT_PTR_NULL(d);
	return why ? why : "";
}

static struct jitdump_event e;

/* The names of the LOADs in the file, in order, and '>' for a MOVE. */
static const char *story(struct jitdump *d)
{
	static char text[4096];
	int r;

	text[0] = 0;
	while ((r = jitdump_next(d, &e)) > 0 && strlen(text) < 3000) {
		strcat(text, text[0] ? " " : "");
		strncat(text, e.kind == JITDUMP_LOAD ? e.name : ">", 64);
	}
	CU_ASSERT_EQUAL(r, 0);
	return text;
}

static struct jitdump_fault told(struct jitdump *d)
{
	struct jitdump_fault f;

	jitdump_fault(d, &f);
	return f;
}

#define STORY(d, text) CU_ASSERT_STRING_EQUAL(story(d), text)

static void both_orders(void (*test)(void))
{
	big = false;
	test();
	big = true;
	test();
	big = false;
}

/* ---- what is right --------------------------------------------------------------------------- */

static void every_record(void)
{
	static const char eh[] = "\x14\0\0\0\0\0\0\0frame...", hdr[] = "\x01\x1b\x03\x3bheader";
	struct jitdump_line line;
	struct jitdump *d;
	size_t at[4];

	header();
	at[0] = load((struct load){ 100, 0x1000, 4, 0, "f", 0, "abcd", 0, 0 });
	at[1] = prefix(2, 32 + 16 + 5 + 16 + 2 + 16 + 5, 150);
	u64(0x2000);
	u64(3);
	u64(0x2000), u32(7), u32(1), raw("a.js", 5);
	u64(0x2004), u32(8), u32(0), raw("\xff", 2);
	u64(0x2008), u32(9), u32(0), raw("b.js", 5);
	prefix(4, 40 + 16 + 10, 150);
	u64(26), u64(10), u64(26);
	at[2] = used;
	raw(eh, 16);
	raw(hdr, 10);
	load((struct load){ 160, 0x2000, 8, 1, "g", 0, "ABCDEFGH", 0, 99 });
	at[3] = used;
	move(170, 0x2000, 0x3000, 8);
	prefix(3, 16, 180);
	d = open_image();
	CU_ASSERT_EQUAL(jitdump_info(d)->pid, 77);
	CU_ASSERT_EQUAL(jitdump_info(d)->machine, EM_X86_64);
	CU_ASSERT_EQUAL(jitdump_info(d)->version, 1);
	CU_ASSERT_EQUAL(jitdump_info(d)->swapped, big);
	CU_ASSERT_EQUAL(jitdump_info(d)->raw_time, false);

	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(e.kind, JITDUMP_LOAD);
	CU_ASSERT_EQUAL(e.offset, at[0]);
	CU_ASSERT_EQUAL(e.time, 100);
	CU_ASSERT_EQUAL(e.pid, 77);
	CU_ASSERT_EQUAL(e.tid, 78);
	CU_ASSERT_EQUAL(e.address, 0x1000);
	CU_ASSERT_EQUAL(e.size, 4);
	CU_ASSERT_EQUAL(e.index, 0);
	CU_ASSERT_STRING_EQUAL(e.name, "f");
	CU_ASSERT_EQUAL(e.code_offset, at[0] + 58);
	CU_ASSERT_EQUAL(e.lines, 0);
	CU_ASSERT_EQUAL(e.eh_frame_size, 0);
	CU_ASSERT_FALSE(jitdump_line(d, &line));

	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT(e.offset > at[1]);
	CU_ASSERT_EQUAL(e.pid, 99);
	CU_ASSERT_EQUAL(e.lines, 3);
	CU_ASSERT_EQUAL(e.eh_frame_offset, at[2]);
	CU_ASSERT_EQUAL(e.eh_frame_size, 16);
	CU_ASSERT_EQUAL(e.eh_frame_hdr_offset, at[2] + 16);
	CU_ASSERT_EQUAL(e.eh_frame_hdr_size, 10);
	CU_ASSERT_TRUE(jitdump_line(d, &line));
	CU_ASSERT(line.address == 0x2000 && line.line == 7 && line.discriminator == 1);
	CU_ASSERT_STRING_EQUAL(line.file, "a.js");
	CU_ASSERT_TRUE(jitdump_line(d, &line));
	CU_ASSERT(line.address == 0x2004 && line.line == 8 && line.discriminator == 0);
	CU_ASSERT_STRING_EQUAL(line.file, "a.js");
	CU_ASSERT_TRUE(jitdump_line(d, &line));
	CU_ASSERT_STRING_EQUAL(line.file, "b.js");
	CU_ASSERT_FALSE(jitdump_line(d, &line));

	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(e.kind, JITDUMP_MOVE);
	CU_ASSERT_EQUAL(e.offset, at[3]);
	CU_ASSERT_EQUAL(e.from, 0x2000);
	CU_ASSERT_EQUAL(e.address, 0x3000);
	CU_ASSERT_EQUAL(e.size, 8);
	CU_ASSERT_EQUAL(e.index, 3);
	CU_ASSERT_FALSE(jitdump_line(d, &line));
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 0);
	CU_ASSERT_PTR_NULL(told(d).what);
	CU_ASSERT_EQUAL(told(d).unfinished, 0);
	jitdump_close(d);
}

static void test_records(void)
{
	both_orders(every_record);
}

/* LLVM ORC puts the header of the unwinding tables first. */
static void test_unwind_order(void)
{
	struct jitdump *d;
	size_t at;

	header();
	prefix(4, 40 + 16 + 8, 1);
	u64(24), u64(8), u64(24);
	at = used;
	raw("\x01\x1b\x03\x3bxxxx\x14\0\0\0\0\0\0\0yyyyyyyy", 24);
	load((struct load){ 1, 0x1000, 4, 0, "f", 0, "abcd", 0, 0 });
	load((struct load){ 2, 0x2000, 4, 0, "g", 0, "abcd", 0, 0 });
	d = open_image();
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(e.eh_frame_hdr_offset, at);
	CU_ASSERT_EQUAL(e.eh_frame_hdr_size, 8);
	CU_ASSERT_EQUAL(e.eh_frame_offset, at + 8);
	CU_ASSERT_EQUAL(e.eh_frame_size, 16);
	/* They applied only to the next LOAD. */
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(e.eh_frame_size, 0);
	jitdump_close(d);
}

/* V8 writes names with NULs in them; records may be longer than what is in them. */
static void test_names_and_slack(void)
{
	struct jitdump *d;
	size_t at;

	header();
	at = load(
		(struct load){ 1, 0x1000, 4, 0, "JS:f\0 file.js:1", 16, "\x55\x48\x89\xe5", 0, 0 });
	load((struct load){ 1, 0x2000, 4, 1, "g", 0, "\x55\x48\x89\xe5", 13, 0 });
	load((struct load){ 1, 0x3000, 4, 2, "h", 0, NULL, 0, 0 });
	load((struct load){ 1, 0x4000, 4, 3, "", 0, "abcd", 0, 0 });
	d = open_image();
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "JS:f");
	CU_ASSERT_EQUAL(e.name_length, 4);
	CU_ASSERT_EQUAL(e.code_offset, at + 56 + 16);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(image[e.code_offset], 0x55);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(e.size, 4);
	CU_ASSERT_EQUAL(e.code_offset, 0);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "");
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 0);
	CU_ASSERT_PTR_NULL(told(d).what);
	jitdump_close(d);
}

static void test_long(void)
{
	static char name[40000], code[200000];
	struct jitdump *d;

	memset(name, 'n', sizeof(name) - 1);
	memset(code, 0x90, sizeof(code));
	header();
	load((struct load){ 1, 0x1000, sizeof(code), 0, name, 0, code, 0, 0 });
	load((struct load){ 1, 0x100000, sizeof(code), 1, "long", 0, code, 0, 0 });
	load((struct load){ 1, 0x2000, 4, 2, "next", 0, "abcd", 0, 0 });
	d = open_image();
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(e.name_length, 32768);
	CU_ASSERT_EQUAL(strlen(e.name), 32768);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "long");
	CU_ASSERT_EQUAL(memcmp(image + e.code_offset, code, sizeof(code)), 0);
	STORY(d, "next");
	CU_ASSERT_PTR_NULL(told(d).what);
	jitdump_close(d);
}

/* While its writer appends: the end is not the end for ever. */
static void test_appended(void)
{
	size_t cut;
	int fd;

	header();
	load((struct load){ 1, 0x1000, 4, 0, "f", 0, "abcd", 0, 0 });
	cut = used;
	load((struct load){ 2, 0x2000, 4, 0, "g", 0, "abcd", 0, 0 });
	for (size_t n = cut; n < used; n++) {
		struct jitdump *d;
		const char *why;

		fd = file_of(image, n);
		CU_ASSERT_EQUAL_FATAL(jitdump_open(&d, dup(fd), &why), 0);
		STORY(d, "f");
		CU_ASSERT_EQUAL(told(d).unfinished, n > cut ? cut : 0);
		CU_ASSERT_PTR_NULL(told(d).what);
		CU_ASSERT_EQUAL(pwrite(fd, image + n, used - n, (off_t)n), (ssize_t)(used - n));
		STORY(d, "g");
		CU_ASSERT_EQUAL(told(d).unfinished, 0);
		jitdump_close(d);
		close(fd);
	}
}

/* ---- what is odd or wrong -------------------------------------------------------------------- */

static void test_headers(void)
{
	struct jitdump *d;

	used = 0;
	CU_ASSERT_STRING_EQUAL(refused(), "empty");
	header();
	for (used = 1; used < 40; used++)
		CU_ASSERT(strlen(refused()) > 0);
	header_of(3, 40, 0);
	CU_ASSERT(strstr(refused(), "version") != NULL);
	header_of(0, 40, 0);
	CU_ASSERT(strstr(refused(), "version") != NULL);
	header_of(1, 39, 0);
	u64(0);
	CU_ASSERT(strstr(refused(), "size") != NULL);
	header_of(1, 40, 0);
	image[0] ^= 1;
	CU_ASSERT(strstr(refused(), "magic") != NULL);
	for (uint32_t size = 40; size <= 80; size++) {
		header_of(1, size, 0);
		load((struct load){ 1, 0x1000, 4, 0, "f", 0, "abcd", 0, 0 });
		d = open_image();
		STORY(d, "f");
		jitdump_close(d);
	}
	/* The text's revision; flags of the future; the processor's own clock. */
	header_of(2, 40, 0xfffffffffffffffe);
	load((struct load){ 1, 0x1000, 4, 0, "f", 0, "abcd", 0, 0 });
	d = open_image();
	CU_ASSERT_FALSE(jitdump_info(d)->raw_time);
	STORY(d, "f");
	jitdump_close(d);
	header_of(1, 40, 1);
	d = open_image();
	CU_ASSERT_TRUE(jitdump_info(d)->raw_time);
	STORY(d, "");
	jitdump_close(d);
}

static void test_not_a_file(void)
{
	struct jitdump *d;
	const char *why;
	int ends[2];

	CU_ASSERT_EQUAL(pipe(ends), 0);
	CU_ASSERT_EQUAL(jitdump_open(&d, ends[0], &why), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(why, "not a regular file");
	close(ends[1]);
}

/* A good LOAD before and behind each oddity: what it says, and whether that is a fault. */
static void odd(const char *want, bool fault, void (*make)(void))
{
	struct jitdump *d;
	size_t at;

	header();
	load((struct load){ 1, 0x1000, 4, 0, "before", 0, "abcd", 0, 0 });
	at = used;
	make();
	load((struct load){ 9, 0x9000, 4, 0, "behind", 0, "abcd", 0, 0 });
	d = open_image();
	STORY(d, want);
	CU_ASSERT_EQUAL(told(d).what != NULL, fault);
	if (fault) {
		CU_ASSERT_EQUAL(told(d).offset, at);
		CU_ASSERT(told(d).records >= 1);
	}
	jitdump_close(d);
}

static void close_in_the_middle(void)
{
	prefix(3, 16, 5);
}

static void unknown_kind(void)
{
	prefix(1234, 29, 5);
	raw("thirteen more", 13);
}

static void record_too_small(void)
{
	prefix(0, 15, 5);
}

static void zero_size(void)
{
	load((struct load){ 5, 0x2000, 0, 0, "empty", 0, "", 0, 0 });
}

static void huge_size(void)
{
	load((struct load){ 5, 0x2000, 1ull << 40, 0, "huge", 0, NULL, 0, 0 });
}

static void wrapping(void)
{
	load((struct load){ 5, UINT64_MAX - 2, 4, 0, "top", 0, "abcd", 0, 0 });
}

static void endless_name(void)
{
	load((struct load){ 5, 0x2000, 4, 0, "endless", 7, NULL, 0, 0 });
}

static void short_load(void)
{
	prefix(0, 40, 5);
	raw("123456789012345678901234", 24);
}

static void short_move(void)
{
	prefix(1, 63, 5);
	raw("12345678901234567890123456789012345678901234567", 47);
}

static void wrapping_move(void)
{
	move(5, UINT64_MAX - 2, 0x5000, 4);
}

static void many_lines(void)
{
	prefix(2, 32 + 18, 5);
	u64(0x9000), u64(1ull << 33);
	u64(0x9000), u32(1), u32(0), raw("a", 2);
}

static void large_unwind(void)
{
	prefix(4, 40 + 8, 5);
	u64(1000), u64(4), u64(1000);
	raw("12345678", 8);
}

static void unwind_header(void)
{
	prefix(4, 40 + 8, 5);
	u64(8), u64(9), u64(8);
	raw("12345678", 8);
}

static void same_index(void)
{
	load((struct load){ 5, 0x2000, 4, 0, "one", 0, "abcd", 0, 0 });
	load((struct load){ 6, 0x3000, 4, 0, "two", 0, "abcd", 0, 0 });
}

static void unload(uint64_t address, uint64_t size)
{
	prefix(0x50490000, 40, 5);
	u32(77), u32(78), u64(address), u64(size);
}

static void unload_of_nothing(void)
{
	unload(0x1000, 0);
}

static void huge_unload(void)
{
	unload(0x1000, (1ull << 30) + 1);
}

static void wrapping_unload(void)
{
	unload(UINT64_MAX - 2, 4);
}

static void unload_cut(void)
{
	prefix(0x50490000, 39, 5);
	raw("12345678901234567890123", 23);
}

static void larger_than_a_function(void)
{
	load((struct load){ 5, 0x2000, (1ull << 30) + 1, 0, "larger", 0, NULL, 0, 0 });
}

static void as_large(void)
{
	load((struct load){ 5, 0x2000, 1ull << 30, 0, "as_large", 0, NULL, 0, 0 });
}

static void odd_times(void)
{
	load((struct load){ 0, 0x2000, 4, 0, "zero", 0, "abcd", 0, 0 });
	load((struct load){ UINT64_MAX, 0x3000, 4, 0, "last", 0, "abcd", 0, 0 });
}

static void test_odd(void)
{
	static const struct {
		const char *want;
		bool fault;
		void (*make)(void);
	} cases[] = {
		{ "before behind", false, close_in_the_middle },
		{ "before behind", false, unknown_kind },
		{ "before", true, record_too_small },
		{ "before behind", false, zero_size },
		{ "before behind", true, huge_size },
		{ "before behind", true, wrapping },
		{ "before behind", true, endless_name },
		{ "before behind", true, short_load },
		{ "before behind", true, short_move },
		{ "before behind", true, wrapping_move },
		{ "before behind", false, unload_of_nothing },
		{ "before behind", true, huge_unload },
		{ "before behind", true, wrapping_unload },
		{ "before behind", true, unload_cut },
		{ "before behind", true, larger_than_a_function },
		{ "before as_large behind", false, as_large },
		{ "before behind", true, many_lines },
		{ "before behind", true, large_unwind },
		{ "before behind", true, unwind_header },
		{ "before one two behind", false, same_index },
		{ "before zero last behind", false, odd_times },
	};

	for (int order = 0; order < 2; order++) {
		big = order;
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			odd(cases[i].want, cases[i].fault, cases[i].make);
	}
	big = false;
}

/* The table's bytes end inside an entry, whose count promised more. */
static void test_lines_cut(void)
{
	struct jitdump_line line;
	struct jitdump *d;

	header();
	prefix(2, 32 + 18 + 18, 5);
	u64(0x1000), u64(2);
	u64(0x1000), u32(1), u32(0), raw("a", 2);
	u64(0x1000), u32(2), u32(0), raw("bb", 2);
	load((struct load){ 6, 0x1000, 4, 0, "f", 0, "abcd", 0, 0 });
	d = open_image();
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_TRUE(jitdump_line(d, &line));
	CU_ASSERT_EQUAL(line.line, 1);
	CU_ASSERT_FALSE(jitdump_line(d, &line));
	CU_ASSERT_FALSE(jitdump_line(d, &line));
	CU_ASSERT_PTR_NOT_NULL(told(d).what);
	jitdump_close(d);
}

/* The first line of code at 0x2000 whose table has these addresses, less 0x2000. */
static uint64_t line_at(uint64_t loaded, uint64_t first, uint64_t last)
{
	struct jitdump_line line = { 0 };
	struct jitdump *d;

	vma = loaded;
	header();
	prefix(2, 32 + 18 + 18, 5);
	u64(0x2000), u64(2);
	u64(0x2000 + last), u32(1), u32(0), raw("a", 2);
	u64(0x2000 + first), u32(2), u32(0), raw("a", 2);
	load((struct load){ 6, 0x2000, 0x100, 0, "f", 0, NULL, 0, 0 });
	d = open_image();
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_TRUE(jitdump_line(d, &line));
	CU_ASSERT_EQUAL(line.line, 1);
	CU_ASSERT_TRUE(jitdump_line(d, &line));
	jitdump_close(d);
	return line.address - 0x2000;
}

/* Writers that add the size of an ELF header to a line's address, and writers that do not. */
static void test_lines_added(void)
{
	for (int order = 0; order < 2; order++) {
		big = order;
		CU_ASSERT_EQUAL(line_at(0x2000, 0x40, 0x100), 0x40);
		CU_ASSERT_EQUAL(line_at(0x2000, 0x50, 0x101), 0x10);
		CU_ASSERT_EQUAL(line_at(0, 0x40, 0x80), 0);
		CU_ASSERT_EQUAL(line_at(0, 0x3f, 0x80), 0x3f);
		pad = 0xdeadbeef; /* V8 */
		CU_ASSERT_EQUAL(line_at(0x2000, 0x40, 0x80), 0);
		CU_ASSERT_EQUAL(line_at(0x2000, 0, 0x80), 0);
		pad = 0xcafe;
	}
	big = false;
	vma = 0;
}

static void test_zero_tail(void)
{
	struct jitdump *d;
	size_t end;

	header();
	load((struct load){ 1, 0x1000, 4, 0, "f", 0, "abcd", 0, 0 });
	end = used;
	memset(image + used, 0, 200000);
	used += 200000;
	d = open_image();
	STORY(d, "f");
	CU_ASSERT_PTR_NULL(told(d).what);
	jitdump_close(d);
	image[used - 1] = 1;
	d = open_image();
	STORY(d, "f");
	CU_ASSERT_PTR_NOT_NULL(told(d).what);
	CU_ASSERT_EQUAL(told(d).offset, end);
	jitdump_close(d);
}

/* Each byte of a file changed, and the file cut at each byte: no crash, no endless loop, and the
 * part before it is read. */
static void test_damage(void)
{
	static uint8_t good[4096];
	struct jitdump_line line;
	size_t n, first;

	every_record();
	n = used;
	memcpy(good, image, n);
	first = 40 + 56 + 2 + 4;
	for (size_t i = 0; i < 2 * n; i++) {
		struct jitdump *d;
		const char *why;
		int events = 0;

		memcpy(image, good, n);
		used = i < n ? i : n;
		if (i >= n)
			image[i - n] ^= 0xff;
		if (jitdump_open(&d, file_of(image, used), &why))
			continue;
		while (events < 100 && jitdump_next(d, &e) > 0) {
			if (!events && i != n + 40 + 56 && (i < n || i - n >= first))
				CU_ASSERT_STRING_EQUAL(e.name, "f");
			while (jitdump_line(d, &line))
				CU_ASSERT_PTR_NOT_NULL(line.file);
			events++;
		}
		CU_ASSERT(events <= 3);
		if (i >= first)
			CU_ASSERT(events >= 1 || i >= n);
		jitdump_close(d);
	}
}

/* Such a file from a stranger, in both byte orders. */
static void late_read(void)
{
	struct jitdump *d;
	size_t at, whole;

	header_of(1, 56, 0);
	used = 40;
	u64(0x6c61746570690000ull);
	u64(UINT64_MAX);
	at = prefix(0, 56 + 2 + 8, 20000000000);
	u32(77);
	u32(78);
	u64(0);
	u64(4096);
	u64(64);
	u64(0);
	raw("f", 2);
	u64(500);
	d = open_image();
	/* A delay that does not occur. */
	CU_ASSERT_EQUAL(jitdump_info(d)->late, 10000000000);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "f");
	CU_ASSERT_EQUAL(e.earliest, 10000000000);
	jitdump_close(d);
	/* No room for the time. */
	whole = used;
	used = at;
	prefix(0, 56 + 2 + 7, 20000000000);
	used = whole - 1;
	d = open_image();
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 0);
	CU_ASSERT_PTR_NOT_NULL(told(d).what);
	jitdump_close(d);
	/* Another's header of that size means something else. */
	header_of(1, 56, 0);
	load((struct load){ .time = 9, .address = 4096, .size = 4, .name = "g", .code = "abcd" });
	d = open_image();
	CU_ASSERT_EQUAL(jitdump_info(d)->late, 0);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "g");
	CU_ASSERT_EQUAL(e.earliest, 9);
	jitdump_close(d);
}

/* The time before which it did not run, with and without the bit that its writer was alone. */
static void since_read(void)
{
	static const uint64_t alone = 1ull << 63;
	static const struct {
		uint64_t time, since, earliest;
	} cases[] = {
		{ 20000000000, 0, 10000000000 },
		{ 20000000000, 500, 10000000000 },
		{ 20000000000, 15000000000, 15000000000 },
		{ 20000000000, 30000000000, 20000000000 },
		{ 9, 0, 0 },
		{ 20000000000, alone, 0 },
		{ 20000000000, alone | 500, 500 },
		{ 20000000000, alone | 30000000000, 20000000000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct jitdump *d;

		header_of(1, 56, 0);
		used = 40;
		u64(0x6c61746570690000ull);
		u64(UINT64_MAX);
		prefix(0, 56 + 2 + 8, cases[i].time);
		u32(77), u32(78), u64(0), u64(4096), u64(64), u64(0);
		raw("f", 2);
		u64(cases[i].since);
		d = open_image();
		CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
		CU_ASSERT_EQUAL(e.earliest, cases[i].earliest);
		jitdump_close(d);
	}
}

static void test_since(void)
{
	both_orders(since_read);
}

static void test_read_late(void)
{
	both_orders(late_read);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "records", test_records },
		{ "unwind_order", test_unwind_order },
		{ "names_and_slack", test_names_and_slack },
		{ "long", test_long },
		{ "appended", test_appended },
		{ "headers", test_headers },
		{ "not_a_file", test_not_a_file },
		{ "odd", test_odd },
		{ "lines_cut", test_lines_cut },
		{ "lines_added", test_lines_added },
		{ "zero_tail", test_zero_tail },
		{ "damage", test_damage },
		{ "read_late", test_read_late },
		{ "since", test_since },
		{ NULL, NULL },
	};

	return unit_run("jitdump", tests);
}
