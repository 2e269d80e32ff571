/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Returns the next word without its quotes, in which \" is a quote; other backslashes belong to the
 * pattern. Returns NULL at the end, without memory, or with an error in `what`. */
static char *next_word(struct bytes *line, char what[128])
{
	char *word, *p;
	bool quoted;

	text_skip_blanks(line);
	if (!bytes_left(line))
		return NULL;
	word = p = calloc(1, bytes_left(line) + 1);
	if (!word)
		return NULL;
	quoted = text_char(line, '"');
	while (bytes_left(line)) {
		char c = (char)line->base[line->at];

		if (quoted ? c == '"' : text_is_blank((uint8_t)c))
			break;
		line->at++;
		if (quoted && c == '\\' && bytes_left(line)) {
			if (line->base[line->at] != '"')
				*p++ = c;
			c = (char)line->base[line->at++];
		}
		*p++ = c;
	}
	*p = '\0';
	if (quoted && !text_char(line, '"'))
		snprintf(what, 128, "a quote is not closed");
	else if (quoted && bytes_left(line) && !text_is_blank(line->base[line->at]))
		snprintf(what, 128, "a blank must follow the quote");
	else if (strlen(word) != (size_t)(p - word))
		snprintf(what, 128, "a NUL byte");
	if (!*what)
		return word;
	free(word);
	return NULL;
}

/* Parses 12 or 12.5: only digits and at most one point. */
static bool take_decimal(struct bytes *b, double *value)
{
	uint64_t whole, digits;
	double scale = 1;
	size_t begin;

	if (!text_number(b, 10, &whole))
		return false;
	*value = (double)whole;
	if (!text_char(b, '.'))
		return true;
	begin = b->at;
	if (!text_number(b, 10, &digits) || b->at - begin > 18)
		return false;
	for (; begin < b->at; begin++)
		scale *= 10;
	*value += (double)digits / scale;
	return true;
}

static bool ends_with(struct bytes *b, const char *end)
{
	return bytes_left(b) == strlen(end) && !memcmp(b->base + b->at, end, strlen(end));
}

static bool read_limit(struct budget_line *l, const char *word)
{
	static const struct {
		const char *end;
		double factor;
	} units[] = { { "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 } };
	struct bytes b = bytes_of(word, strlen(word));

	l->kind = LIMIT_BASE;
	if (!strcmp(word, "base"))
		return true;
	l->kind = LIMIT_PART;
	if (!take_decimal(&b, &l->limit))
		return false;
	if (ends_with(&b, "%")) {
		l->limit /= 100;
		return l->limit <= 1;
	}
	l->kind = LIMIT_NUMBER;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!ends_with(&b, units[i].end))
			continue;
		l->limit *= units[i].factor;
		return true;
	}
	return false;
}

static bool read_tolerance(struct budget_line *l, const char *word)
{
	struct bytes b = bytes_of(word, strlen(word));

	if (!take_decimal(&b, &l->tolerance))
		return false;
	l->errors = ends_with(&b, "se");
	if (!l->errors)
		l->tolerance /= 100;
	return l->errors || ends_with(&b, "%");
}

/* Parses EVENT:self; the event's name may contain colons. */
static int read_metric(struct budget_line *l, const char *word)
{
	const char *colon = strrchr(word, ':'), *metric = colon ? colon + 1 : word;

	l->total = !strcmp(metric, "total");
	if ((!l->total && strcmp(metric, "self") != 0) || colon == word)
		return -EINVAL;
	l->event = colon ? strndup(word, (size_t)(colon - word)) : NULL;
	return colon && !l->event ? -ENOMEM : 0;
}

/* Checks names separated by semicolons; none may be empty. Returns an error message or NULL. */
static const char *wrong_pattern(const char *pattern)
{
	uint32_t n = 1;

	for (const char *p = pattern; *p; p++)
		n += *p == ';';
	if (!*pattern || *pattern == ';' || strstr(pattern, ";;") ||
	    pattern[strlen(pattern) - 1] == ';')
		return "a pattern has no empty name";
	return n > BUDGET_CHAIN ? "a pattern of more than 64 names" : NULL;
}

