/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One scanner decodes the next character; each kind of output defines how to write it. */
#include "escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Decodes one character. Returns its length in bytes; *valid is false for a byte that does not
 * begin a UTF-8 character (overlong forms and surrogates are invalid). */
static size_t next_char(const char *s, uint32_t *code, bool *valid)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *p = (const uint8_t *)s;
	size_t n, i;

	*valid = true;
	*code = p[0];
	if (p[0] < 0x80)
		return 1;
	n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
	if (p[0] < 0xC2 || p[0] > 0xF4)
		goto bad;
	*code = p[0] & (0x7Fu >> n);
	for (i = 1; i < n; i++) { /* stops at the NUL: it is not a continuation byte */
		if ((p[i] & 0xC0) != 0x80)
			goto bad;
		*code = *code << 6 | (p[i] & 0x3Fu);
	}
	if (*code < least[n] || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF))
		goto bad;
	return n;
bad:
	*code = p[0];
	*valid = false;
	return 1;
}

/* Characters that move the cursor, change the terminal or reorder text around them. */
static bool harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
	       (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

/* Writes one character as text, at most 16 bytes, and returns their number. */
static size_t put_char(char *room, const char *s, size_t n, uint32_t code, bool valid)
{
	static const char hex[] = "0123456789abcdef";
	size_t i, w = 0;

	if (valid && code == '\\') {
		memcpy(room, "\\\\", 2);
		return 2;
	}
	if (valid && !harmful(code)) {
		memcpy(room, s, n);
		return n;
	}
	for (i = 0; i < n; i++) {
		uint8_t byte = (uint8_t)s[i];

		room[w++] = '\\';
		room[w++] = 'x';
		room[w++] = hex[byte >> 4];
		room[w++] = hex[byte & 15];
	}
	return w;
}

#define EACH(byte) (~0ull / 255 * (byte))

/* Returns non-zero if one of the eight bytes is 0. */
static uint64_t has_zero(uint64_t x)
{
	return (x - EACH(1)) & ~x & EACH(0x80);
}

/* Returns the number of leading bytes, of n, that are visible ASCII other than the backslash and
 * `also`: all of them, for most names. */
static size_t plain(const char *s, size_t n, char also)
{
	size_t i;
	uint64_t x;

	for (i = 0; i + sizeof(x) <= n; i += sizeof(x)) {
		memcpy(&x, s + i, sizeof(x));
		if ((x & EACH(0x80)) | ((x - EACH(0x20)) & ~x & EACH(0x80)) |
		    has_zero(x ^ EACH(0x7F)) | has_zero(x ^ EACH('\\')) |
		    has_zero(x ^ EACH((uint8_t)also)))
			break;
	}
	while (i < n && s[i] >= 0x20 && s[i] < 0x7F && s[i] != '\\' && s[i] != also)
		i++;
	return i;
}

size_t escape_plain(const char *name)
{
	return plain(name, strlen(name), '\\');
}

size_t escape_char(const char *text, size_t size, uint32_t *code)
{
	char one[5] = "";
	bool valid;

	/* Do not read past the end if the character is cut there. */
	memcpy(one, text, size < 4 ? size : 4);
	return next_char(one, code, &valid);
}

char *escape_into(char *room, size_t size, const char *name)
{
	char one[16];
	uint32_t code;
	size_t at = 0, n, w;
	bool valid;

	for (; *name; name += n) {
		n = next_char(name, &code, &valid);
		w = put_char(one, name, n, code, valid);
		if (w >= size - at)
			break;
		memcpy(room + at, one, w);
		at += w;
	}
	room[at] = '\0';
	return room;
}

char *escape_text(const char *name)
{
	size_t size = strlen(name) * 4 + 1;
	char *room = malloc(size), *fit;

	if (!room)
		return NULL;
	escape_into(room, size, name);
	fit = realloc(room, strlen(room) + 1);
	return fit ? fit : room;
}

void escape_print(FILE *out, const char *name)
{
	size_t n = escape_plain(name);
	char one[16];
	uint32_t code;
	bool valid;

	fwrite_unlocked(name, 1, n, out);
	for (name += n; *name; name += n) {
		n = next_char(name, &code, &valid);
		fwrite_unlocked(one, 1, put_char(one, name, n, code, valid), out);
	}
}

void escape_vprintf(FILE *out, const char *format, va_list args)
{
	char *raw, *text = NULL;
	bool line;
	size_t n;

	if (vasprintf(&raw, format, args) < 0)
		raw = NULL;
	n = strlen(format);
	line = n && format[n - 1] == '\n';
	if (raw && line)
		raw[strlen(raw) - 1] = '\0';
	if (raw)
		text = escape_text(raw);
	/* Write the line in one piece, so that lines of several programs do not mix on a
	 * terminal. */
	fprintf(out, "%s%s", text ? text : "(no memory)", line ? "\n" : "");
	free(text);
	free(raw);
}

void escape_printf(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	escape_vprintf(out, format, args);
	va_end(args);
}

void escape_json(FILE *out, const char *name)
{
	uint32_t code;
	bool valid;
	size_t n;

	putc('"', out);
	for (; *name; name += n) {
		n = next_char(name, &code, &valid);
		if (!valid)
			fprintf(out, "\\\\x%02x", code);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else if (harmful(code))
			fprintf(out, "\\u%04x", code);
		else
			fwrite(name, 1, n, out);
	}
	putc('"', out);
}

bool escape_is_plain(const char *name)
{
	size_t n = strlen(name);

	return plain(name, n, '"') == n;
}

/* Checks for the characters that begin a formula in spreadsheets, including the wide forms that
 * some locales accept. Tabs and line ends also do, but are escaped. */
static bool begins_formula(const char *name)
{
	static const char *const wide[] = { "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D",
					    "\xEF\xBC\xA0" }; /* = + - @ */

	name += strspn(name, " ");
	if (*name && strchr("=+-@", *name))
		return true;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (!strncmp(name, wide[i], strlen(wide[i])))
			return true;
	return false;
}

/* Accepts -5, +1.5, -1e-3, but not the other forms that strtod accepts (0x, inf, blanks). */
static bool plain_number(const char *s)
{
	static const char digits[] = "0123456789";
	size_t whole, part = 0;

	s += *s == '+' || *s == '-';
	whole = strspn(s, digits);
	s += whole;
	if (*s == '.') {
		part = strspn(++s, digits);
		s += part;
	}
	if (whole + part && (*s == 'e' || *s == 'E')) {
		s++;
		s += *s == '+' || *s == '-';
		whole = strspn(s, digits);
		s += whole;
		part = 0;
	}
	return whole + part && !*s;
}

void escape_csv(FILE *out, const char *name)
{
	bool formula = begins_formula(name) && !plain_number(name);
	bool quote = formula || name[strcspn(name, ",\"\r\n")] != '\0' || *name == ' ';
	char one[16];
	uint32_t code;
	bool valid;
	size_t n;

	if (quote)
		putc('"', out);
	if (formula)
		putc('\'', out);
	for (; *name; name += n) {
		n = next_char(name, &code, &valid);
		if (valid && code == '"')
			putc('"', out);
		fwrite(one, 1, put_char(one, name, n, code, valid), out);
	}
	if (quote)
		putc('"', out);
}
