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

/* Operators whose signs are no brackets, functions within others, Go's methods. */
static void test_brackets(void)
{
	static const struct {
		const char *wanted, *name;
		bool is;
	} cases[] = {
		{ "operator<<", "operator<<(std::ostream&, A const&)", true },
		{ "A::operator<", "A::operator<(A const&) const", true },
		{ "A::operator<=>", "A::operator<=>(A const&) const", true },
		{ "A::operator->", "A::operator->()", true },
		{ "A::operator-", "A::operator->()", false },
		{ "std::operator<< <char>", "std::operator<< <char>(std::ostream&, char)", true },
		{ "sort<A::operator->>", "sort<A::operator->>(A*)", true },
		{ "my_operator<int>", "my_operator<int>(int)", true },
		{ "f<A->b>", "f<A->b>(int)", true },
		{ "f", "f(int)::{lambda(char)#1}::operator()(char) const", false },
		{ "f(int)::{lambda(char)#1}::operator()",
		  "f(int)::{lambda(char)#1}::operator()(char) const", true },
		{ "f", "f(int)::local::g(int)", false },
		{ "f(int)::local::g", "f(int)::local::g(int)", true },
		{ "f(int) const::local::g", "f(int) const::local::g(int)", true },
		{ "f", "f(int)::'lambda'(char)::operator()(char) const", false },
		{ "main::{lambda", "main::{lambda(int)#1}::operator()(int) const", false },
		{ "main.", "main.(*T).Name", false },
		{ "main.(*T).Name", "main.(*T).Name", true },
		{ "a/B.main", "a/B.main([Ljava/lang/String;)V", true },
		{ "a/B.<init>", "a/B.<init>(I)V", true },
		{ "f", "f(int", true },
		{ "f(*", "f(int)", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_EQUAL(wanted_symbol(cases[i].wanted, cases[i].name, NULL, MODULE),
				cases[i].is);
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
		{ "brackets", test_brackets },
		{ "clones", test_clones },
		{ NULL, NULL },
	};

	return unit_run("wanted", tests);
}
