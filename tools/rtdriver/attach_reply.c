/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "attach_reply.h"

#include <string.h>

#include "base/text.h"

#define RETURNED "return code: "

static bool read_number(struct bytes *b, int32_t *to)
{
	bool minus = text_char(b, '-');
	uint64_t n;

	if (!text_number(b, 10, &n) || n > INT32_MAX)
		return false;
	*to = minus ? -(int32_t)n : (int32_t)n;
	return true;
}

static bool read_code(struct attach_reply *r)
{
	struct bytes b = bytes_of(r->text, r->length);
	const char *line;
	size_t n;

	while (bytes_line(&b, &line, &n)) {
		struct bytes l = bytes_of(line, n);
		const char *word = bytes_take(&l, strlen(RETURNED));

		if (word && !memcmp(word, RETURNED, strlen(RETURNED)))
			return read_number(&l, &r->code) && !bytes_left(&l);
	}
	return false;
}

const char *attach_reply_read(struct attach_reply *r, const char *reply, size_t size)
{
	struct bytes b = bytes_of(reply, size), l;
	const char *line;
	size_t n;

	*r = (struct attach_reply){ 0 };
	if (!bytes_line(&b, &line, &n))
		return "the VM hung up without an answer";
	l = bytes_of(line, n);
	if (!read_number(&l, &r->status) || bytes_left(&l))
		return "the VM's answer begins without a number";
	r->text = (const char *)b.base + b.at;
	r->length = bytes_left(&b);
	r->has_code = read_code(r);
	while (r->length && r->text[r->length - 1] == '\n')
		r->length--;
	return NULL;
}
