/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drop_frames and keep_frames of a pprof profile: functions whose names match the first but not the
 * second are dropped with all that they called, as in pprof; frames before the first kept one stay,
 * so that no stack becomes empty.
 *
 * The expressions come from the file, so they are hostile input: those that make the regex
 * library's memory grow without bounds are refused, and the memory that it caches is freed from
 * time to time.
 */
#include "input/pprof/pprof_state.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPRESSION_MAX 4096
#define FRESH_AFTER    8192 /* characters compared before the memory is freed */

struct expression {
	char text[EXPRESSION_MAX + 8];
	regex_t compiled;
	bool used;
	size_t compared;
};

static bool compile(struct expression *e)
{
	e->used = !regcomp(&e->compiled, e->text, REG_EXTENDED | REG_NOSUB);
	e->compared = 0;
	return e->used;
}

/* Translates to "^(words)$" as a POSIX expression; its groups are not used for captures. */
static bool translate(struct bytes words, struct expression *e)
{
	const char *from = (const char *)words.base;
	size_t i, n = 0;

	if (words.size > EXPRESSION_MAX || memchr(from, 0, words.size) ||
	    memchr(from, '{', words.size))
		return false;
	n = (size_t)sprintf(e->text, "^(");
	for (i = 0; i < words.size; i++) {
		if (from[i] == '\\' && i + 1 < words.size) {
			if (from[i + 1] >= '0' && from[i + 1] <= '9')
				return false;
			e->text[n++] = from[i++];
		} else if (from[i] == '(' && i + 2 < words.size && from[i + 1] == '?') {
			if (from[i + 2] != ':')
				return false;
			e->text[n++] = '(';
			i += 2;
			continue;
		}
		e->text[n++] = from[i];
	}
	strcpy(e->text + n, ")$");
	return true;
}

/* Reads the expression of a field. false: invalid, with a fault. */
static bool take(struct pprof *p, uint32_t number, const char *name, struct expression *e)
{
	struct bytes b = bytes_of(p->data, p->size), words;
	struct protobuf_field f;
	uint64_t string = 0, at = 0;

	while (protobuf_next(&b, &f)) {
		if (f.number == number && !f.is_bytes) {
			string = f.value;
			at = b.at;
		}
	}
	words = pprof_string(p, string);
	if (!string || !words.size)
		return true;
	if (translate(words, e) && compile(e))
		return true;
	pprof_fault(p, at, "%s is not understood: no frames are left out", name);
	return false;
}

static bool matches(struct expression *e, const char *name)
{
	if (e->used && e->compared > FRESH_AFTER) {
		regfree(&e->compiled);
		compile(e);
	}
	e->compared += strlen(name);
	return e->used && !regexec(&e->compiled, name, 0, NULL, 0);
}

/* Removes a leading dot, and C++ arguments. */
static void simplify(char *name)
{
	static const char *const kept[] = { "(anonymous namespace)", "operator()" };
	char *p = name;
	size_t i;

	if (*p == '.')
		memmove(p, p + 1, strlen(p));
	for (; (p = strchr(p, '(')); p++) {
		if (!strncmp(p, kept[0], strlen(kept[0])))
			continue;
		i = (size_t)(p - name);
		if (i >= 8 && !strncmp(p - 8, kept[1], strlen(kept[1])))
			continue;
		*p = '\0';
		return;
	}
}

static bool is_dropped(const struct pprof *p, const struct pprof_code *c, struct expression *drop,
		       struct expression *keep)
{
	struct bytes b = pprof_part(p, p->functions.item[c->function].part);
	struct protobuf_field f;
	uint64_t words = 0;
	char name[4096];

	while (protobuf_next(&b, &f))
		words = f.number == FUNCTION_NAME ? f.value : words;
	if (!pprof_text(pprof_string(p, words), name, sizeof(name)))
		return false;
	simplify(name);
	return matches(drop, name) && !matches(keep, name);
}

/* Sets the first kept place of each location: the one after its outermost dropped place. */
static void find_kept(struct pprof *p, const bool *dropped)
{
	uint32_t l, i;

	for (l = 0; l < p->locations.count; l++) {
		for (i = p->first_place[l + 1]; i > p->first_place[l]; i--)
			if (p->place[i - 1].code != NO_KEY && dropped[p->place[i - 1].code])
				break;
		p->first_kept[l] = i;
	}
}

int pprof_read_drops(struct pprof *p)
{
	struct expression drop = { .used = false }, keep = { .used = false };
	bool *dropped = NULL;
	uint32_t i;
	int rc = 0;

	if (!take(p, PROFILE_DROP_FRAMES, "drop_frames", &drop) || !drop.used)
		return 0;
	if (take(p, PROFILE_KEEP_FRAMES, "keep_frames", &keep)) {
		dropped = calloc(p->codes + 1ul, sizeof(*dropped));
		p->first_kept = calloc(p->locations.count + 1ul, sizeof(*p->first_kept));
		rc = dropped && p->first_kept ? 0 : -ENOMEM;
		for (i = 0; !rc && i < p->codes; i++)
			dropped[i] = is_dropped(p, &p->code[i], &drop, &keep);
		if (!rc)
			find_kept(p, dropped);
	}
	if (drop.used)
		regfree(&drop.compiled);
	if (keep.used)
		regfree(&keep.compiled);
	free(dropped);
	return rc;
}

/* Searches from the root: the first location with dropped places whose caller is kept
 * completely. */
uint32_t pprof_dropped(const struct pprof *p, struct bytes b)
{
	uint32_t cut = NO_KEY, pending = NO_KEY, at = 0, location;
	struct protobuf_field f;
	uint64_t id;

	while (p->first_kept && protobuf_next(&b, &f)) {
		while (f.number == SAMPLE_LOCATION && protobuf_number(&f, &id)) {
			location = pprof_find(&p->locations, id);
			if (location == NO_KEY)
				continue;
			if (p->first_kept[location] != p->first_place[location]) {
				pending = at;
			} else if (pending != NO_KEY) {
				cut = pending;
				pending = NO_KEY;
			}
			at++;
		}
	}
	return cut;
}
