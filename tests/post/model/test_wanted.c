/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By which names a symbol is found. */
#include "model/wanted.h"
#include "unit.h"

#define NAME   "ns::list<int (*)()>::sort(int, char)"
#define RAW    "_ZN2ns4list"
#define MODULE "/usr/lib/libx.so.1"

static void test_names(void)
{
	static const struct {
		const char *wanted;
		bool is;
	} cases[] = {
		{ NAME, true },
		{ RAW, true },
		{ "ns::list<int (*)()>::sort", true },
		{ NAME "@" MODULE, true },
		{ RAW "@libx.so.1", true },
		{ "ns::list<int (*)()>::sort@libx.so.1", true },
		{ "ns::list*", true },
		{ "*::sort(*", true },
		{ "_ZN?ns*", true },
		{ "ns::list", false },
		{ "ns::list<int ", false },
		{ "sort", false },
		{ RAW "@liby.so", false },
		{ "*::sort", false },
		{ "ns", false },
		{ "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_EQUAL(wanted_symbol(cases[i].wanted, NAME, RAW, MODULE), cases[i].is);
	CU_ASSERT_TRUE(wanted_symbol("T::operator()", "T::operator()(int)", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("T::operator", "T::operator()(int)", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("", "(anonymous)", NULL, MODULE));
	CU_ASSERT_TRUE(wanted_symbol("a::(anonymous namespace)::f",
				     "a::(anonymous namespace)::f(int)", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("a::", "a::(anonymous namespace)::f(int)", NULL, MODULE));
	CU_ASSERT_TRUE(wanted_symbol("ns::f", "ns::f[abi:cxx11](int)", NULL, MODULE));
	CU_ASSERT_TRUE(wanted_symbol("ns::f@libx.so.1", "ns::f[abi:a][abi:b]", NULL, MODULE));
	CU_ASSERT_TRUE(wanted_symbol("ns::f[abi:a]", "ns::f[abi:a](int)", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("f", "f[abi:a]]", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("f", "f[abi:]", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("", "[abi:a]", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("operator", "operator[](int)", NULL, MODULE));
}

/* Copies that compilers make of a function. */
static void test_clones(void)
{
	static const struct {
		const char *wanted, *name, *raw;
		bool is;
	} cases[] = {
		{ "f", "f.constprop.0", NULL, true },
		{ "f", "f.isra.12", NULL, true },
		{ "f", "f.part.0.cold", NULL, true },
		{ "f", "f.cold", NULL, true },
		{ "f", "f.constprop.0.isra.0", NULL, true },
		{ "f", "f.lto_priv.3", NULL, true },
		{ "f", "f.llvm.1234567890123", NULL, true },
		{ "f@libx.so.1", "f.cold.1", NULL, true },
		{ "f.constprop.0", "f.constprop.0", NULL, true },
		{ "f.part.0", "f.part.0.cold", NULL, false },
		{ "ns::f", "ns::f(int) [clone .isra.0]", "_ZN2ns1fEi.isra.0", true },
		{ "_ZN2ns1fEi", "ns::f(int) [clone .isra.0]", "_ZN2ns1fEi.isra.0", true },
		{ "g", "f.constprop.0", NULL, false },
		{ "f.", "f.constprop.0", NULL, false },
		{ "f", "f.0", NULL, false },
		{ "f", "f.constprops.0", NULL, false },
		{ "f", "fcold", NULL, false },
		{ "", ".cold", NULL, false },
		{ "f.constprop", "f.constprop.0", NULL, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_EQUAL(wanted_symbol(cases[i].wanted, cases[i].name, cases[i].raw, MODULE),
				cases[i].is);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "names", test_names },
		{ "clones", test_clones },
		{ NULL, NULL },
	};

	return unit_run("wanted", tests);
}
