/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protobuf's wire format. A message's length is inserted when the message ends. */
#include "export/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

#define VARINT_MAX 10

static uint8_t *room_for(struct protobuf *p, size_t size)
{
	if (array_room(p->data, p->room, p->used + size)) {
		p->no_memory = true;
		return NULL;
	}
	return p->data + p->used;
}

static size_t put_varint(uint8_t *at, uint64_t value)
{
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		at[n++] = (uint8_t)(value | 0x80);
	at[n++] = (uint8_t)value;
	return n;
}

void protobuf_varint(struct protobuf *p, uint64_t value)
{
	uint8_t *at = room_for(p, VARINT_MAX);

	if (at)
		p->used += put_varint(at, value);
}

void protobuf_uint(struct protobuf *p, uint32_t field, uint64_t value)
{
	protobuf_varint(p, field << 3 | WIRE_VARINT);
	protobuf_varint(p, value);
}

void protobuf_fixed64(struct protobuf *p, uint32_t field, uint64_t value)
{
	unsigned int i;
	uint8_t *at;

	protobuf_varint(p, field << 3 | WIRE_FIXED64);
	at = room_for(p, 8);
	for (i = 0; at && i < 8; i++)
		at[i] = (uint8_t)(value >> 8 * i);
	if (at)
		p->used += 8;
}

void protobuf_bytes(struct protobuf *p, uint32_t field, const void *bytes, size_t size)
{
	uint8_t *at;

	protobuf_varint(p, field << 3 | WIRE_BYTES);
	protobuf_varint(p, size);
	at = room_for(p, size);
	if (!at)
		return;
	if (size)
		memcpy(at, bytes, size);
	p->used += size;
}

void protobuf_string(struct protobuf *p, uint32_t field, const char *text)
{
	protobuf_bytes(p, field, text, strlen(text));
}

size_t protobuf_begin(struct protobuf *p, uint32_t field)
{
	protobuf_varint(p, field << 3 | WIRE_BYTES);
	return p->used;
}

void protobuf_end(struct protobuf *p, size_t begun)
{
	uint8_t length[VARINT_MAX];
	size_t n = put_varint(length, p->used - begun);

	if (!room_for(p, n))
		return;
	memmove(p->data + begun + n, p->data + begun, p->used - begun);
	memcpy(p->data + begun, length, n);
	p->used += n;
}

void protobuf_free(struct protobuf *p)
{
	free(p->data);
	*p = (struct protobuf){ 0 };
}
