/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Java VMs, class files and heap dumps have text in modified UTF-8: a character beyond U+FFFF
 * consists of two surrogates of three bytes each. Here it becomes the four bytes of UTF-8.
 */
#ifndef JAVA_TEXT_H
#define JAVA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns whether the bytes are a surrogate of this kind (0xa: the first one of two, 0xb: the
 * second one), and its ten bits. */
static inline bool java_text_half(const unsigned char *p, unsigned int kind, uint32_t *bits)
{
	*bits = (uint32_t)(p[1] & 15) << 6 | (p[2] & 63);
	return p[0] == 0xed && p[1] >> 4 == kind && p[2] >> 6 == 2;
}

/* Converts n bytes in place. Returns how many are left; all else is unchanged. */
static inline size_t java_text_bytes(char *text, size_t n)
{
	unsigned char *from = n ? memchr(text, 0xed, n) : NULL, *to = from;
	const unsigned char *end = (unsigned char *)text + n;
	uint32_t high, low, code;

	if (!from)
		return n;
	while (from < end) {
		if (end - from < 6 || !java_text_half(from, 0xa, &high) ||
		    !java_text_half(from + 3, 0xb, &low)) {
			*to++ = *from++;
			continue;
		}
		code = 0x10000 + (high << 10) + low;
		*to++ = (unsigned char)(0xf0 | code >> 18);
		*to++ = (unsigned char)(0x80 | (code >> 12 & 63));
		*to++ = (unsigned char)(0x80 | (code >> 6 & 63));
		*to++ = (unsigned char)(0x80 | (code & 63));
		from += 6;
	}
	return (size_t)(to - (unsigned char *)text);
}

/* Does the same with a string, NULL too. */
static inline void java_text(char *text)
{
	if (text)
		text[java_text_bytes(text, strlen(text))] = 0;
}

#endif
