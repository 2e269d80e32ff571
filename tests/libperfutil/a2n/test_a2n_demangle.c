/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readable names: C++, Rust (both manglings), D; other names stay; hostile ones terminate. */
#include <stdlib.h>
#include <time.h>

#include "a2n.h"
#include "a2n/base/demangle.h"
#include "unit.h"

static void is(const char *mangled, const char *readable)
{
	char *text = a2n_demangle(mangled);

	if (readable) {
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		if (strcmp(text, readable))
			printf("# %s is %s\n", mangled, text);
		CU_ASSERT_STRING_EQUAL(text, readable);
	} else {
		if (text)
			printf("# %s is %s\n", mangled, text);
		CU_ASSERT_PTR_NULL(text);
	}
	free(text);
}

static void test_cxx(void)
{
	is("_Z1fv", "f()");
	is("_ZN5outer3BoxIlE3getEi", "outer::Box<long>::get(int)");
	is("_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector<int, std::allocator<int> >::size() const");
	is("_ZN1AC1Ev", "A::A()");
	is("_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()");
	is("_Z1fv.cold", "f() [clone .cold]");
	is("_Z1fv.constprop.0", "f() [clone .constprop.0]");
	is("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const");
}

static void test_rust(void)
{
	is("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	is("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
	   "17h0123456789abcdefE",
	   "<Test + 'static as foo::Bar<Test>>::bar");
	is("_RNvC6_123foo3bar", "123foo::bar");
	is("_RNvC0_1a", "::a");
	is("_RNvCsd7G3NqVjvVv_6kernel4init", "kernel::init");
	is("_RINvNtCs7f1x_4core3ptr13drop_in_placelEB2_", "core::ptr::drop_in_place::<i32>");
}

static void test_d(void)
{
	is("_Dmain", "D main");
	is("_D8demangle4testFZv", "demangle.test()");
	is("_D3std5stdio7writelnFZv", "std.stdio.writeln()");
}

static void test_none(void)
{
	static const char *const names[] = {
		"",
		"_",
		"__",
		"_Z",
		"_R",
		"_D",
		"main",
		"Z1fv",
		"_start",
		"__libc_start_main",
		"_init",
		"_Zunfinished",
		"_ZN",
		"_ZN5outer",
		"_RNv",
		"_D3",
		"_D_",
		"_exit",
		"$_Z1fv",
		/* Go's, Java's and V8's are readable as they are. */
		"main.main",
		"runtime.gcBgMarkWorker",
		"go.opentelemetry.io/otel.(*T).Do-fm",
		"type:.eq.[2]string",
		"Ljava/util/HashMap;::get",
		"LazyCompile:*run /a/b.js:3",
		"_Z1f\x01",
		"_GLOBAL_OFFSET_TABLE_",
		"_Rotate",
		"_Dispatch",
		"_ZGV",
	};
	uint32_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is(names[i], NULL);
}

static void test_suffixes(void)
{
	static const char *const pairs[][2] = {
		{ "_Z1fv@plt", "f()@plt" },
		{ "_Z1fv@@VERS_1", "f()@@VERS_1" },
		{ "f@plt", NULL },
		{ "@plt", NULL },
		{ "_Z1fv", "f()" },
		{ "@", NULL },
		{ "", NULL },
	};
	uint32_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *text = demangle_symbol(pairs[i][0]);

		CU_ASSERT((text != NULL) == (pairs[i][1] != NULL));
		if (text && pairs[i][1])
			CU_ASSERT_STRING_EQUAL(text, pairs[i][1]);
		free(text);
	}
}

/* Names made to unfold without end, to nest without end, or just long. */
static void test_hostile(void)
{
	static const char *const inner[] = { "P",  "N1a",  "1aI", "FvF", "A1_", "St4pairI", "dp",
					     "L_", "IXad", "Dp",  "sr",  "cv",  "KR",       "T_" };
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char name[20000];
	clock_t begin = clock();
	uint32_t i, k, n;
	char *p;

	for (i = 0; i < sizeof(inner) / sizeof(inner[0]); i++)
		for (n = 100; n <= 10000; n *= 10) {
			p = name + sprintf(name, "_Z1f");
			for (k = 0; k < n && p < name + sizeof(name) - 32; k++)
				p += sprintf(p, "%s", inner[i]);
			free(a2n_demangle(name));
			strcpy(p, "vE");
			free(a2n_demangle(name));
		}
	/* Each pair doubles the one before: 2^60 words. */
	p = name + sprintf(name, "_Z1fSt4pairIiiE");
	for (i = 0; i < 60; i++)
		p += sprintf(p, "St4pairIS%c_S%c_E", digits[i % 36], digits[i % 36]);
	free(a2n_demangle(name));
	p = name + sprintf(name, "_RINvC1a1b");
	for (i = 0; i < 500; i++)
		p += sprintf(p, "TB%c_B%c_", 'a' + i % 26, 'a' + i % 26);
	strcpy(p, "E");
	free(a2n_demangle(name));
	p = name + sprintf(name, "_D");
	for (i = 0; i < 3000; i++)
		p += sprintf(p, "1a");
	strcpy(p, "FZv");
	free(a2n_demangle(name));
	for (i = 2; i < sizeof(name) - 1; i++)
		name[i] = 'P';
	name[i] = 0;
	CU_ASSERT_PTR_NULL(a2n_demangle(name));
	CU_ASSERT((clock() - begin) / CLOCKS_PER_SEC < 5);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "cxx", test_cxx },   { "rust", test_rust },         { "d", test_d },
		{ "none", test_none }, { "suffixes", test_suffixes }, { "hostile", test_hostile },
		{ NULL, NULL }
	};

	return unit_run("a2n_demangle", tests);
}
