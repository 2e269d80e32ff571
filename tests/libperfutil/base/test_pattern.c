// SPDX-License-Identifier: GPL-3.0-or-later
/* Patterns of names: each kind of character, compared with fnmatch() for random ones, and the steps
 * that a hostile one takes. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "unit.h"

static bool fits(const char *pattern, const char *name)
{
	return pattern_fits(pattern, strlen(pattern), name);
}

static void test_kinds(void)
{
	static const struct {
		const char *pattern, *name;
		bool fits;
	} list[] = {
		{ "f", "f", true },
		{ "f", "fg", false },
		{ "f*", "fg", true },
		{ "*", "", true },
		{ "f?", "f", false },
		{ "f?", "fg", true },
		{ "*ab*ab", "abab", true },
		{ "*ab*ab", "aab", false },
		{ "a\\*", "a*", true },
		{ "a\\*", "ab", false },
		{ "a\\?c", "a?c", true },
		{ "\\\\", "\\", true },
		{ "\\", "\\", true },
		{ "a*b*c", "a1b2b3c", true },
		{ "", "a", false },
		{ "", "", true },
		{ "operator[]*", "operator[](int)", true },
		{ "[ab]", "a", false },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		CU_ASSERT_EQUAL(fits(list[i].pattern, list[i].name), list[i].fits);
	/* Part of a longer text. */
	CU_ASSERT(pattern_fits("ab*,c", 3, "abc"));
	CU_ASSERT(!pattern_fits("ab*,c", 2, "abc"));
}

static void random_text(char *out, size_t most, const char *letters)
{
	size_t n = (size_t)rand() % most;

	for (size_t i = 0; i < n; i++)
		out[i] = letters[(size_t)rand() % strlen(letters)];
	out[n] = 0;
}

static void test_as_fnmatch(void)
{
	char pattern[10], name[14];
	unsigned int matched = 0;

	srand(7);
	for (int i = 0; i < 200000; i++) {
		random_text(pattern, sizeof(pattern), "aab*?*");
		random_text(name, sizeof(name), "aab");
		CU_ASSERT_EQUAL(fits(pattern, name), !fnmatch(pattern, name, 0));
		matched += fits(pattern, name);
	}
	CU_ASSERT(matched > 20000 && matched < 180000);
}

/* A thousand stars against a long name end at once. */
static void test_hostile(void)
{
	char pattern[2003], name[100001];

	for (int i = 0; i < 1000; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	memcpy(pattern + 2000, "*b", 3);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	CU_ASSERT(!fits(pattern, name));
}

static const struct unit_test tests[] = {
	{ "kinds", test_kinds },
	{ "as_fnmatch", test_as_fnmatch },
	{ "hostile", test_hostile },
	{ 0 },
};

int main(void)
{
	return unit_run("pattern", tests);
}
