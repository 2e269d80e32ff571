/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line consists of "27:", a count for each CPU of the first line, the chip, the line and its
 * trigger, and after two blanks the devices. Lines without a number (NMI, LOC …) are specific to
 * the architecture.
 */
#include "model/irq_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MOST_NUMBERS 65536 /* more lines mean a malformed file */

/* Skips blanks and one word. */
static const char *skip_word(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	while (p < end && *p != ' ')
		p++;
	return p;
}

static size_t count_words(const char *p, const char *end)
{
	size_t n = 0;
	bool inside = false;

	for (; p < end; p++) {
		n += *p != ' ' && !inside;
		inside = *p != ' ';
	}
	return n;
}

/* Returns the text after the last two blanks, or all of it. */
static const char *last_part(const char *p, const char *end)
{
	const char *q;

	while (p < end && *p == ' ')
		p++;
	for (q = end; q - p >= 2; q--) {
		if (q[-1] == ' ' && q[-2] == ' ')
			return q;
	}
	return p;
}

static int add(struct irq_names *n, uint32_t number, const char *from, const char *to)
{
	char *name;

	if (from >= to || n->count == MOST_NUMBERS || *irq_names_find(n, number))
		return 0;
	if (array_next(n->list, n->count, n->room))
		return -ENOMEM;
	name = strndup(from, (size_t)(to - from));
	if (!name)
		return -ENOMEM;
	n->list[n->count++] = (struct irq_named){ number, name };
	return 0;
}

static int read_line(struct irq_names *n, const char *p, const char *end, size_t cpus)
{
	uint32_t number = 0;

	while (p < end && *p == ' ')
		p++;
	if (p == end || !isdigit((unsigned char)*p))
		return 0;
	for (; p < end && isdigit((unsigned char)*p) && number < MOST_NUMBERS; p++)
		number = number * 10 + (uint32_t)(*p - '0');
	if (p == end || *p++ != ':')
		return 0;
	while (cpus--)
		p = skip_word(p, end);
	while (end > p && end[-1] == ' ')
		end--;
	return add(n, number, last_part(p, end), end);
}

int irq_names_read(struct irq_names *n, const char *text, size_t size)
{
	const char *end = text + size, *line = text, *to;
	size_t cpus = 0;
	int rc = 0;

	for (; line < end && !rc; line = to + 1) {
		to = memchr(line, '\n', (size_t)(end - line));
		if (!to)
			to = end;
		if (line == text)
			cpus = count_words(line, to);
		else
			rc = read_line(n, line, to, cpus);
	}
	return rc;
}

const char *irq_names_find(const struct irq_names *n, uint32_t number)
{
	size_t i;

	for (i = 0; i < n->count; i++) {
		if (n->list[i].number == number)
			return n->list[i].name;
	}
	return "";
}

void irq_names_free(struct irq_names *n)
{
	size_t i;

	for (i = 0; i < n->count; i++)
		free(n->list[i].name);
	free(n->list);
	*n = (struct irq_names){ 0 };
}
