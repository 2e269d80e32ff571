/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats of tracepoints as a perf.data has them, in either byte order: texts and numbers of their
 * data, of any length; formats that are cut or wrong. */
#include <stdlib.h>
#include <string.h>

#include "record/tracepoints.h"
#include "unit.h"

/* ---- formats --------------------------------------------------------------------------------- */

#define COMMON                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
			   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char bare[] = "name: bare\nID: 300\nformat:\n" COMMON
			   "\nprint fmt: \"nothing more\"\n";
static const char numbers[] =
	"name: numbers\nID: 301\nformat:\n" COMMON
	"\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned char small;\toffset:12;\tsize:1;\tsigned:0;\n"
	"\tfield:short middle;\toffset:14;\tsize:2;\tsigned:1;\n"
	"\tfield:u64 large;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char name[4];\toffset:24;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"n=%d small=%d middle=%d large=%llu\", REC->number, REC->small, REC->middle, "
	"REC->large\n";
static const char string[] = "name: string\nID: 302\nformat:\n" COMMON
			     "\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n\n"
			     "print fmt: \"text=%s\", __get_str(text)\n";
static const char far[] = "name: far\nID: 303\nformat:\n" COMMON
			  "\tfield:int number;\toffset:65532;\tsize:4;\tsigned:1;\n\n"
			  "print fmt: \"far=%d\", REC->number\n";
static const char too_far[] = "name: too_far\nID: 304\nformat:\n" COMMON
			      "\tfield:int number;\toffset:65533;\tsize:4;\tsigned:1;\n\n"
			      "print fmt: \"far=%d\", REC->number\n";
static const char kept[] = "name: kept\nID: 305\nformat:\n" COMMON
			   "\tfield:unsigned long fmt;\toffset:8;\tsize:8;\tsigned:0;\n\n"
			   "print fmt: \"%s\", REC->fmt\n";
static const char first[] = "name: first\nID: 7\nformat:\n" COMMON "\nprint fmt: \"of ftrace\"\n";
static const char printks[] = "0xffffffff81000010 : \"a kept text\"\n";

static uint8_t file[8192];
static size_t used;
static bool big;

static void put(uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		file[used + (size_t)(big ? bytes - 1 - i : i)] = (uint8_t)(value >> 8 * i);
	used += (size_t)bytes;
}

static void put_bytes(const void *from, size_t n)
{
	memcpy(file + used, from, n);
	used += n;
}

static void put_text(const char *text)
{
	put(strlen(text), 8);
	put_bytes(text, strlen(text));
}

static void make(bool order)
{
	big = order;
	used = 0;
	put_bytes("\027\010\104tracing0.6", 14);
	put(big, 1);
	put(8, 1);
	put(4096, 4);
	put_bytes("header_page", 12);
	put_text(page);
	put_bytes("header_event", 13);
	put_text("# nothing\n");
	put(1, 4);
	put_text(first);
	put(2, 4);
	put_bytes("made", 5);
	put(4, 4);
	put_text(bare);
	put_text(numbers);
	put_text("name: nonsense\nID: x\n");
	put_text(string);
	put_bytes("more", 5);
	put(3, 4);
	put_text(far);
	put_text(too_far);
	put_text(kept);
	put(0, 4);
	put((uint32_t)strlen(printks), 4);
	put_bytes(printks, strlen(printks));
}

/* ---- data ------------------------------------------------------------------------------------ */

static uint8_t raw[65537];

