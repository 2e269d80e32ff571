/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names may contain an @. */
#include "model/wanted.h"

#include <ctype.h>
#include <string.h>

#include "base/pattern.h"

bool wanted_is(const char *wanted, const char *name, size_t length, const char *module)
{
	const char *at = strrchr(wanted, '@'), *slash = strrchr(module, '/');

	if (strlen(wanted) == length && !memcmp(wanted, name, length))
		return true;
	return at && length == (size_t)(at - wanted) && !memcmp(wanted, name, length) &&
	       (!strcmp(module, at + 1) || (slash && !strcmp(slash + 1, at + 1)));
}

/* Returns the length of "ns::f<int>" in "ns::f<int>(char, g(*)()) const": up to the parenthesis
 * outside of templates. */
static size_t without_parameters(const char *name)
{
	const char *call = strstr(name, "operator()"), *p = name;
	unsigned int deep = 0;

	for (; *p; p++) {
		if (p == call) {
			p += strlen("operator()") - 1;
			continue;
		}
		if (*p == '(' && !deep && p > name)
			break;
		deep += *p == '<';
		deep -= *p == '>' && deep;
	}
	return (size_t)(p - name);
}

/* Returns the length of "ns::f" in "ns::f[abi:cxx11]", a suffix that g++ adds. */
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

/* Returns the length of "f" in "f.constprop.0" or "f.part.0.cold": suffixes of compiler-made
 * clones. */
static size_t without_clones(const char *name, size_t length)
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
		i = (size_t)-1; /* a clone of a clone */
	}
	return length;
}

size_t wanted_form(const char *name, enum wanted_form form)
{
	size_t length = form == WANTED_WHOLE ? strlen(name) : without_parameters(name);

	return form == WANTED_BARE ? without_tags(name, without_clones(name, length)) : length;
}

bool wanted_symbol(const char *wanted, const char *name, const char *raw, const char *module)
{
	for (enum wanted_form form = 0; form < WANTED_FORMS; form++)
		if (wanted_is(wanted, name, wanted_form(name, form), module))
			return true;
	return (raw && (wanted_is(wanted, raw, strlen(raw), module) ||
			wanted_is(wanted, raw, without_clones(raw, strlen(raw)), module))) ||
	       (strpbrk(wanted, "*?") && (pattern_fits(wanted, strlen(wanted), name) ||
					  (raw && pattern_fits(wanted, strlen(wanted), raw))));
}
