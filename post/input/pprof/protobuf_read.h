/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads protobuf's wire format, field by field, through the bounded cursor. */
#ifndef POST_PROTOBUF_READ_H
#define POST_PROTOBUF_READ_H

#include "base/cursor.h"

struct protobuf_field {
	uint32_t number;
	bool is_bytes;
	uint64_t value;     /* of a number */
	struct bytes bytes; /* of other fields: a message, a string, packed numbers */
	size_t at;          /* offset of the field */
};

static inline bool protobuf_take(struct bytes *b, uint64_t *value)
{
	unsigned int shift;
	uint8_t byte;

	*value = 0;
	for (shift = 0; shift < 70; shift += 7) {
		byte = bytes_u8(b);
		if (b->bad)
			return false;
		if (shift < 64)
			*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	b->bad = true;
	return false;
}

/* Reads the next field; false: no more, or (b->bad) malformed. */
static inline bool protobuf_next(struct bytes *b, struct protobuf_field *f)
{
	uint64_t tag, length = 0;
	const void *p;

	if (!bytes_left(b))
		return false;
	*f = (struct protobuf_field){ .at = b->at };
	if (!protobuf_take(b, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX) {
		b->bad = true;
		return false;
	}
	f->number = (uint32_t)(tag >> 3);
	switch (tag & 7) {
	case 0:
		return protobuf_take(b, &f->value);
	case 1:
	case 5:
		return bytes_skip(b, (tag & 7) == 1 ? 8 : 4);
	case 2:
		if (!protobuf_take(b, &length) || length > bytes_left(b)) {
			b->bad = true;
			return false;
		}
		p = bytes_take(b, length);
		f->is_bytes = true;
		f->bytes = bytes_of(p, length);
		return p != NULL;
	default:
		b->bad = true;
		return false;
	}
}

/* Reads the next number of a repeated field, packed or single. */
static inline bool protobuf_number(struct protobuf_field *f, uint64_t *value)
{
	if (f->is_bytes)
		return bytes_left(&f->bytes) && protobuf_take(&f->bytes, value);
	*value = f->value;
	f->is_bytes = true; /* returned once */
	f->bytes = bytes_of(NULL, 0);
	return true;
}

#endif
