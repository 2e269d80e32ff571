/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "constants.h"

#define MOST 65535 /* indexes are below it */

/* Returns an entry's bytes after the tag; -1: a text, which contains its length; 0: unknown tag. */
static int size_of(uint8_t tag)
{
	static const int8_t sizes[] = {
		[CONSTANT_UTF8] = -1,          [CONSTANT_INTEGER] = 4,
		[CONSTANT_FLOAT] = 4,          [CONSTANT_LONG] = 8,
		[CONSTANT_DOUBLE] = 8,         [CONSTANT_CLASS] = 2,
		[CONSTANT_STRING] = 2,         [CONSTANT_FIELD] = 4,
		[CONSTANT_METHOD] = 4,         [CONSTANT_INTERFACE_METHOD] = 4,
		[CONSTANT_NAME_AND_TYPE] = 4,  [CONSTANT_METHOD_HANDLE] = 3,
		[CONSTANT_METHOD_TYPE] = 2,    [CONSTANT_DYNAMIC] = 4,
		[CONSTANT_INVOKE_DYNAMIC] = 4, [CONSTANT_MODULE] = 2,
		[CONSTANT_PACKAGE] = 2,
	};

	return tag < sizeof(sizes) ? sizes[tag] : 0;
}

int constants_read(struct constants *c, struct bytes *b)
{
	uint32_t i;

	*c = (struct constants){ .base = b->base };
	c->had = bytes_u16(b);
	if (!c->had)
		b->bad = true;
	c->at = calloc(c->had + 1, sizeof(*c->at));
	if (!c->at)
		return -ENOMEM;
	c->start = (uint32_t)b->at;
	for (i = 1; i < c->had && !b->bad; i++) {
		uint32_t at = (uint32_t)b->at;
		uint8_t tag = bytes_u8(b);
		int size = size_of(tag);

		if (!size) {
			b->at = at;
			b->bad = true;
			break;
		}
		bytes_skip(b, size > 0 ? (size_t)size : bytes_u16(b));
		c->at[i] = at;
		/* They use two numbers; the second one must exist, too. */
		if ((tag == CONSTANT_LONG || tag == CONSTANT_DOUBLE) && ++i == c->had) {
			b->at = at;
			b->bad = true;
		}
	}
	c->end = (uint32_t)b->at;
	c->count = c->had;
	return b->bad ? -EINVAL : 0;
}

void constants_free(struct constants *c)
{
	free(c->at);
	class_out_free(&c->added);
	*c = (struct constants){ 0 };
}

/* Returns the bytes after an entry's tag; NULL: not found, or another tag. */
static const uint8_t *entry(const struct constants *c, uint16_t number, uint8_t tag)
{
	if (number >= c->had || !c->at[number] || c->base[c->at[number]] != tag)
		return NULL;
	return c->base + c->at[number] + 1;
}

struct constant_text constants_utf8(const struct constants *c, uint16_t number)
{
	const uint8_t *p = entry(c, number, CONSTANT_UTF8);

	return p ? (struct constant_text){ (const char *)p + 2, class_u16(p) } :
		   (struct constant_text){ 0 };
}

struct constant_text constants_class(const struct constants *c, uint16_t number)
{
	const uint8_t *p = entry(c, number, CONSTANT_CLASS);

	return p ? constants_utf8(c, class_u16(p)) : (struct constant_text){ 0 };
}

bool constants_member(const struct constants *c, uint16_t number, struct constant_text *name,
		      struct constant_text *descriptor)
{
	static const uint8_t tags[] = { CONSTANT_FIELD, CONSTANT_METHOD, CONSTANT_INTERFACE_METHOD,
					CONSTANT_INVOKE_DYNAMIC, CONSTANT_DYNAMIC };
	const uint8_t *p = NULL;
	size_t i;

	for (i = 0; i < sizeof(tags) && !p; i++)
		p = entry(c, number, tags[i]);
	if (p)
		p = entry(c, class_u16(p + 2), CONSTANT_NAME_AND_TYPE);
	if (!p)
		return false;
	*name = constants_utf8(c, class_u16(p));
	*descriptor = constants_utf8(c, class_u16(p + 2));
	return name->text && descriptor->text;
}

bool constant_is(struct constant_text t, const char *text)
{
	return t.text && t.n == strlen(text) && !memcmp(t.text, text, t.n);
}

/* Appends a tag and returns the entry's number, or 0. */
static uint16_t add(struct constants *c, uint8_t tag)
{
	if (c->count >= MOST)
		return 0;
	class_out_u8(&c->added, tag);
	return c->added.failed ? 0 : (uint16_t)c->count++;
}

uint16_t constants_add_utf8(struct constants *c, const char *text)
{
	uint16_t number = add(c, CONSTANT_UTF8);

	if (number) {
		class_out_u16(&c->added, (uint16_t)strlen(text));
		class_out_bytes(&c->added, text, strlen(text));
	}
	return number;
}

uint16_t constants_add_integer(struct constants *c, uint32_t value)
{
	uint16_t number = add(c, CONSTANT_INTEGER);

	if (number)
		class_out_u32(&c->added, value);
	return number;
}

uint16_t constants_add_class(struct constants *c, const char *name)
{
	uint16_t text = constants_add_utf8(c, name), number = text ? add(c, CONSTANT_CLASS) : 0;

	if (number)
		class_out_u16(&c->added, text);
	return number;
}

/* Appends an entry that refers to two others. */
static uint16_t add_pair(struct constants *c, uint8_t tag, uint16_t first, uint16_t second)
{
	uint16_t number = first && second ? add(c, tag) : 0;

	if (number) {
		class_out_u16(&c->added, first);
		class_out_u16(&c->added, second);
	}
	return number;
}

uint16_t constants_add_method(struct constants *c, uint16_t class, const char *name,
			      const char *descriptor)
{
	uint16_t first = constants_add_utf8(c, name), second = constants_add_utf8(c, descriptor);

	return add_pair(c, CONSTANT_METHOD, class,
			add_pair(c, CONSTANT_NAME_AND_TYPE, first, second));
}

void constants_write(const struct constants *c, struct class_out *out)
{
	class_out_u16(out, (uint16_t)c->count);
	class_out_bytes(out, c->base + c->start, c->end - c->start);
	class_out_bytes(out, c->added.data, c->added.n);
	out->failed |= c->added.failed;
}
