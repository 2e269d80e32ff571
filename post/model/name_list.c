/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/name_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/pattern.h"

#define ANSWERS     65536 /* maximum number of cached results */
#define FEW         8     /* so few patterns are compared each time, without a cache */
#define ANSWER_MOST 4096  /* maximum bytes of a cached name */

struct name_list {
	const char *text;
	struct part {
		const char *text;
		size_t n;
	} * literal, *pattern;
	uint32_t literals, patterns, literal_room, pattern_room;
	struct keys by_literal;
	struct answer {
		char *name;
		size_t n;
		bool is;
	} * answer;
	uint32_t answers, answer_room;
	struct keys by_answer;
};

static uint64_t hash_of(const char *text, size_t n)
{
	uint64_t hash = n, word;

	for (; n >= sizeof(word); text += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = hash_mix(hash, word);
	}
	word = 0;
	memcpy(&word, text, n);
	return hash_mix(hash, word);
}

static bool is_literal(const char *text, size_t n)
{
	return !memchr(text, '*', n) && !memchr(text, '?', n) && !memchr(text, '\\', n);
}

static uint32_t find_literal(const struct name_list *l, const char *name, size_t n)
{
	return keys_find(&l->by_literal, hash_of(name, n), l->literal, e,
			 e->n == n && !memcmp(e->text, name, n));
}

static int add_literal(struct name_list *l, struct part part)
{
	int rc;

	if (find_literal(l, part.text, part.n) != NO_KEY)
		return 0;
	rc = keys_next(&l->by_literal, hash_of(part.text, part.n), l->literal, l->literals,
		       l->literal_room);
	if (!rc)
		l->literal[l->literals++] = part;
	return rc;
}

static int add_pattern(struct name_list *l, struct part part)
{
	if (array_next(l->pattern, l->patterns, l->pattern_room))
		return -ENOMEM;
	l->pattern[l->patterns++] = part;
	return 0;
}

static int add_parts(struct name_list *l)
{
	const char *p = l->text;
	int rc;

	rc = add_literal(l, (struct part){ p, strlen(p) });
	while (!rc) {
		struct part part = { p, strcspn(p, ",") };

		rc = is_literal(part.text, part.n) ? add_literal(l, part) : add_pattern(l, part);
		p += part.n;
		if (!*p++)
			break;
	}
	return rc;
}

struct name_list *name_list_of(const char *text)
{
	struct name_list *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->text = text;
	if (!add_parts(l))
		return l;
	name_list_free(l);
	return NULL;
}

static bool fits(const struct name_list *l, const char *name, size_t n)
{
	for (uint32_t i = 0; i < l->patterns; i++) {
		const struct part *p = &l->pattern[i];

		if (pattern_fits(p->text, p->n, name) || (p->n == n && !memcmp(p->text, name, n)))
			return true;
	}
	return false;
}

/* Without memory the result is not cached. */
static void keep(struct name_list *l, const char *name, size_t n, bool is)
{
	char *copy = l->answers < ANSWERS && n <= ANSWER_MOST ? strndup(name, n) : NULL;

	if (copy &&
	    !keys_next(&l->by_answer, hash_of(name, n), l->answer, l->answers, l->answer_room))
		l->answer[l->answers++] = (struct answer){ copy, n, is };
	else
		free(copy);
}

bool name_list_has(struct name_list *l, const char *name)
{
	size_t n = l ? strlen(name) : 0;
	uint32_t i;
	bool is;

	if (!l || find_literal(l, name, n) != NO_KEY)
		return true;
	if (l->patterns <= FEW)
		return fits(l, name, n);
	i = keys_find(&l->by_answer, hash_of(name, n), l->answer, e,
		      e->n == n && !memcmp(e->name, name, n));
	if (i != NO_KEY)
		return l->answer[i].is;
	is = fits(l, name, n);
	keep(l, name, n, is);
	return is;
}

bool name_list_names(const struct name_list *l, const char *name, size_t length)
{
	return find_literal(l, name, length) != NO_KEY;
}

void name_list_free(struct name_list *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->answers; i++)
		free(l->answer[i].name);
	free(l->answer);
	free(l->literal);
	free(l->pattern);
	keys_free(&l->by_literal);
	keys_free(&l->by_answer);
	free(l);
}
