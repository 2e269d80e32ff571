/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing JSON. Keys and values may hold anything; most keys are plain. */
#include "json.h"

#include <inttypes.h>
#include <string.h>

#include "escape.h"

#define SHORT   160 /* bytes of a member that is assembled in the room */
#define KEY_MAX 64

void json_begin(struct json *j, FILE *out, bool indent)
{
	/* Runs once for each of many short lines: do not clear the room. */
	j->out = out;
	j->indent = indent;
	j->as_doubles = false;
	j->depth = 0;
	j->more[0] = false;
	j->held = 0;
}

FILE *json_out(struct json *j)
{
	fwrite_unlocked(j->room, 1, j->held, j->out);
	j->held = 0;
	j->whole = false;
	return j->out;
}

void json_keep_begin(struct json *j)
{
	json_out(j);
	j->whole = true;
}

void json_keep_end(struct json *j, struct json_kept *kept)
{
	kept->size = j->whole && j->held <= JSON_KEPT ? j->held : 0;
	memcpy(kept->text, j->room, kept->size);
	j->whole = false;
}

bool json_again(struct json *j, const struct json_kept *kept)
{
	if (!kept->size)
		return false;
	if (j->held > JSON_ROOM - JSON_KEPT)
		json_out(j);
	/* The constant size lets the compiler inline the copy; the excess is overwritten later. */
	memcpy(j->room + j->held, kept->text, JSON_KEPT);
	j->held += kept->size;
	return true;
}

static void line(struct json *j)
{
	if (j->indent)
		fprintf(json_out(j), "\n%*s", j->depth, "");
}

static void member(struct json *j, const char *key)
{
	FILE *out = json_out(j);

	if (j->more[j->depth])
		putc(',', out);
	if (j->depth)
		line(j);
	j->more[j->depth] = true;
	if (!key)
		return;
	if (escape_is_plain(key))
		fprintf(out, "\"%s\"", key);
	else
		escape_json(out, key);
	fputs(j->indent ? ": " : ":", out);
}

static inline bool is_plain(char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/* Writes a member's key and returns the place for its value, or NULL if the member is not short,
 * the key is not plain or the output is indented. */
static inline char *begin_short(struct json *j, const char *key, size_t size)
{
	char *p, *end;

	if (j->indent || size > SHORT - KEY_MAX - 8)
		return NULL;
	if (j->held > JSON_ROOM - SHORT)
		json_out(j);
	p = j->room + j->held;
	if (j->more[j->depth])
		*p++ = ',';
	if (key) {
		/* For keys this short, a loop is cheaper than a call. */
		*p++ = '"';
		for (end = p + KEY_MAX; is_plain(*key) && p < end; key++)
			*p++ = *key;
		if (*key)
			return NULL;
		*p++ = '"';
		*p++ = ':';
	}
	j->more[j->depth] = true;
	return p;
}

static inline void end_short(struct json *j, const char *end)
{
	j->held = (size_t)(end - j->room);
}

static void hold(struct json *j, char c)
{
	if (j->held == JSON_ROOM)
		json_out(j);
	j->room[j->held++] = c;
}

static inline unsigned int digits_of(uint64_t value)
{
	static const uint64_t tens[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000ull,
	};
	/* 1233/4096 approximates log10(2): n is the number of digits or one less. */
	unsigned int n = (64u - (unsigned int)__builtin_clzll(value | 1)) * 1233 >> 12;

	return n + (value >= tens[n]);
}

/* Writes the decimal digits, two per division, and returns their number. */
static inline unsigned int decimal(char *to, uint64_t value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	unsigned int n = digits_of(value), i = n;

	for (; value >= 100; value /= 100) {
		i -= 2;
		memcpy(to + i, pairs + value % 100 * 2, 2);
	}
	if (value >= 10)
		memcpy(to, pairs + value * 2, 2);
	else
		*to = (char)('0' + value);
	return n;
}

static void nest(struct json *j, const char *key, char bracket)
{
	char *p = begin_short(j, key, 1);

	if (p) {
		*p++ = bracket;
		end_short(j, p);
	} else {
		member(j, key);
		putc(bracket, j->out);
	}
	if (j->depth < JSON_DEPTH - 1)
		j->depth++;
	j->more[j->depth] = false;
}

void json_object(struct json *j, const char *key)
{
	nest(j, key, '{');
}

void json_array(struct json *j, const char *key)
{
	nest(j, key, '[');
}

void json_end(struct json *j, char bracket)
{
	bool empty = !j->more[j->depth];

	j->depth--;
	if (!empty)
		line(j);
	hold(j, bracket);
	if (j->depth == 0)
		hold(j, '\n');
	if (j->depth == 0 || j->indent)
		json_out(j);
}

void json_string(struct json *j, const char *key, const char *value)
{
	size_t n = strlen(value);
	char *p = escape_is_plain(value) ? begin_short(j, key, n + 2) : NULL;

	if (p) {
		*p++ = '"';
		memcpy(p, value, n);
		p += n;
		*p++ = '"';
		end_short(j, p);
		return;
	}
	member(j, key);
	escape_json(j->out, value);
}

#define EXACT (1ull << 53) /* doubles represent every integer up to this one */

static void json_digits(struct json *j, const char *key, bool minus, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%s%" PRIu64, minus ? "-" : "", value);
	json_string(j, key, digits);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	char *p;

	if (j->as_doubles && value > EXACT) {
		json_digits(j, key, false, value);
		return;
	}
	p = begin_short(j, key, 20);
	if (p) {
		end_short(j, p + decimal(p, value));
		return;
	}
	member(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char *p;

	if (j->as_doubles && size > EXACT) {
		json_digits(j, key, value < 0, size);
		return;
	}
	p = begin_short(j, key, 21);
	if (p) {
		if (value < 0)
			*p++ = '-';
		end_short(j, p + decimal(p, size));
		return;
	}
	member(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_null(struct json *j, const char *key)
{
	member(j, key);
	fputs("null", j->out);
}

void json_bool(struct json *j, const char *key, bool value)
{
	const char *word = value ? "true" : "false";
	char *p = begin_short(j, key, 5);

	if (p) {
		memcpy(p, word, value ? 4 : 5);
		end_short(j, p + (value ? 4 : 5));
		return;
	}
	member(j, key);
	fputs(word, j->out);
}

void json_number(struct json *j, const char *key, const char *digits)
{
	member(j, key);
	fputs(digits, j->out);
}

void json_fixed(struct json *j, const char *key, double value, int digits)
{
	member(j, key);
	fprintf(j->out, "%.*f", digits, value);
}

void json_hex(struct json *j, const char *key, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	int length = value ? (67 - __builtin_clzll(value)) / 4 : 1;
	char *p = begin_short(j, key, 20);

	if (!p) {
		member(j, key);
		fprintf(j->out, "\"0x%" PRIx64 "\"", value);
		return;
	}
	memcpy(p, "\"0x", 3);
	p += 3;
	for (int i = length; i-- > 0; value >>= 4)
		p[i] = digits[value & 15];
	p[length] = '"';
	end_short(j, p + length + 1);
}

void json_document_element(struct json *j)
{
	json_object(j, NULL);
	json_uint(j, "json_version", JSON_VERSION);
}

void json_document(struct json *j, FILE *out, bool indent)
{
	json_begin(j, out, indent);
	json_document_element(j);
}
