/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes protobuf's wire format, field by field, so that a file of any length takes the memory of
 * one message. Nested messages have a begin and an end; a lack of memory sets no_memory, to be
 * checked at the end.
 */
#ifndef POST_PROTOBUF_H
#define POST_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protobuf {
	uint8_t *data;
	size_t used, room;
	bool no_memory;
};

void protobuf_uint(struct protobuf *p, uint32_t field, uint64_t value);
static inline void protobuf_int(struct protobuf *p, uint32_t field, int64_t value)
{
	protobuf_uint(p, field, (uint64_t)value);
}
void protobuf_fixed64(struct protobuf *p, uint32_t field, uint64_t value);
void protobuf_bytes(struct protobuf *p, uint32_t field, const void *bytes, size_t size);
void protobuf_string(struct protobuf *p, uint32_t field, const char *text);
/* Begins a nested message or packed numbers; returns the argument of protobuf_end(). */
size_t protobuf_begin(struct protobuf *p, uint32_t field);
void protobuf_end(struct protobuf *p, size_t begun);
void protobuf_varint(struct protobuf *p, uint64_t value); /* without a tag, for packed fields */
void protobuf_free(struct protobuf *p);

#endif
