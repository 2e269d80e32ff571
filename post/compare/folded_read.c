/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/folded_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_all.h"
#include "base/regular.h"
#include "base/text.h"

/* Returns the next line without its newline; offsets stay relative to the whole text. */
static struct bytes next_line(struct bytes *text)
{
	const uint8_t *begin = text->base + text->at;
	const uint8_t *end = memchr(begin, '\n', bytes_left(text));
	size_t length = end ? (size_t)(end - begin) : bytes_left(text);
	struct bytes line = bytes_of(begin, length);

	bytes_skip(text, length + (end != NULL));
	while (line.size &&
	       (text_is_blank(line.base[line.size - 1]) || line.base[line.size - 1] == '\r'))
		line.size--;
	return line;
}

static bool is_comment(const struct bytes *line)
{
	return !line->size || line->base[0] == '#';
}

/* Removes the number at the end of the line. */
static bool take_number(struct bytes *line, uint64_t *value)
{
	size_t at = line->size;
	struct bytes number;

	while (at && !text_is_blank(line->base[at - 1]))
		at--;
	number = bytes_of(line->base + at, line->size - at);
	if (!at || !text_number(&number, 10, value) || bytes_left(&number))
		return false;
	while (at && text_is_blank(line->base[at - 1]))
		at--;
	line->size = at;
	return at;
}

bool folded_probe(const void *head, size_t size)
{
	struct bytes text = bytes_of(head, size), line;
	uint64_t value;

	while (bytes_left(&text)) {
		line = next_line(&text);
		/* A line that is not complete in the head may have its number later. */
		if (!is_comment(&line))
			return !memchr(line.base, '\0', line.size) &&
			       (text.base[text.at - 1] != '\n' || take_number(&line, &value));
	}
	return false;
}

static int wrong(struct pifile_fault *fault, size_t offset, const char *what)
{
	fault->offset = offset;
	snprintf(fault->what, sizeof(fault->what), "%s", what);
	return -EINVAL;
}

static bool is_hex(uint8_t c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Names are escaped as in our own output: \\ and \xNN. Backslashes of other tools stay as they
 * are. */
static size_t unescape(const uint8_t *from, size_t length, char *to)
{
	struct bytes digits;
	uint64_t value;
	size_t i, n = 0;

	for (i = 0; i < length; i++) {
		uint8_t c = from[i];

		if (c == '\\' && length - i > 3 && from[i + 1] == 'x' && is_hex(from[i + 2]) &&
		    is_hex(from[i + 3])) {
			digits = bytes_of(from + i + 2, 2);
			if (text_number(&digits, 16, &value))
				c = (uint8_t)value;
			i += 3;
		} else if (c == '\\' && length - i > 1 && from[i + 1] == '\\') {
			i++;
		}
		to[n++] = (char)c;
	}
	return n;
}

static int name_of_text(struct comparison *c, const uint8_t *text, size_t length, uint32_t *name)
{
	char *plain;
	int rc;

	if (!memchr(text, '\\', length))
		return comparison_name(c, (const char *)text, length, name);
	plain = malloc(length);
	if (!plain)
		return -ENOMEM;
	rc = comparison_name(c, plain, unescape(text, length, plain), name);
	free(plain);
	return rc;
}

static int add_line(struct comparison *c, uint32_t input, enum compare_key key, struct bytes line,
		    uint64_t value, size_t offset, struct pifile_fault *fault)
{
	bool outermost = memchr(line.base, ';', line.size) != NULL;
	uint32_t call = NO_KEY, name, depth = 0;
	int rc = 0;

	while (bytes_left(&line) && !rc) {
		const uint8_t *begin = line.base + line.at;
		const uint8_t *end = memchr(begin, ';', bytes_left(&line));
		size_t length = end ? (size_t)(end - begin) : bytes_left(&line);

		bytes_skip(&line, length + (end != NULL));
		depth++;
		if (!length)
			return wrong(fault, offset, "an empty name");
		if (outermost && depth == 1 && (key == BY_PATH || key == BY_NAME))
			continue;
		rc = name_of_text(c, begin, length, &name);
		if (!rc)
			rc = comparison_call(c, call, name, !outermost || depth > 1, &call);
	}
	if (!rc && call == NO_KEY)
		return wrong(fault, offset, "a process without any function");
	return rc ? rc : comparison_add(c, call, input, (int64_t)value);
}

int folded_text(struct comparison *c, uint32_t input, enum compare_key key, const char *text,
		size_t size, struct pifile_fault *fault)
{
	struct bytes all = bytes_of(text, size), line;
	uint64_t value, sum = 0;
	int rc = 0;

	while (bytes_left(&all) && !rc) {
		size_t offset = all.at;

		line = next_line(&all);
		if (is_comment(&line))
			continue;
		if (!take_number(&line, &value))
			return wrong(fault, offset,
				     "not a folded stack: names separated by semicolons, a blank, a number");
		if (value > INT64_MAX || sum + value > INT64_MAX)
			return wrong(fault, offset, "more than can be counted");
		sum += value;
		rc = add_line(c, input, key, line, value, offset, fault);
	}
	return rc;
}

int folded_file(struct comparison *c, uint32_t input, enum compare_key key, const char *path,
		const char *name, struct pifile_fault *fault)
{
	struct compared *in = &c->input[input];
	char *text = NULL;
	size_t size = 0;
	int fd = regular_open(path, 0, NULL);
	int rc = fd < 0 ? -errno : read_all(fd, FOLDED_MOST, &text, &size);

	if (fd >= 0)
		close(fd);
	in->unit = strdup("ticks");
	in->name = strdup(name);
	if (!rc && (!in->unit || !in->name))
		rc = -ENOMEM;
	if (!rc)
		rc = folded_text(c, input, key, text, size, fault);
	free(text);
	return rc;
}
