/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings are looked up by pointer first, since names repeat, then by text. */
#include "export/texts.h"

#include <string.h>

#include "escape.h"

static uint64_t hash_text(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ull;

	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3ull;
	return hash_mix(h, 0);
}

uint32_t texts_add(struct texts *s, const char *text)
{
	uint64_t hash = hash_text(text);
	uint32_t i = keys_find(&s->by_text, hash, s->string, e, !strcmp(*e, text));
	char *copy;

	if (i != NO_KEY)
		return i;
	copy = strdup(text);
	if (!copy || keys_next(&s->by_text, hash, s->string, s->count, s->room)) {
		free(copy);
		return NO_KEY;
	}
	s->string[s->count] = copy;
	return s->count++;
}

uint32_t texts_name(struct texts *s, const char *name)
{
	uint64_t hash = hash_mix((uintptr_t)name, 1);
	struct texts_pointer new = { name, 0 };
	uint32_t i;
	char *text;

	if (!name)
		return 0;
	i = keys_find(&s->by_pointer, hash, s->pointer, e, e->name == name);
	if (i != NO_KEY)
		return s->pointer[i].number;
	text = escape_text(name);
	new.number = text ? texts_add(s, text) : NO_KEY;
	free(text);
	if (new.number == NO_KEY ||
	    keys_next(&s->by_pointer, hash, s->pointer, s->npointer, s->room_pointer))
		return NO_KEY;
	s->pointer[s->npointer++] = new;
	return new.number;
}

int texts_open(struct texts *s)
{
	*s = (struct texts){ 0 };
	return texts_add(s, "") == NO_KEY ? -ENOMEM : 0;
}

void texts_free(struct texts *s)
{
	uint32_t i;

	for (i = 0; i < s->count; i++)
		free(s->string[i]);
	free(s->string);
	free(s->pointer);
	keys_free(&s->by_text);
	keys_free(&s->by_pointer);
	*s = (struct texts){ 0 };
}
