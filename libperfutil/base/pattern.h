/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Name patterns, wherever a user enters one: * matches any text, ? any character, and a backslash
 * quotes the next character. Brackets have no special meaning: C++ names contain them. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the pattern's next item if it matches this character; 0: it does not. */
static inline size_t pattern_step(const char *pattern, size_t length, char c)
{
	if (!length)
		return 0;
	if (*pattern == '\\' && length > 1)
		return pattern[1] == c ? 2 : 0;
	return *pattern == '?' || *pattern == c;
}

/* After a mismatch the last * takes one more character: any text that an earlier * could take, the
 * last one can take too. */
static inline bool pattern_fits(const char *pattern, size_t length, const char *name)
{
	size_t at = 0, star = SIZE_MAX, step;
	const char *since = NULL;

	while (*name) {
		if (at < length && pattern[at] == '*') {
			star = at++;
			since = name;
			continue;
		}
		step = pattern_step(pattern + at, length - at, *name);
		if (!step && star == SIZE_MAX)
			return false;
		if (step) {
			at += step;
			name++;
		} else {
			at = star + 1;
			name = ++since;
		}
	}
	while (at < length && pattern[at] == '*')
		at++;
	return at == length;
}

#endif