static void store(size_t at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		raw[at + (big ? bytes - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static void event(uint32_t id)
{
	memset(raw, 0, sizeof(raw));
	store(0, id, 2);
}

/* NULL: not this text. The data end where they end. */
static bool has(struct tracepoints *t, size_t bytes, const char *want)
{
	uint8_t *copy = malloc(bytes + 1);
	char room[200] = "";
	bool is, same;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, raw, bytes);
	is = tracepoints_text(t, copy, bytes, room, sizeof(room));
	free(copy);
	same = want ? is && !strcmp(room, want) : !is;
	if (!same)
		printf("# %zu bytes: %s\"%s\"\n", bytes, is ? "" : "none, ", room);
	return same;
}

static struct tracepoints *begin(bool order)
{
	struct tracepoints *t;

	make(order);
	t = tracepoints_open(file, used);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	return t;
}

static void texts(void)
{
	for (int order = 0; order < 2; order++) {
		struct tracepoints *t = begin(order);

		event(300);
		CU_ASSERT(has(t, 8, "nothing more"));
		CU_ASSERT(has(t, 12, "nothing more"));
		CU_ASSERT(has(t, 7, NULL));
		CU_ASSERT(has(t, 0, NULL));
		event(7);
		CU_ASSERT(has(t, 8, "of ftrace"));
		event(299);
		CU_ASSERT(has(t, 8, NULL));
		event(301);
		store(8, (uint64_t)-5, 4);
		store(12, 200, 1);
		store(14, 300, 2);
		store(16, 1ull << 40, 8);
		CU_ASSERT(has(t, 28, "n=-5 small=200 middle=300 large=1099511627776"));
		/* Zeros follow what is cut, whatever was there before. */
		event(301);
		CU_ASSERT(has(t, 12, "n=0 small=0 middle=0 large=0"));
		store(8, 77, 4);
		CU_ASSERT(has(t, 12, "n=77 small=0 middle=0 large=0"));
		event(302);
		store(8, 3u << 16 | 12, 4);
		memcpy(raw + 12, "ab", 3);
		CU_ASSERT(has(t, 15, "text=ab"));
		/* A text beyond all data. */
		store(8, 0xffffffff, 4);
		CU_ASSERT(has(t, 15, "text="));
		event(305);
		store(8, 0xffffffff81000010, 8);
		/* The library reads such addresses in this machine's order. */
		CU_ASSERT(has(t, 16, big ? "10000081ffffffff" : "a kept text"));
		/* As far away as data can be, and beyond. */
		event(303);
		store(65532, 9, 4);
		CU_ASSERT(has(t, 65536, "far=9"));
		CU_ASSERT(has(t, 16, "far=0"));
		event(304);
		CU_ASSERT(has(t, 16, NULL));
		CU_ASSERT(!tracepoints_fell(t));
		tracepoints_close(t);
	}
}

/* A text that does not fit is cut. */
static void room(void)
{
	struct tracepoints *t = begin(false);
	char text[13];

	event(300);
	memset(text, 'x', sizeof(text));
	CU_ASSERT(tracepoints_text(t, raw, 8, text, 6));
	CU_ASSERT_STRING_EQUAL(text, "noth");
	CU_ASSERT_EQUAL(text[6], 'x');
	CU_ASSERT(!tracepoints_text(t, raw, 65537, text, sizeof(text)));
	CU_ASSERT(!tracepoints_fell(t));
	tracepoints_close(t);
	tracepoints_close(NULL);
	CU_ASSERT(!tracepoints_text(NULL, raw, 8, text, sizeof(text)));
}

static void fields(void)
{
	static const struct {
		const char *system, *event, *name;
		int32_t id;
		uint32_t offset, size;
		bool is_signed;
	} rows[] = {
		{ "made", "numbers", "number", 301, 8, 4, true },
		{ "made", "numbers", "small", 301, 12, 1, false },
		{ "made", "numbers", "middle", 301, 14, 2, true },
		{ "made", "numbers", "large", 301, 16, 8, false },
		{ "made", "numbers", "common_pid", 301, 4, 4, true },
		{ "made", "numbers", "name", 0, 0, 0, false },
		{ "made", "numbers", "none", 0, 0, 0, false },
		{ "made", "number", "number", 0, 0, 0, false },
		{ "more", "numbers", "number", 0, 0, 0, false },
		{ "more", "far", "number", 303, 65532, 4, true },
	};

	for (int order = 0; order < 2; order++) {
		struct tracepoints *t = begin(order);

		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			struct tracepoint_field f = { 0 };
			bool is = tracepoints_field(t, rows[i].system, rows[i].event, rows[i].name,
						    &f);

			CU_ASSERT_EQUAL(is, rows[i].size != 0);
			if (!is)
				continue;
			CU_ASSERT(f.event == rows[i].id && f.offset == rows[i].offset &&
				  f.size == rows[i].size && f.is_signed == rows[i].is_signed &&
				  f.big == big);
		}
		tracepoints_close(t);
	}
}

static void values(void)
{
	for (int order = 0; order < 2; order++) {
		struct tracepoint_field f = { 301, 8, 4, true, order };
		uint64_t v = 0;

		big = order;
		event(301);
		store(8, 0x80000001, 4);
		store(12, 0x7f, 1);
		CU_ASSERT(tracepoint_number(&f, raw, 12, &v) && v == 0xffffffff80000001);
		CU_ASSERT(!tracepoint_number(&f, raw, 11, &v));
		CU_ASSERT(!tracepoint_number(&f, raw, 1, &v));
		CU_ASSERT(!tracepoint_number(&f, raw, 7, &v));
		f.is_signed = false;
		CU_ASSERT(tracepoint_number(&f, raw, 12, &v) && v == 0x80000001);
		f.event = 302;
		CU_ASSERT(!tracepoint_number(&f, raw, 12, &v));
		f = (struct tracepoint_field){ 301, 12, 1, true, order };
		CU_ASSERT(tracepoint_number(&f, raw, 13, &v) && v == 0x7f);
		f = (struct tracepoint_field){ 301, 0, 2, false, order };
		CU_ASSERT(tracepoint_number(&f, raw, 2, &v) && v == 301);
		f = (struct tracepoint_field){ 301, 16, 8, true, order };
		store(16, 1ull << 63, 8);
		CU_ASSERT(tracepoint_number(&f, raw, 24, &v) && v == 1ull << 63);
		f.size = 0;
		CU_ASSERT(!tracepoint_number(&f, raw, 24, &v));
	}
}

/* Cut anywhere, it is refused, or what was still whole is known; nothing dies of it. */
static void cut(void)
{
	size_t heads, whole;

	make(false);
	heads = 14 + 6 + 12 + 8 + strlen(page) + 13 + 8 + 10;
	whole = used;
	event(300);
	CU_ASSERT_PTR_NULL(tracepoints_open(file, 0));
	for (size_t n = 1; n <= whole; n += n < 24 || n > whole - 20 ? 1 : 61) {
		struct tracepoints *t = tracepoints_open(file, n);

		if (n < 16) {
			CU_ASSERT_PTR_NULL(t);
			continue;
		}
		CU_ASSERT_PTR_NOT_NULL_FATAL(t);
		if (n < heads)
			CU_ASSERT(has(t, 8, NULL));
		if (n > whole - 20)
			CU_ASSERT(has(t, 8, "nothing more"));
		CU_ASSERT(!tracepoints_fell(t));
		tracepoints_close(t);
	}
	/* Not what it says it is. */
	for (size_t i = 0; i < 10; i++) {
		make(false);
		file[i] ^= 1;
		CU_ASSERT_PTR_NULL(tracepoints_open(file, used));
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "texts", texts },   { "room", room }, { "fields", fields },
		{ "values", values }, { "cut", cut },   {},
	};

	if (!TRACEPOINTS_READ) {
		puts("skip tracepoints_all post was built without libtraceevent");
		return 0;
	}
	return unit_run("tracepoints", tests);
}
