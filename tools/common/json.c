/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing JSON. The keys are ours and plain; the values may hold anything. */
#include "json.h"

#include <inttypes.h>

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
	member(j, key);
	escape_json(j->out, value);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	member(j, key);
	fprintf(j->out, "%" PRIu64, value);
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
	member(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_fixed(struct json *j, const char *key, double value, int digits)
{
	member(j, key);
	fprintf(j->out, "%.*f", digits, value);
}

void json_hex(struct json *j, const char *key, uint64_t value)
{
	member(j, key);
	fprintf(j->out, "\"0x%" PRIx64 "\"", value);
}
