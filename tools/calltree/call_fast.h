/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The inline fast path for nearly all events, with any number of metrics: a call that the same node
 * has made before, and the return of the innermost frame, if the sequence has a counter in its
 * node. A function that returns false has changed nothing: the caller then uses call_thread.h. This
 * file calls no functions, to avoid saving registers. Only for a thread that is `plain`.
 */
#ifndef CALL_FAST_H
#define CALL_FAST_H

#include <string.h>

#include "call_thread.h"

#define CALL_INLINE static inline __attribute__((always_inline))

/* Returns the index of the sequence's counter in the node, or NODE_SEQUENCES. Compares all four at
 * once: a match is a zero 16-bit lane of the XOR. */
CALL_INLINE unsigned int call_counter(const struct call_node *n, uint16_t s)
{
	const uint64_t ones = 0x0001000100010001, tops = 0x8000800080008000;
	uint64_t have, found;

	_Static_assert(sizeof(n->sequence) == sizeof(have), "four in a word");
	memcpy(&have, n->sequence, sizeof(have));
	have ^= s * ones;
	found = (have - ones) & ~have & tops;
	if (__builtin_expect(!found, 0))
		return NODE_SEQUENCES;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return NODE_SEQUENCES - 1 - (unsigned int)__builtin_ctzll(found) / 16;
#else
	return (unsigned int)__builtin_ctzll(found) / 16;
#endif
}

/* The first metric's sums of a node and a sequence; the other metrics follow. */
struct call_sums {
	uint64_t *raw, *least;
	struct value_spread *spread;
};

CALL_INLINE struct call_sums call_sums(const struct call_thread *t, size_t metrics, uint32_t node,
				       uint16_t s)
{
	return (struct call_sums){ &t->raw[node * metrics], &t->minimum[s * metrics],
				   &t->spread[s * metrics] };
}

/* Adds a metric's difference since the last event. */
CALL_INLINE void call_add(struct call_thread *t, struct call_sums sums, size_t metric, uint64_t d)
{
	struct value_spread *spread = &sums.spread[metric];
	uint64_t *least = &sums.least[metric];

	sums.raw[metric] += d;
	spread->times++;
	spread->sum += d;
	spread_count(t->place[metric]);
	t->place[metric] = &spread->place[spread_place(d)];
	/* 0 means never seen: a difference of 0 is stored as 1. */
	if (__builtin_expect(*least - 1 >= d, 0))
		*least = d ? d : 1;
}

/* An event's early reads, one per metric; metrics is 0 if nothing is read. */
struct call_reads {
	uint32_t metrics;
	const uint64_t *now;
};

/* Charges the time since the last event to the running node, `top`; `type` is the one that runs
 * next. */
CALL_INLINE bool call_charge(struct call_thread *t, uint32_t top, enum call_event went,
			     uint32_t type, struct call_reads r)
{
	struct call_node *n = &t->nodes[top];
	uint16_t s = sequence_next(t->sequence, went, type);
	unsigned int counter = call_counter(n, s);
	struct call_sums sums;

	if (__builtin_expect(counter == NODE_SEQUENCES, 0))
		return false;
	/* If the number of metrics is constant, sums are computed at their use: saves registers. */
	if (!__builtin_constant_p(r.metrics))
		sums = call_sums(t, r.metrics, top, s);
	t->sequence = s;
	n->times[counter]++;
	for (uint32_t i = 0; i < r.metrics; i++) {
		uint64_t now = r.now[i], before = t->last[i];

		if (__builtin_expect(now < before, 0)) {
			t->backwards++;
			continue;
		}
		if (__builtin_constant_p(r.metrics))
			sums = call_sums(t, r.metrics, top, s);
		call_add(t, sums, i, now - before);
	}
	return true;
}

/* Returns the index in the hash table where the search for a call's node starts. */
CALL_INLINE uint32_t call_slot(const struct call_thread *t, uint32_t parent, uint32_t method,
			       uint32_t type)
{
	uint64_t key = ((uint64_t)parent << 32 | method << 4 | type) * 0x9e3779b97f4a7c15;

	return (uint32_t)(key >> 32) & (t->table_size - 1);
}

CALL_INLINE bool call_is(const struct call_node *n, uint32_t method, uint32_t type)
{
	return n->method == method && n->type == type;
}

CALL_INLINE bool call_enter_again(struct call_thread *t, uint32_t method, uint32_t type,
				  struct call_reads r)
{
	uint32_t depth = t->depth, at = t->top, node;
	struct call_node *top = &t->nodes[at], *n;
	struct call_frame *f = &t->frames[depth];

	node = top->recent;
	n = &t->nodes[node];
	/* For a node without calls this is node 0, which never matches a method. */
	if (!call_is(n, method, type)) {
		node = t->table[call_slot(t, at, method, type)];
		n = &t->nodes[node];
		if (!call_is(n, method, type) || n->parent != at)
			return false;
	}
	if (__builtin_expect(depth >= t->levels, 0) ||
	    (r.metrics && !call_charge(t, at, EVENT_ENTER, type, r)))
		return false;
	top->recent = node;
	t->entries++;
	top->calls_made++;
	n->calls++;
	f->node = node;
	f->method = method;
	t->top = node;
	t->depth = depth + 1;
	return true;
}

/* The frame before the first one has NO_METHOD, so this is always valid. */
CALL_INLINE struct call_frame *call_innermost(const struct call_thread *t)
{
	size_t depth = t->depth;

	return &t->frames[depth] - 1;
}

CALL_INLINE bool call_is_kept(const struct call_thread *t)
{
	return __builtin_expect(t->depth <= t->deepest, 1);
}

CALL_INLINE bool call_leave_innermost(struct call_thread *t, struct call_reads r)
{
	uint32_t depth = t->depth, below = call_innermost(t)[-1].node;

	if (r.metrics && !call_charge(t, t->top, EVENT_LEAVE, t->nodes[below].type, r))
		return false;
	t->exits++;
	t->top = below;
	t->depth = depth - 1;
	return true;
}

CALL_INLINE bool call_leave_again(struct call_thread *t, uint32_t method, struct call_reads r)
{
	return call_is_kept(t) && call_innermost(t)->method == method && call_leave_innermost(t, r);
}

#endif
