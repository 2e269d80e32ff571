/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing JSON. The keys are ours and plain; the values may hold anything. */
#include "json.h"

#include <inttypes.h>
#include <string.h>

#include "escape.h"

void json_begin(struct json *j, FILE *out, bool indent)
{
	*j = (struct json){ .out = out, .indent = indent };
}

static void line(struct json *j)
{
	if (j->indent)
		fprintf(j->out, "\n%*s", j->depth, "");
}

static void member(struct json *j, const char *key)
{
	if (j->more[j->depth])
		putc(',', j->out);
	if (j->depth)
		line(j);
	j->more[j->depth] = true;
	if (key)
		fprintf(j->out, "\"%s\":%s", key, j->indent ? " " : "");
}

/* Lines of records are as many as these: a member is put together here and written at once. */
#define ROOM	160
#define KEY_MAX	64

/* A short member's begin, as it stands behind others on its line. */
static char *begin_short(struct json *j, const char *key, char *p)
{
	size_t n = key ? strlen(key) : 0;

	if (j->more[j->depth])
		*p++ = ',';
	j->more[j->depth] = true;
	if (key) {
		*p++ = '"';
		memcpy(p, key, n);
		p += n;
		*p++ = '"';
		*p++ = ':';
	}
	return p;
}

static bool is_short(const struct json *j, const char *key)
{
	return !j->indent && (!key || strlen(key) < KEY_MAX);
}

static void write_short(struct json *j, const char *room, const char *end)
{
	fwrite_unlocked(room, 1, (size_t)(end - room), j->out);
}

static void nest(struct json *j, const char *key, char bracket)
{
	member(j, key);
	putc(bracket, j->out);
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
	putc(bracket, j->out);
	if (j->depth == 0)
		putc('\n', j->out);
}

void json_string(struct json *j, const char *key, const char *value)
{
	size_t n = strlen(value);
	char room[ROOM], *p;

	if (is_short(j, key) && n < ROOM - KEY_MAX - 8 && escape_is_plain(value)) {
		p = begin_short(j, key, room);
		*p++ = '"';
		memcpy(p, value, n);
		p[n] = '"';
		write_short(j, room, p + n + 1);
		return;
	}
	member(j, key);
	escape_json(j->out, value);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	char room[ROOM], digits[20], *p;
	unsigned int i = sizeof(digits);

	if (!is_short(j, key)) {
		member(j, key);
		fprintf(j->out, "%" PRIu64, value);
		return;
	}
	p = begin_short(j, key, room);
	do {
		digits[--i] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	memcpy(p, digits + i, sizeof(digits) - i);
	write_short(j, room, p + sizeof(digits) - i);
}

void json_int(struct json *j, const char *key, int64_t value)
{
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
	char room[ROOM], *p;

	if (!is_short(j, key)) {
		member(j, key);
		fputs(value ? "true" : "false", j->out);
		return;
	}
	p = begin_short(j, key, room);
	memcpy(p, value ? "true" : "false", 5);
	write_short(j, room, p + (value ? 4 : 5));
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
	char room[ROOM], *p;

	if (!is_short(j, key)) {
		member(j, key);
		fprintf(j->out, "\"0x%" PRIx64 "\"", value);
		return;
	}
	p = begin_short(j, key, room);
	memcpy(p, "\"0x", 3);
	p += 3;
	for (int i = length; i-- > 0; value >>= 4)
		p[i] = digits[value & 15];
	p[length] = '"';
	write_short(j, room, p + length + 1);
}
