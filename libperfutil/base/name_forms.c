/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/name_forms.h"

#include <ctype.h>
#include <string.h>

size_t name_without_parameters(const char *name)
{
	static const char *const words[] = { "operator()", "(anonymous namespace)" };
	const char *p = name;
	unsigned int deep = 0;

	for (; *p; p++) {
		size_t n = 0;

		for (int i = 0; i < 2 && !n; i++)
			n = strncmp(p, words[i], strlen(words[i])) ? 0 : strlen(words[i]);
		if (n) {
			p += n - 1;
			continue;
		}
		if (*p == '(' && !deep && p > name)
			break;
		deep += *p == '<';
		deep -= *p == '>' && deep;
	}
	return (size_t)(p - name);
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
