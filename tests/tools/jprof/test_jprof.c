/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the Java agent that need no VM: names, and which addresses were announced
 * already. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../tools/common/java_name.h"
#include "../../tools/jprof/ranges.h"
#include "../../tools/jprof/java_sizes.h"
#include "unit.h"

static const char *name(const char *class, const char *method, const char *signature)
{
	static char out[128];

	java_name(out, sizeof(out), class, method, signature);
	return out;
}

static void names(void)
{
	CU_ASSERT_STRING_EQUAL(name("LA;", "f", "()V"), "A.f()");
	CU_ASSERT_STRING_EQUAL(name("Ljava/util/Map$Entry;", "of", "(ILjava/lang/String;[J)V"),
			       "java.util.Map$Entry.of(int, java.lang.String, long[])");
	CU_ASSERT_STRING_EQUAL(name("Lp/A;", "<init>", "(BCDFISZ[[Lq/B;)Lq/B;"),
			       "p.A.<init>(byte, char, double, float, int, short, boolean, q.B[][])");
	/* A hidden class: the part behind the point is the VM's. */
	CU_ASSERT_STRING_EQUAL(name("LA$$Lambda.0x0000f00;", "run", "()V"),
			       "A$$Lambda.0x0000f00.run()");
}

/* No VM says so, but what it says is not ours to trust. */
static void names_odd(void)
{
	CU_ASSERT_STRING_EQUAL(name("LA", "f", "()V"), "LA.f()");
	CU_ASSERT_STRING_EQUAL(name("", "f", "()V"), ".f()");
	CU_ASSERT_STRING_EQUAL(name("LA;", "f", "(I"), "A.f(I");
	CU_ASSERT_STRING_EQUAL(name("LA;", "f", "(ILb"), "A.f(ILb");
	CU_ASSERT_STRING_EQUAL(name("LA;", "f", ""), "A.f");
	CU_ASSERT_STRING_EQUAL(name("LA;", "f", "(["), "A.f([");
}

static void names_cut(void)
{
	char out[16];
	size_t room;

	for (room = 1; room <= sizeof(out); room++) {
		memset(out, 'x', sizeof(out));
		java_name(out, room, "Lpackage/Class;", "method", "(IJ)V");
		CU_ASSERT_EQUAL(strlen(out), room - 1);
		CU_ASSERT(!strncmp(out, "package.Class.method(int, long)", room - 1));
	}
}

static char told[256];

static int tell(void *arg, uint64_t start, uint64_t end)
{
	(void)arg;
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%d-%d ", (int)start, (int)end);
	return 0;
}

static const char *add(struct ranges *r, uint64_t start, uint64_t end)
{
	*told = 0;
	CU_ASSERT_EQUAL(ranges_add(r, start, end, tell, NULL), 0);
	return told;
}

static void pieces(void)
{
	struct ranges r = { 0 };

	CU_ASSERT_STRING_EQUAL(add(&r, 20, 30), "20-30 ");
	CU_ASSERT_STRING_EQUAL(add(&r, 40, 50), "40-50 ");
	/* Around them, and again: nothing is left of it. */
	CU_ASSERT_STRING_EQUAL(add(&r, 10, 60), "10-20 30-40 50-60 ");
	CU_ASSERT_STRING_EQUAL(add(&r, 10, 60), "");
	/* The same range as one of them is announced again. */
	CU_ASSERT_STRING_EQUAL(add(&r, 40, 50), "40-50 ");
	CU_ASSERT_STRING_EQUAL(add(&r, 5, 15), "5-10 ");
	CU_ASSERT_STRING_EQUAL(add(&r, 55, 70), "60-70 ");
	CU_ASSERT_STRING_EQUAL(add(&r, 80, 80), "");
	CU_ASSERT_STRING_EQUAL(add(&r, 0, 100), "0-5 70-100 ");
	ranges_free(&r);
}

/* Against a byte for each address. */
static void pieces_many(void)
{
	static uint8_t seen[4096];
	struct ranges r = { 0 };
	uint32_t seed = 1, i;

	for (i = 0; i < 3000; i++) {
		uint64_t start, size, want = 0, have = 0, a;
		const char *p;

		seed = seed * 1103515245 + 12345;
		start = (seed >> 8) % 4000;
		size = 1 + (seed >> 20) % 40;
		for (a = start; a < start + size; a++) {
			want += !seen[a];
			seen[a] = 1;
		}
		p = add(&r, start, start + size);
		while (*p) {
			uint64_t from = strtoull(p, (char **)&p, 10);

			have += strtoull(p + 1, (char **)&p, 10) - from;
			p++;
		}
		/* The whole range, if it is an announced one. */
		CU_ASSERT(have == want || (!want && have == size));
	}
	for (i = 1; i < r.n; i++)
		CU_ASSERT(r.list[i - 1].end <= r.list[i].start);
	ranges_free(&r);
}

/* Against a plain list. */
static void sizes(void)
{
	static uint64_t have[5000];
	struct sizes s = { 0 };
	uint32_t seed = 1, i;

	CU_ASSERT_EQUAL(sizes_take(&s, 16), 0);
	for (i = 0; i < 200000; i++) {
		uint32_t which;

		seed = seed * 1103515245 + 12345;
		which = (seed >> 8) % 5000;
		if (seed >> 31) {
			have[which] = 1 + (seed >> 4) % 4096;
			CU_ASSERT_EQUAL(sizes_put(&s, which * 64, have[which]), 0);
		} else {
			CU_ASSERT_EQUAL(sizes_take(&s, which * 64), have[which]);
			have[which] = 0;
		}
	}
	for (i = 0; i < 5000; i++)
		CU_ASSERT_EQUAL(sizes_take(&s, i * 64), have[i]);
	CU_ASSERT_EQUAL(s.n, 0);
	sizes_free(&s);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "names", names },   { "names_odd", names_odd },     { "names_cut", names_cut },
		{ "pieces", pieces }, { "pieces_many", pieces_many }, { "sizes", sizes },
		{ NULL, NULL },
	};

	return unit_run("jprof", tests);
}
