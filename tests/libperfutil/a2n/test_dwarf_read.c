/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DWARF's basic types at their limits: numbers of any length, lengths, strings, lists of
 * addresses. */
#include <stdlib.h>
#include <string.h>

#include "a2n/dwarf/dwarf_file.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct given {
	uint8_t data[24];
	size_t size, used;
	uint64_t plain, with_sign;
	bool bad;
};

static const struct given numbers[] = {
	{ { 0 }, 1, 1, 0, 0, false },
	{ { 0x3f }, 1, 1, 63, 63, false },
	{ { 0x40 }, 1, 1, 64, -64ull, false },
	{ { 0x7f }, 1, 1, 127, -1ull, false },
	{ { 0x80, 0x01 }, 2, 2, 128, 128, false },
	{ { 0xff, 0x00 }, 2, 2, 127, 127, false },
	{ { 0x80, 0x7f }, 2, 2, 0x3f80, -128ull, false },
	{ { 0xe5, 0x8e, 0x26 }, 3, 3, 624485, 624485, false },
	{ { 0x9b, 0xf1, 0x59 }, 3, 3, 1472667, -624485ull, false },
	{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 },
	  10,
	  10,
	  UINT64_MAX,
	  UINT64_MAX,
	  false },
	{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f },
	  10,
	  10,
	  1ull << 63,
	  1ull << 63,
	  false },
	{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40 },
	  9,
	  9,
	  1ull << 62,
	  3ull << 62,
	  false },
	/* More bits than a number has. */
	{ { 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f },
	  11,
	  11,
	  1,
	  1,
	  false },
	/* Twenty bytes are the most, whatever they say. */
	{ { 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 },
	  22,
	  20,
	  1,
	  1,
	  false },
	/* The end comes first. */
	{ { 0 }, 0, 0, 0, 0, true },
	{ { 0x80 }, 1, 1, 0, 0, true },
	{ { 0x80, 0x80 }, 2, 2, 0, 0, true },
};

/* The bytes in memory that ends with them. */
static struct bytes begin(const void *from, size_t n, void **room)
{
	*room = malloc(n ? n : 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(*room);
	memcpy(*room, from, n);
	return bytes_of(*room, n);
}

static void groups(void)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		const struct given *g = &numbers[i];

		for (int with_sign = 0; with_sign < 2; with_sign++) {
			void *room;
			struct bytes b = begin(g->data, g->size, &room);
			uint64_t v = with_sign ? (uint64_t)dwarf_sleb(&b) : dwarf_uleb(&b);

			CU_ASSERT_EQUAL(b.bad, g->bad);
			if (!g->bad) {
				CU_ASSERT_EQUAL(v, with_sign ? g->with_sign : g->plain);
				CU_ASSERT_EQUAL(b.at, g->used);
			}
			if (b.bad != g->bad ||
			    (!g->bad && v != (with_sign ? g->with_sign : g->plain)))
				printf("# number %zu: %llx\n", i, (unsigned long long)v);
			free(room);
		}
	}
	/* Bad before, bad afterwards. */
	{
		struct bytes b = bytes_of("\1\2", 2);

		b.bad = true;
		dwarf_uleb(&b);
		CU_ASSERT(b.bad);
	}
}

static void lengths(void)
{
	static const struct {
		uint8_t data[12];
		size_t size;
		uint64_t length;
		uint8_t offsets;
		bool bad;
	} rows[] = {
		{ { 7, 0, 0, 0 }, 4, 7, 4, false },
		{ { 0xef, 0xff, 0xff, 0xff }, 4, 0xffffffef, 4, false },
		{ { 0xf0, 0xff, 0xff, 0xff }, 4, 0, 4, true },
		{ { 0xfe, 0xff, 0xff, 0xff }, 4, 0, 4, true },
		{ { 0xff, 0xff, 0xff, 0xff, 9, 0, 0, 0, 1, 0, 0, 0 }, 12, 0x100000009, 8, false },
		{ { 0xff, 0xff, 0xff, 0xff, 9, 0, 0, 0, 1, 0, 0 }, 11, 0, 8, true },
		{ { 7, 0, 0 }, 3, 0, 4, true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		void *room;
		struct bytes b = begin(rows[i].data, rows[i].size, &room);
		uint8_t size = 0;
		uint64_t length = dwarf_length(&b, &size);

		CU_ASSERT_EQUAL(b.bad, rows[i].bad);
		CU_ASSERT_EQUAL(size, rows[i].offsets);
		CU_ASSERT(rows[i].bad || length == rows[i].length);
		free(room);
	}
}

static void sizes(void)
{
	static const uint8_t data[] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };

	for (int swap = 0; swap < 2; swap++)
		for (uint8_t size = 0; size < 10; size++) {
			bool is = size == 1 || size == 2 || size == 4 || size == 8;
			struct bytes b = bytes_of(data, sizeof(data));
			uint64_t want = 0, v;

			b.swap = swap;
			for (int i = 0; is && i < size; i++)
				want |= (uint64_t)data[swap ? size - 1 - i : i] << 8 * i;
			v = dwarf_sized(&b, size);
			CU_ASSERT_EQUAL(b.bad, !is);
			CU_ASSERT_EQUAL(v, want);
			CU_ASSERT_EQUAL(b.at, is ? size : 0);
		}
}

static void strings(void)
{
	static const char data[] = { 'a', 'b', 0, 'c', 0, 'd' };
	void *room;
	struct bytes part = begin(data, sizeof(data), &room);

	CU_ASSERT_STRING_EQUAL(dwarf_string(&part, 0), "ab");
	CU_ASSERT_STRING_EQUAL(dwarf_string(&part, 1), "b");
	CU_ASSERT_STRING_EQUAL(dwarf_string(&part, 2), "");
	CU_ASSERT_STRING_EQUAL(dwarf_string(&part, 3), "c");
	CU_ASSERT_STRING_EQUAL(dwarf_string(&part, 4), "");
	/* Without an end, and beyond the section. */
	CU_ASSERT_PTR_NULL(dwarf_string(&part, 5));
	CU_ASSERT_PTR_NULL(dwarf_string(&part, 6));
	CU_ASSERT_PTR_NULL(dwarf_string(&part, 7));
	CU_ASSERT_PTR_NULL(dwarf_string(&part, UINT64_MAX));
	free(room);
}

static void ranges(void)
{
	struct dwarf_ranges r = { 0 };

	CU_ASSERT(dwarf_add_range(&r, 5, 5) && dwarf_add_range(&r, 6, 5) && !r.n);
	for (uint64_t i = 0; i < 100; i++)
		CU_ASSERT(dwarf_add_range(&r, 10 * i, 10 * i + 1));
	CU_ASSERT_EQUAL_FATAL(r.n, 100);
	for (uint64_t i = 0; i < 100; i++)
		CU_ASSERT(r.list[i].low == 10 * i && r.list[i].high == 10 * i + 1);
	/* No list can be so long. */
	r.n = r.room = UINT32_MAX;
	CU_ASSERT(!dwarf_add_range(&r, 1, 2));
	CU_ASSERT_EQUAL(r.n, UINT32_MAX);
	CU_ASSERT(dwarf_add_range(&r, 2, 2));
	free(r.list);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "groups", groups },   { "lengths", lengths }, { "sizes", sizes },
		{ "strings", strings }, { "ranges", ranges },   {},
	};

	return unit_run("dwarf_read", tests);
}
