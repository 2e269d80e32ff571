/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads declarations through the bounded cursor. */
#include "base/named.h"

#include <string.h>

#include "base/pattern.h"
#include "base/text.h"

#define UNIT_MAX 64 /* bytes of a unit; the value names of an enum may take the whole text */

static const struct {
	const char *word;
	enum named_kind kind;
} types[] = {
	{ "u8", NAMED_UNSIGNED },  { "u16", NAMED_UNSIGNED }, { "u32", NAMED_UNSIGNED },
	{ "u64", NAMED_UNSIGNED }, { "i8", NAMED_SIGNED },    { "i16", NAMED_SIGNED },
	{ "i32", NAMED_SIGNED },   { "i64", NAMED_SIGNED },   { "hex", NAMED_HEX },
	{ "ptr", NAMED_HEX },      { "bool", NAMED_BOOL },    { "f64", NAMED_DOUBLE },
	{ "enum", NAMED_ENUM },    { "str", NAMED_STRING },
};

static bool is_letter(uint8_t c)
{
	return (c | 0x20u) >= 'a' && (c | 0x20u) <= 'z';
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* As in C; event names may also contain characters that programs use as separators. */
static bool in_name(uint8_t c, bool first, bool event)
{
	return is_letter(c) || c == '_' ||
	       (!first && (is_digit(c) || (event && (c == '.' || c == '-'))));
}

const char *named_name_wrong(const char *name, size_t length)
{
	if (!length)
		return "an event without a name";
	if (length > PITRACE_NAMED_NAME)
		return "an event's name is longer than 64 bytes";
	for (size_t i = 0; i < length; i++)
		if (!in_name((uint8_t)name[i], !i, true))
			return "an event's name has letters, digits, _ . and -, and begins with a letter or _";
	return NULL;
}
_Static_assert(PITRACE_NAMED_NAME == 64, "the message");

static uint8_t next(const struct bytes *b)
{
	return bytes_left(b) ? b->base[b->at] : 0;
}

static const char *read_name(struct bytes *b, struct named_field *f)
{
	size_t begin = b->at;

	f->name = (const char *)b->base + begin;
	while (bytes_left(b) && in_name(next(b), b->at == begin, false))
		b->at++;
	if (b->at == begin)
		return "a field's name has letters, digits and _, and begins with a letter or _";
	if (b->at - begin > PITRACE_NAMED_NAME)
		return "a field's name is longer than 64 bytes";
	f->name_length = (uint16_t)(b->at - begin);
	return NULL;
}

static const char *read_type(struct bytes *b, struct named_field *f)
{
	size_t begin = b->at;

	f->type = (const char *)b->base + begin;
	while (is_letter(next(b)) || is_digit(next(b)))
		b->at++;
	f->type_length = (uint16_t)(b->at - begin);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i].word) == f->type_length &&
		    !memcmp(types[i].word, f->type, f->type_length)) {
			f->kind = types[i].kind;
			return NULL;
		}
	}
	b->at = begin;
	return "a type that is none of u8 to u64, i8 to i64, hex, ptr, bool, f64, enum, str";
}

/* Names of an enum's values; none may be empty. */
static bool has_values(const struct named_field *f)
{
	bool any = false;

	for (size_t i = 0; i < f->unit_length; i++) {
		uint8_t c = (uint8_t)f->unit[i];

		if (c == '|' ? !any : !in_name(c, false, true))
			return false;
		any = c != '|';
	}
	return any;
}

static const char *read_unit(struct bytes *b, struct named_field *f)
{
	size_t begin;

	text_skip_blanks(b);
	begin = b->at;
	f->unit = (const char *)b->base + begin;
	while (bytes_left(b) && next(b) != ',') {
		uint8_t c = next(b);

		if (c < ' ' || c > '~' || c == ':' || c == '"' || c == '\\')
			return "a unit has only printable ASCII characters, without : \" and \\";
		b->at++;
	}
	f->unit_length = (uint16_t)(b->at - begin);
	while (f->unit_length && f->unit[f->unit_length - 1] == ' ')
		f->unit_length--;
	if (f->kind != NAMED_ENUM && f->unit_length > UNIT_MAX) {
		b->at = begin;
		return "a unit of more than 64 bytes";
	}
	return NULL;
}
_Static_assert(UNIT_MAX == 64, "the message");

static const char *read_field(struct bytes *b, struct named_fields *all)
{
	struct named_field *f = &all->field[all->count];
	size_t begin;
	const char *why;

	text_skip_blanks(b);
	begin = b->at;
	why = read_name(b, f);
	if (why)
		return why;
	for (uint32_t i = 0; i < all->count; i++) {
		if (all->field[i].name_length == f->name_length &&
		    !memcmp(all->field[i].name, f->name, f->name_length)) {
			b->at = begin;
			return "two fields with the same name";
		}
	}
	if (!text_char(b, ':'))
		return "a field without a type: write name:type or name:type:unit";
	why = read_type(b, f);
	f->unit = f->type + f->type_length;
	f->unit_length = 0;
	if (!why && text_char(b, ':'))
		why = read_unit(b, f);
	if (why)
		return why;
	if (f->kind == NAMED_ENUM && !has_values(f))
		return "an enum needs the names of its values instead of a unit: idle|busy";
	text_skip_blanks(b);
	if (bytes_left(b) && next(b) != ',')
		return "a field is name:type or name:type:unit, followed by a comma or the end";
	all->count++;
	if (f->kind == NAMED_STRING)
		all->strs++;
	else
		all->ints++;
	return NULL;
}

const char *named_fields_wrong(const char *text, size_t length, struct named_fields *f, size_t *at)
{
	struct bytes b = bytes_of(text, length);
	const char *why = NULL;

	f->count = f->ints = f->strs = 0;
	*at = 0;
	if (length > PITRACE_NAMED_TEXT)
		return "fields of more than 2048 bytes of text";
	text_skip_blanks(&b);
	if (!bytes_left(&b))
		return NULL;
	do {
		*at = b.at;
		if (f->count == PITRACE_NAMED_FIELDS)
			return "more than 32 fields";
		why = read_field(&b, f);
	} while (!why && text_char(&b, ','));
	*at = b.at;
	return why;
}
_Static_assert(PITRACE_NAMED_TEXT == 2048 && PITRACE_NAMED_FIELDS == 32, "the message");

const char *named_value(const struct named_field *f, uint64_t value, size_t *length)
{
	const char *p = f->unit, *end = p + f->unit_length, *bar;

	for (; p < end; p = bar + 1) {
		bar = memchr(p, '|', (size_t)(end - p));
		if (!bar)
			bar = end;
		*length = (size_t)(bar - p);
		if (!value--)
			return p;
	}
	return NULL;
}

bool named_wanted(const char *patterns, const char *name)
{
	for (;;) {
		size_t length = strcspn(patterns, ",");

		if (pattern_fits(patterns, length, name))
			return true;
		patterns += length;
		if (!*patterns++)
			return false;
	}
}
