/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses ARGUMENTS=. */
#include "asked_value.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define KNOWN true
#else
#define KNOWN false
#endif
#define FORMATS "iuxcsf"

static const char *take_format(struct asked_value *a, const char *text, const char *end)
{
	unsigned long bits;
	char *rest;

	if (text == end)
		return NULL;
	if (*text++ != '/' || text == end || !strchr(FORMATS, *text))
		return "a format is /i, /u, /x, /c, /s or /f";
	a->format = *text++;
	a->bits = a->format == 'c' ? 8 : a->format == 's' || a->format == 'f' ? 64 : 32;
	if (text == end)
		return NULL;
	bits = isdigit((unsigned char)*text) && !strchr("cs", a->format) ?
		       strtoul(text, &rest, 10) :
		       0;
	if (!bits || rest != end)
		bits = 0;
	if (a->format == 'f' && bits != 32 && bits != 64)
		return "a floating-point number has 32 or 64 bits";
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return "a number has 8, 16, 32 or 64 bits";
	a->bits = (uint8_t)bits;
	return NULL;
}

/* The number after a word; *rest: the text after it. 0: no valid number. */
static uint8_t take_which(const char *text, const char *end, const char **rest)
{
	unsigned int n = 0;

	for (; text < end && isdigit((unsigned char)*text) && n <= ASKED_NUMBER; text++)
		n = n * 10 + (unsigned int)(*text - '0');
	*rest = text;
	return n <= ASKED_NUMBER ? (uint8_t)n : 0;
}

static const char *take(struct asked_value *a, const char *text, const char *end)
{
	const char *at = memrchr(text, '@', (size_t)(end - text)), *word = at ? at + 1 : NULL;

	*a = (struct asked_value){ .name = text };
	if (!at || at == text)
		return "NAME@argN[/FORMAT] or NAME@retval[/FORMAT] is needed";
	a->length = (size_t)(at - text);
	if (end - word >= 6 && !memcmp(word, "retval", 6)) {
		a->what = ASKED_RESULT;
		return take_format(a, word + 6, end);
	}
	if (end - word > 2 && !memcmp(word, "fp", 2)) {
		a->what = ASKED_FLOAT;
		a->format = 'f';
		a->bits = 64;
		word += 2;
	}
	if (end - word < 4 || memcmp(word, "arg", 3) != 0)
		return "NAME@argN[/FORMAT] or NAME@retval[/FORMAT] is needed";
	a->number = take_which(word + 3, end, &word);
	if (!a->number)
		return "arguments are arg1 to arg32";
	if (a->what == ASKED_FLOAT && a->number > VECTORS)
		return "arguments in vector registers are fparg1 to fparg8";
	return take_format(a, word, end);
}

const char *asked_values(const char *text, struct asked_value asked[ASKED_MOST], uint32_t *count)
{
	const char *why = KNOWN ? NULL : "supported only on x86-64", *end;

	*count = 0;
	for (const char *p = text; p && !why; p = *end ? end + 1 : NULL) {
		end = strchrnul(p, '+');
		why = *count == ASKED_MOST ? "at most 32 values" : take(&asked[*count], p, end);
		*count += !why;
	}
	return why;
}
