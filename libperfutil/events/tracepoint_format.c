/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A format file has a line "ID: 443" and one line per field, in the order of the data: "
 * field:unsigned long args[6]; offset:16; size:48; signed:0;"
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/read_all.h"
#include "base/text.h"
#include "events/event_names.h"
#include "events/tracepoint_format.h"

#define FORMAT_BYTES (64 << 10) /* the kernel's longest one has about 5 KB */

static struct bytes next_line(struct bytes *text)
{
	const uint8_t *at = text->base + text->at;
	const uint8_t *end = memchr(at, '\n', bytes_left(text));
	size_t n = end ? (size_t)(end - at) : bytes_left(text);

	bytes_skip(text, end ? n + 1 : n);
	return bytes_of(at, n);
}

static bool take_word(struct bytes *b, const char *word)
{
	size_t n = strlen(word);

	if (n > bytes_left(b) || memcmp(b->base + b->at, word, n) != 0)
		return false;
	return bytes_skip(b, n);
}

/* "	NAME:NUMBER;" */
static bool take_property(struct bytes *b, const char *name, uint64_t *value)
{
	text_skip_blanks(b);
	return take_word(b, name) && text_char(b, ':') && text_number(b, 10, value) &&
	       text_char(b, ';');
}

static bool in_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Splits "unsigned long args[6]" into the name and the number of elements. */
static bool split(const char *text, size_t n, const char **name, size_t *length, uint64_t *count)
{
	*count = 1;
	if (n && text[n - 1] == ']') {
		size_t open = n - 1;
		struct bytes b;

		while (open && text[open] != '[')
			open--;
		b = bytes_of(text + open, n - open);
		if (!text_char(&b, '[') || !text_number(&b, 10, count) || !text_char(&b, ']'))
			return false;
		n = open;
	}
	*length = 0;
	while (*length < n && in_name(text[n - 1 - *length]))
		++*length;
	*name = text + n - *length;
	return *length != 0;
}

/* Parses the rest of a line after "field:". False: it has an unknown form. */
static bool take_field(struct bytes *line, const char **name, size_t *length,
		       struct tracepoint_place *place)
{
	const char *text = (const char *)line->base + line->at, *end;
	uint64_t offset, size, is_signed, count;

	end = memchr(text, ';', bytes_left(line));
	if (!end || !split(text, (size_t)(end - text), name, length, &count))
		return false;
	bytes_skip(line, (size_t)(end - text) + 1);
	if (!take_property(line, "offset", &offset) || !take_property(line, "size", &size) ||
	    !take_property(line, "signed", &is_signed))
		return false;
	if (!count || offset > UINT16_MAX || size > UINT16_MAX || size % count)
		return false;
	size /= count;
	*place = (struct tracepoint_place){
		.offset = (uint32_t)offset,
		.size = (uint32_t)size,
		.count = (uint32_t)count,
		.is_signed = is_signed != 0,
	};
	return size == 1 || size == 2 || size == 4 || size == 8;
}

int tracepoint_parse(const char *text, size_t size, const char *const *names, size_t n,
		     uint64_t *id, struct tracepoint_place *places)
{
	struct bytes all = bytes_of(text, size);
	bool has_id = false;

	memset(places, 0, n * sizeof(*places));
	while (bytes_left(&all)) {
		struct bytes line = next_line(&all);
		struct tracepoint_place place;
		const char *name;
		size_t length;

		text_skip_blanks(&line);
		if (take_word(&line, "ID:")) {
			text_skip_blanks(&line);
			has_id = text_number(&line, 10, id);
		}
		if (!take_word(&line, "field:") || !take_field(&line, &name, &length, &place))
			continue;
		for (size_t i = 0; i < n; i++)
			if (strlen(names[i]) == length && !memcmp(names[i], name, length))
				places[i] = place;
	}
	for (size_t i = 0; i < n; i++)
		if (!places[i].size)
			return -EBADMSG;
	return has_id ? 0 : -EBADMSG;
}

int tracepoint_read(const char *event, const char *const *names, size_t n, uint64_t *id,
		    struct tracepoint_place *places)
{
	int err = -ENOENT;

	for (int i = 0; i < 2; i++) {
		char path[512], *text;
		size_t size;
		int fd;

		snprintf(path, sizeof(path), "%s/events/%s/format", events_tracing[i], event);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			/* "Not readable" in one place takes precedence over "missing" in the
			 * other. */
			if (err != -EACCES)
				err = errno == EPERM ? -EACCES : -errno;
			continue;
		}
		err = read_all(fd, FORMAT_BYTES, &text, &size);
		close(fd);
		if (err)
			return err;
		err = tracepoint_parse(text, size, names, n, id, places);
		free(text);
		return err;
	}
	return err;
}

bool tracepoint_value(const struct tracepoint_place *p, uint32_t i, const void *data, size_t size,
		      int64_t *value)
{
	struct bytes b = bytes_of(data, size);

	*value = 0;
	if (!p->size || i >= p->count || !bytes_skip(&b, p->offset + (size_t)i * p->size))
		return false;
	switch (p->size) {
	case 1:
		*value = p->is_signed ? (int8_t)bytes_u8(&b) : bytes_u8(&b);
		break;
	case 2:
		*value = p->is_signed ? (int16_t)bytes_u16(&b) : bytes_u16(&b);
		break;
	case 4:
		*value = p->is_signed ? (int32_t)bytes_u32(&b) : (int64_t)bytes_u32(&b);
		break;
	default:
		*value = (int64_t)bytes_u64(&b);
	}
	return !b.bad;
}
