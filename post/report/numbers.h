/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of reports that are as long as the trace: a large buffer, and numbers formatted here,
 * through a cursor that stays in a register. Write errors are reported when the file is closed.
 */
#ifndef POST_NUMBERS_H
#define POST_NUMBERS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_ROOM  (1u << 18)
#define NUMBERS_SPARE 1024 /* room for a line's fields besides its texts */

struct numbers {
	FILE *out;
	char *buffer;
	size_t used, room;
};

static inline void numbers_flush(struct numbers *n)
{
	if (n->used) /* no buffer before the first line */
		fwrite(n->buffer, 1, n->used, n->out);
	n->used = 0;
}

/* Returns the start of a line with `texts` bytes of text besides its numbers; NULL: no memory. End
 * the line with numbers_end(). */
static inline char *numbers_begin(struct numbers *n, size_t texts)
{
	size_t need = texts + NUMBERS_SPARE;

	if (__builtin_expect(need > n->room - n->used, 0)) {
		numbers_flush(n);
		if (need > n->room) {
			size_t room = need > NUMBERS_ROOM ? 2 * need : NUMBERS_ROOM;

			free(n->buffer);
			n->buffer = malloc(room);
			n->room = n->buffer ? room : 0;
		}
	}
	return n->buffer ? n->buffer + n->used : NULL;
}

static inline void numbers_end(struct numbers *n, const char *p)
{
	n->used = (size_t)(p - n->buffer);
}

static inline char *put_char(char *p, char c)
{
	*p = c;
	return p + 1;
}

static inline char *put_text(char *p, const char *text, size_t length)
{
	memcpy(p, text, length);
	return p + length;
}

static inline char *put_word(char *p, const char *word)
{
	return put_text(p, word, strlen(word));
}

static inline char *put_blanks(char *p, unsigned int n)
{
	memset(p, ' ', n);
	return p + n;
}

static inline char *put_decimal(char *p, uint64_t value, unsigned int width)
{
	char digits[20];
	unsigned int i = sizeof(digits), length;

	do {
		digits[--i] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	length = (unsigned int)sizeof(digits) - i;
	while (length < width--)
		*p++ = ' ';
	while (i < sizeof(digits))
		*p++ = digits[i++];
	return p;
}

static inline char *put_hex(char *p, uint64_t value, unsigned int width)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int length = value ? (67 - (unsigned int)__builtin_clzll(value)) / 4 : 1, i;

	while (length < width--)
		*p++ = ' ';
	for (i = length; i-- > 0; value >>= 4)
		p[i] = digits[value & 15];
	return p + length;
}

#endif
