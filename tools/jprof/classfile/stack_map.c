/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stack_map.h"

/* Kinds of frames: the first number of each. */
enum {
	SAME = 0,
	SAME_ONE_ITEM = 64,
	RESERVED = 128,
	SAME_ONE_ITEM_FAR = 247,
	CHOP = 248,
	SAME_FAR = 251,
	APPEND = 252,
	FULL = 255,
};

enum { ITEM_OBJECT = 7, ITEM_UNINITIALIZED = 8 };

struct frame_table {
	struct bytes *b;
	const struct moved *moved;
	struct class_out *out;
	int64_t at, now; /* position of the last frame: old, new; -1 initially */
	uint16_t first;  /* required class of local variable 0; 0: any */
	int64_t locals;  /* lower bound of the last frame's locals */
	const char *why;
};

static void item(struct frame_table *t)
{
	uint8_t tag = bytes_u8(t->b);
	uint32_t to;

	class_out_u8(t->out, tag);
	if (tag == ITEM_OBJECT) {
		class_out_u16(t->out, bytes_u16(t->b));
	} else if (tag == ITEM_UNINITIALIZED) {
		to = moved_itself(t->moved, bytes_u16(t->b));
		if (to == MOVED_NOWHERE)
			t->why = "a frame refers to a position without an instruction";
		class_out_u16(t->out, (uint16_t)to);
	} else if (tag > ITEM_UNINITIALIZED) {
		t->why = "a frame has a value of an unknown type";
	}
}

static void items(struct frame_table *t, uint32_t n)
{
	while (n-- && !t->b->bad && !t->why)
		item(t);
}

/* Returns the distance from the last frame, as encoded in the table. */
static uint16_t step(struct frame_table *t, uint32_t distance)
{
	uint32_t to;
	int64_t last = t->now;

	t->at += distance + 1;
	to = moved_to(t->moved, t->at > UINT16_MAX ? UINT32_MAX : (uint32_t)t->at);
	if (to == MOVED_NOWHERE)
		t->why = "a frame is at a position without an instruction";
	t->now = to;
	return (uint16_t)(t->now - last - 1);
}

static const char forgets[] = "a frame does not define its first local variable";

/* Copies a frame that lists all of its locals. */
static void full(struct frame_table *t)
{
	uint16_t n = bytes_u16(t->b);
	struct bytes ahead = *t->b;

	if (t->first && (!n || bytes_u8(&ahead) != ITEM_OBJECT || bytes_u16(&ahead) != t->first))
		t->why = forgets;
	t->locals = n;
	class_out_u16(t->out, n);
	items(t, n);
	n = bytes_u16(t->b);
	class_out_u16(t->out, n);
	items(t, n);
}

static void frame(struct frame_table *t)
{
	uint8_t kind = bytes_u8(t->b);
	uint16_t distance;

	if (kind >= RESERVED && kind < SAME_ONE_ITEM_FAR) {
		t->why = "a frame of an unknown kind";
		return;
	}
	distance = step(t, kind < SAME_ONE_ITEM ? kind - SAME :
			   kind < RESERVED      ? kind - SAME_ONE_ITEM :
						  bytes_u16(t->b));
	if (kind < RESERVED) {
		/* The distance may no longer fit in the short form. */
		uint8_t start = kind < SAME_ONE_ITEM ? SAME : SAME_ONE_ITEM;

		if (distance < 64) {
			class_out_u8(t->out, (uint8_t)(start + distance));
		} else {
			class_out_u8(t->out, start == SAME ? SAME_FAR : SAME_ONE_ITEM_FAR);
			class_out_u16(t->out, distance);
		}
		items(t, start == SAME_ONE_ITEM);
		return;
	}
	class_out_u8(t->out, kind);
	class_out_u16(t->out, distance);
	if (kind == SAME_ONE_ITEM_FAR) {
		items(t, 1);
	} else if (kind == FULL) {
		full(t);
	} else {
		t->locals += kind - SAME_FAR;
		if (t->first && t->locals < 1)
			t->why = forgets;
		items(t, kind >= APPEND ? kind - SAME_FAR : 0);
	}
}

static void one_object(struct frame_table *t, uint16_t class)
{
	class_out_u16(t->out, !!class);
	if (!class)
		return;
	class_out_u8(t->out, ITEM_OBJECT);
	class_out_u16(t->out, class);
}

const char *frames_write(struct bytes *b, const struct moved *moved,
			 const struct frame_handler *handler, struct class_out *out)
{
	struct frame_table t = { .b = b, .moved = moved, .out = out, .at = -1, .now = -1 };
	uint32_t count = bytes_left(b) ? bytes_u16(b) : 0, i;

	if (count == UINT16_MAX)
		return "it has too many frames";
	t.first = handler->at ? handler->first : 0;
	t.locals = 1;
	class_out_u16(out, (uint16_t)(count + !!handler->at));
	for (i = 0; i < count && !b->bad && !t.why; i++)
		frame(&t);
	if (handler->at) {
		class_out_u8(out, FULL);
		class_out_u16(out, (uint16_t)(handler->at - t.now - 1));
		one_object(&t, handler->first);
		one_object(&t, handler->throwable);
	}
	return b->bad ? "its StackMapTable is truncated" : t.why;
}
