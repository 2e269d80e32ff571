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
	CU_ASSERT_TRUE(wanted_symbol("ns::f", "ns::f[abi:cxx11](int)", NULL, MODULE));
	CU_ASSERT_TRUE(wanted_symbol("ns::f@libx.so.1", "ns::f[abi:a][abi:b]", NULL, MODULE));
	CU_ASSERT_TRUE(wanted_symbol("ns::f[abi:a]", "ns::f[abi:a](int)", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("f", "f[abi:a]]", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("f", "f[abi:]", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("", "[abi:a]", NULL, MODULE));
	CU_ASSERT_FALSE(wanted_symbol("operator", "operator[](int)", NULL, MODULE));
}

int main(void)
{
	static const struct unit_test tests[] = { { "names", test_names }, { NULL, NULL } };

	return unit_run("wanted", tests);
}
