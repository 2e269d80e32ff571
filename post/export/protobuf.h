/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing protobuf's wire format, field by field, so that a file of any length needs the memory of
 * one message. Messages within others are begun and ended; memory that is not there is remembered
 * and told at the end.
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
/* A message, or packed numbers: what is written until the end is in it. Returns what end wants. */
size_t protobuf_begin(struct protobuf *p, uint32_t field);
void protobuf_end(struct protobuf *p, size_t begun);
void protobuf_varint(struct protobuf *p, uint64_t value); /* alone, where packed */
void protobuf_free(struct protobuf *p);

#endif
