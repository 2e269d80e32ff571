/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads /proc/kallsyms ("address type name [module]") and /proc/modules ("name size refs deps state
 * address"). A later text adds modules loaded since; known symbols stay.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/kernel/kernel_inner.h"
#include "base/text.h"

static int add_symbol(struct kernel *k, const struct kernel_symbol *s)
{
	if (array_next(k->symbols, k->n_symbols, k->room_symbols))
		return -ENOMEM;
	k->symbols[k->n_symbols++] = *s;
	return 0;
}

/* Reads one line: 1: added, 0: not a symbol with an address, -ENOMEM. */
static int read_symbol(struct kernel *k, struct bytes line, struct kernel_part **last)
{
	struct kernel_symbol s = { .linked = false };
	const char *word, *name;
	size_t length, name_length;

	if (!text_number(&line, 16, &s.address) || !text_word(&line, &word, &length) ||
	    length != 1 || !text_word(&line, &name, &name_length) || !s.address)
		return 0;
	s.type = word[0];
	s.version = 0;
	s.part = k->image;
	if (text_word(&line, &word, &length)) {
		if (length < 3 || word[0] != '[' || word[length - 1] != ']')
			return 0;
		/* The lines of one module are consecutive. */
		s.part = *last;
		if (!s.part || strncmp(s.part->name, word + 1, length - 2) ||
		    s.part->name[length - 2])
			s.part = *last = kernel_part(k, word + 1, length - 2);
	}
	s.name = strings_intern(k->modules->strings, name, name_length);
	if (!s.part || !s.name || add_symbol(k, &s))
		return -ENOMEM;
	return 1;
}

int kernel_kallsyms(struct kernel *k, const char *text, size_t size)
{
	struct bytes b = bytes_of(text, size);
	uint32_t begin = k->n_symbols, i, kept;
	struct kernel_part *last = NULL;
	const char *line;
	size_t length, lines = 0;
	int r = 0;

	k->texts++;
	while (r >= 0 && bytes_line(&b, &line, &length)) {
		lines++;
		r = read_symbol(k, bytes_of(line, length), &last);
	}
	/* With only a part of the text, symbols would cover code after them. */
	if (r < 0) {
		k->n_symbols = begin;
		return r;
	}
	if (lines && k->n_symbols == begin)
		k->hidden = true;
	r = kernel_versions(k, begin);
	if (r)
		return r;
	for (i = kept = begin; i < k->n_symbols; i++)
		if (!k->symbols[i].part->drop)
			k->symbols[kept++] = k->symbols[i];
	if (kept != begin)
		k->dirty = true;
	k->n_symbols = kept;
	return 0;
}

static int read_module(struct kernel *k, struct bytes line)
{
	const char *name, *word;
	struct kernel_range range;
	size_t name_length, length;
	uint64_t size;
	int skip;

	if (!text_word(&line, &name, &name_length) || !bytes_skip(&line, 1) ||
	    !text_number(&line, 10, &size))
		return 0;
	for (skip = 0; skip < 3; skip++) /* refs deps state */
		if (!text_word(&line, &word, &length))
			return 0;
	if (!text_word(&line, &word, &length) || length < 3 || memcmp(word, "0x", 2))
		return 0;
	line = bytes_of(word + 2, length - 2);
	if (!text_number(&line, 16, &range.start) || !size)
		return 0;
	if (!range.start) {
		k->hidden_modules = true;
		return 0;
	}
	range.last = size - 1 > UINT64_MAX - range.start ? UINT64_MAX : range.start + (size - 1);
	range.snapshot = k->snapshot;
	range.part = kernel_part(k, name, name_length);
	if (!range.part || array_next(k->ranges, k->n_ranges, k->room_ranges))
		return -ENOMEM;
	k->ranges[k->n_ranges++] = range;
	if (!range.part->first_snapshot)
		range.part->first_snapshot = k->snapshot;
	k->dirty = true;
	return 0;
}

int kernel_modules(struct kernel *k, const char *text, size_t size)
{
	struct bytes b = bytes_of(text, size);
	const char *line;
	size_t length;

	k->snapshot++;
	while (bytes_line(&b, &line, &length)) {
		int r = read_module(k, bytes_of(line, length));

		if (r)
			return r;
	}
	return 0;
}
