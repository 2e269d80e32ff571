/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/name_forms.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool of_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t operator_name(const char *begin, const char *p, const char *end)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "<<", ">>",
					     "<=",  ">=",  "->",  "()",  "<",  ">" };
	static const char word[] = "operator";
	const size_t n = sizeof(word) - 1;

	if ((size_t)(end - p) <= n || memcmp(p, word, n) || (p > begin && of_identifier(p[-1])))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		size_t length = strlen(signs[i]);

		if ((size_t)(end - p) >= n + length && !memcmp(p + n, signs[i], length))
			return n + length;
	}
	return 0;
}

size_t name_word(const char *begin, const char *p, const char *end)
{
	static const char anonymous[] = "(anonymous namespace)";
	const size_t n = sizeof(anonymous) - 1;

	if (*p == 'o')
		return operator_name(begin, p, end);
	return *p == '(' && (size_t)(end - p) >= n && !memcmp(p, anonymous, n) ? n : 0;
}

/* Decides whether brackets that end before p are parameters of the whole name: they are not in
 * "f(int)::{lambda()#1}", nor in Go's "main.(*T).Name". */
static bool ends_parameters(const char *p)
{
	return *p != '.' && strncmp(p, "::", 2) != 0;
}

static bool opens(char c)
{
	return c == '<' || c == '(' || c == '{';
}

/* Not the ">" of "->". */
static bool closes(const char *p)
{
	return *p == ')' || *p == '}' || (*p == '>' && p[-1] != '-');
}

size_t name_without_parameters(const char *name)
{
	const char *end = name + strlen(name), *open = NULL, *found = NULL;
	unsigned int deep = 0;

	for (const char *p = name; p < end; p++) {
		size_t n = name_word(name, p, end);

		if (n) {
			p += n - 1;
		} else if (opens(*p)) {
			if (*p == '(' && !deep && p > name)
				open = p;
			deep++;
		} else if (deep && closes(p)) {
			deep--;
			if (!deep && open && ends_parameters(p + 1))
				found = open;
			if (!deep)
				open = NULL;
		}
	}
	/* The brackets of a pattern may be open: "f(*". */
	if (open)
		found = open;
	return (size_t)((found ? found : end) - name);
}

/* "ns::f" of "ns::f[abi:cxx11]", which g++ adds for itself. */
static size_t without_tags(const char *name, size_t length)
{
	static const char tag[] = "[abi:";

	while (length && name[length - 1] == ']') {
		size_t at = length - 1;

		while (at && name[at] != '[' && name[at - 1] != ']')
			at--;
		if (!at || length - at <= sizeof(tag) ||
		    memcmp(name + at, tag, sizeof(tag) - 1) != 0)
			break;
		length = at;
	}
	return length;
}

size_t name_without_copies(const char *name, size_t length)
{
	static const char *const clones[] = {
		".constprop", ".isra",       ".part",  ".cold",
		".lto_priv",  ".localalias", ".clone", ".llvm",
	};

	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++) {
		size_t n = strlen(clones[i]), at = length;

		while (at && isdigit((unsigned char)name[at - 1]))
			at--;
		if (at < length && at && name[at - 1] == '.')
			at--;
		else
			at = length;
		if (at <= n || memcmp(name + at - n, clones[i], n) != 0)
			continue;
		length = at - n;
		i = (size_t)-1; /* a copy of a copy */
	}
	return length;
}

size_t name_bare(const char *name)
{
	return without_tags(name, name_without_copies(name, name_without_parameters(name)));
}