static int read_words(struct budget_line *l, char *word[5], uint32_t n, char what[128])
{
	const char *wrong = n ? wrong_pattern(word[0]) : NULL;
	int rc;

	if (wrong) {
		snprintf(what, 128, "%s", wrong);
		return -EINVAL;
	}
	l->pattern = strdup(word[0]);
	if (!l->pattern)
		return -ENOMEM;
	if (n < 3 || n > 4) {
		snprintf(what, 128, "it has %s: PATTERN METRIC LIMIT [TOLERANCE] are expected%s",
			 n < 3 ? "too few words" : "more than four words",
			 n > 4 ? " (a pattern with blanks is quoted)" : "");
		return -EINVAL;
	}
	rc = read_metric(l, word[1]);
	if (rc == -EINVAL)
		snprintf(what, 128,
			 "invalid metric '%.40s': expected self, total, EVENT:self or EVENT:total",
			 word[1]);
	if (rc)
		return rc;
	if (!read_limit(l, word[2])) {
		snprintf(what, 128,
			 "invalid limit '%.40s': expected 120000, 1.5M, 30%%, base or the like",
			 word[2]);
		return -EINVAL;
	}
	if (n == 4 && !read_tolerance(l, word[3])) {
		snprintf(what, 128, "invalid tolerance '%.40s': expected 1%%, 3se or the like",
			 word[3]);
		return -EINVAL;
	}
	return 0;
}

static int read_line(struct budget *b, struct bytes line, uint32_t number, char what[128])
{
	char *word[5] = { NULL };
	uint32_t n = 0, i;
	int rc = 0;

	text_skip_blanks(&line);
	if (!bytes_left(&line) || line.base[line.at] == '#')
		return 0;
	if (b->count == BUDGET_LINES) {
		snprintf(what, 128, "more than %u budgets", BUDGET_LINES);
		return -EINVAL;
	}
	if (array_next(b->list, b->count, b->room))
		return -ENOMEM;
	while (n < 5 && (word[n] = next_word(&line, what)) != NULL)
		n++;
	text_skip_blanks(&line);
	if (*what)
		rc = -EINVAL;
	else if (n < 5 && bytes_left(&line))
		rc = -ENOMEM;
	b->list[b->count] = (struct budget_line){ .line = number };
	if (!rc)
		rc = read_words(&b->list[b->count], word, n, what);
	b->count++;
	for (i = 0; i < n; i++)
		free(word[i]);
	return rc;
}

int budget_read(struct budget *b, const char *text, size_t size, uint32_t *line, char what[128])
{
	struct bytes all = bytes_of(text, size);
	int rc = 0;

	*b = (struct budget){ NULL };
	*line = 0;
	*what = '\0';
	while (bytes_left(&all) && !rc) {
		const uint8_t *begin = all.base + all.at;
		const uint8_t *end = memchr(begin, '\n', bytes_left(&all));
		size_t length = end ? (size_t)(end - begin) : bytes_left(&all);

		bytes_skip(&all, length + (end != NULL));
		if (length && begin[length - 1] == '\r')
			length--;
		rc = read_line(b, bytes_of(begin, length), ++*line, what);
	}
	return rc;
}

void budget_free(struct budget *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		free(b->list[i].pattern);
		free(b->list[i].event);
	}
	free(b->list);
	*b = (struct budget){ NULL };
}

bool budget_needs_base(const struct budget *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		if (b->list[i].kind == LIMIT_BASE)
			return true;
	}
	return false;
}

bool budget_same_event(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

uint32_t budget_next_event(const struct budget *b, uint32_t from)
{
	uint32_t i, k;

	for (i = from; i < b->count; i++) {
		for (k = 0; k < i && !budget_same_event(b->list[k].event, b->list[i].event); k++)
			;
		if (k == i)
			break;
	}
	return i;
}
