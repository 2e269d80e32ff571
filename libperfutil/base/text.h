/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads words and numbers of a text line through the bounded cursor. Blanks are spaces and tabs.
 * After a failure the position is that of the fault: use a line completely or not at all.
 */
#ifndef PITRACE_TEXT_H
#define PITRACE_TEXT_H

#include "base/cursor.h"

static inline bool text_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static inline void text_skip_blanks(struct bytes *b)
{
	while (bytes_left(b) && text_is_blank(b->base[b->at]))
		b->at++;
}

/* Consumes this character if it is next. */
static inline bool text_char(struct bytes *b, char c)
{
	if (!bytes_left(b) || b->base[b->at] != (uint8_t)c)
		return false;
	b->at++;
	return true;
}

/* Reads a number of this base (at most 16); false: no digits, or more than 64 bits. */
static inline bool text_number(struct bytes *b, unsigned int base, uint64_t *value)
{
	size_t begin = b->at;

	*value = 0;
	while (bytes_left(b)) {
		uint8_t c = b->base[b->at];
		unsigned int digit = 99;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (c | 0x20) - 'a' + 10;
		if (digit >= base)
			break;
		if (*value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
		b->at++;
	}
	return b->at != begin;
}

/* Returns the next word after blanks. */
static inline bool text_word(struct bytes *b, const char **word, size_t *length)
{
	size_t begin;

	text_skip_blanks(b);
	begin = b->at;
	*word = (const char *)b->base + begin;
	while (bytes_left(b) && !text_is_blank(b->base[b->at]))
		b->at++;
	*length = b->at - begin;
	return *length != 0;
}

#endif
