/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call_fast.h"

#include "call_room.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

static void put(struct call_thread *t, uint32_t node)
{
	const struct call_node *n = &t->nodes[node];
	uint32_t at = call_slot(t, n->parent, n->method, n->type);

	while (t->table[at])
		at = (at + 1) & (t->table_size - 1);
	t->table[at] = node;
}

/* If growing fails, uses the old table until it is nearly full. */
static bool grow_table(struct call_thread *t)
{
	if (!call_room_table(t))
		return t->used < t->table_size - t->table_size / 8;
	for (uint32_t i = 1; i < t->used; i++)
		put(t, i);
	return true;
}

static bool is(const struct call_node *n, uint32_t parent, uint32_t method, uint32_t type)
{
	return n->parent == parent && call_is(n, method, type);
}

/* Returns the node that all calls share that do not fit. */
static uint32_t beyond(struct call_thread *t)
{
	struct call_node *root = t->nodes, *n = &t->nodes[t->beyond];

	if (!t->too_many++) {
		n->next = root->child;
		root->child = t->beyond;
	}
	return t->beyond;
}

/* Returns the node of a method that the running node calls; creates it if necessary. */
static uint32_t child(struct call_thread *t, uint32_t method, uint32_t type)
{
	struct call_node *parent = &t->nodes[t->top], *n;
	uint32_t at, node = parent->recent;

	if (node && is(&t->nodes[node], t->top, method, type))
		return node;
	for (at = call_slot(t, t->top, method, type); (node = t->table[at]);
	     at = (at + 1) & (t->table_size - 1)) {
		if (is(&t->nodes[node], t->top, method, type)) {
			parent->recent = node;
			return node;
		}
	}
	if (t->used == t->room && !call_room_nodes(t))
		return beyond(t);
	if (t->used >= t->table_size / 2 && !grow_table(t))
		return beyond(t);
	node = t->used;
	n = &t->nodes[node];
	n->parent = t->top;
	n->method = method;
	n->type = (uint8_t)type;
	n->next = parent->child;
	parent->child = parent->recent = node;
	t->used++;
	put(t, node);
	return node;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void count_more(struct call_thread *t, struct call_node *n, uint16_t s)
{
	struct call_more *m;
	uint32_t i;

	for (i = n->more; i; i = t->more[i].next) {
		if (t->more[i].sequence == s) {
			t->more[i].times++;
			return;
		}
	}
	if (t->more_used == t->more_room && !call_room_more(t)) {
		t->uncounted++;
		return;
	}
	m = &t->more[t->more_used];
	*m = (struct call_more){ .next = n->more, .times = 1, .sequence = s };
	n->more = t->more_used++;
}

/* An unused counter has sequence 0 and count 0. */
static void count(struct call_thread *t, struct call_node *n, uint16_t s)
{
	unsigned int i = call_counter(n, s);

	if (i == NODE_SEQUENCES)
		for (i = 0; i < NODE_SEQUENCES && n->times[i]; i++)
			;
	if (i == NODE_SEQUENCES) {
		count_more(t, n, s);
		return;
	}
	n->sequence[i] = s;
	n->times[i]++;
}

/* Sets an event's value and its overhead as far as it is known now: the first events of a sequence
 * provide the minimum for later ones. */
static void set_ring(struct call_ring *r, uint32_t metric, uint16_t s, uint64_t least, uint64_t d)
{
	uint64_t over = sequence_learns(s) && least > 1 ? least : 0;

	r->value[metric] += d;
	r->cost[metric] += over < d ? over : d;
}

static void add(struct call_thread *t, uint32_t metric, uint16_t s, uint64_t now)
{
	uint64_t before = t->last[metric], d = now - before;

	/* Does not update the sequence's minimum. */
	if (__builtin_expect(now < before, 0)) {
		t->backwards++;
		return;
	}
	if (__builtin_expect(t->untaught, 0)) {
		t->raw[(size_t)t->top * t->metrics + metric] += d;
		return;
	}
	if (__builtin_expect(t->ring != NULL, 0))
		set_ring(t->ring, metric, s, t->minimum[(size_t)s * t->metrics + metric], d);
	call_add(t, call_sums(t, t->metrics, t->top, s), metric, d);
}

/* Charges the time since the last event to the running node; `type` is on top next. Without values,
 * nothing is charged. */
static inline void charge(struct call_thread *t, enum call_event went, uint32_t type,
			  const uint64_t *values)
{
	uint16_t s = sequence_next(t->sequence, went, type);
	uint32_t i;

	t->sequence = s;
	if (!values)
		return;
	for (i = 0; i < t->metrics; i++)
		add(t, i, s, values[i]);
	count(t, &t->nodes[t->top], s);
}

/* Includes all values charged since the last event in the ring. */
static __attribute__((noinline)) void put_event(struct call_ring *r, enum call_event event,
						uint32_t method, uint32_t type)
{
	call_ring_put(r, event, method, type);
	for (uint32_t i = 0; i < r->metrics; i++)
		r->value[i] = r->cost[i] = 0;
}

static inline void emit(struct call_thread *t, enum call_event event, uint32_t method,
			uint32_t type)
{
	if (__builtin_expect(t->ring != NULL, 0))
		put_event(t->ring, event, method, type);
}

static uint32_t type_at(const struct call_thread *t, uint32_t depth)
{
	if (depth > t->deepest)
		depth = t->deepest;
	return depth ? t->nodes[t->frames[depth - 1].node].type : TYPE_OTHER;
}

/* Drops all but `depth` frames. */
static void drop_to(struct call_thread *t, uint32_t depth)
{
	t->depth = depth;
	if (depth <= t->deepest)
		t->top = depth ? t->frames[depth - 1].node : 0;
}

/* Returns the event for frames that ended without an event. */
static enum call_event silent(const struct call_thread *t)
{
	return t->pops ? EVENT_POPPED : EVENT_UNWIND;
}

static void count_silent(struct call_thread *t, uint32_t ends)
{
	*(t->pops ? &t->popped : &t->unwinds) += ends;
}

void call_switched(struct call_thread *t, uint64_t dispatches, uint64_t interrupts)
{
	struct call_node *n = &t->nodes[t->top];

	n->dispatches += (uint32_t)(dispatches - t->dispatches);
	n->interrupts += (uint32_t)(interrupts - t->interrupts);
}

void call_enter(struct call_thread *t, uint32_t method, uint32_t type, const uint64_t *values)
{
	uint32_t node;

	t->entries++;
	charge(t, EVENT_ENTER, type, values);
	emit(t, EVENT_ENTER, method, type);
	if (__builtin_expect(t->depth >= t->levels, 0))
		call_room_frames(t);
	if (t->depth >= t->deepest) {
		t->depth++;
		t->too_deep++;
		return;
	}
	if (__builtin_expect(t->depth >= t->levels, 0)) {
		t->too_deep++;
		node = t->top;
	} else {
		node = child(t, method, type);
		t->nodes[t->top].calls_made++;
		t->nodes[node].calls++;
	}
	t->frames[t->depth].node = t->top = node;
	t->frames[t->depth++].method = method;
}

/* Returns the number of frames up to the method's innermost one; 0: none. Frames too deep to be
 * kept match any method. */
static uint32_t find(const struct call_thread *t, uint32_t method)
{
	uint32_t at = t->depth;

	if (at > t->deepest)
		return at;
	while (at && t->frames[at - 1].method != method)
		at--;
	return at;
}

static void emit_gone(struct call_thread *t, uint32_t depth, enum call_event went)
{
	for (uint32_t i = t->depth; __builtin_expect(t->ring != NULL, 0) && i-- > depth;)
		if (i < t->deepest)
			put_event(t->ring, went, t->frames[i].method, 0);
}

/* Emits popped frames; readers assume that frames without an event were left by an exception. */
static void emit_silent(struct call_thread *t, uint32_t depth)
{
	if (t->pops)
		emit_gone(t, depth, EVENT_POPPED);
}

void call_end(struct call_thread *t, uint32_t depth, uint32_t method, enum call_event went,
	      const uint64_t *values)
{
	enum call_event said = t->depth - depth > 1 ? EVENT_POPPED : went;

	count_silent(t, t->depth - depth - 1);
	charge(t, said, type_at(t, depth), values);
	emit_silent(t, depth + 1);
	emit(t, went, method, 0);
	drop_to(t, depth);
	if (went == EVENT_LEAVE)
		t->exits++;
	else
		t->unwinds++;
}

void call_nothing(struct call_thread *t, const uint64_t *values)
{
	charge(t, EVENT_POPPED, sequence_parts(t->sequence).top, values);
}

void call_end_unknown(struct call_thread *t, uint32_t method, enum call_event went,
		      const uint64_t *values)
{
	t->unknown++;
	call_nothing(t, values);
	emit(t, went, method, 0);
}

void call_popped(struct call_thread *t, uint32_t depth, enum call_event went,
		 const uint64_t *values)
{
	uint32_t ends = t->depth - depth;

	charge(t, ends > 1 ? EVENT_POPPED : went, type_at(t, depth), values);
	emit_gone(t, depth, went);
	*(went == EVENT_POPPED ? &t->popped : &t->unwinds) += ends;
	drop_to(t, depth);
}

void call_jumped(struct call_thread *t, uint32_t depth, const uint64_t *values)
{
	t->untaught = true;
	charge(t, EVENT_LEAVE, type_at(t, depth), values);
	t->untaught = false;
	emit_gone(t, depth, EVENT_POPPED);
	t->popped += t->depth - depth;
	drop_to(t, depth);
}

void call_forget(struct call_thread *t, uint32_t depth)
{
	emit_gone(t, depth, silent(t));
	count_silent(t, t->depth - depth);
	drop_to(t, depth);
	t->sequence = sequence_instead(t->sequence, EVENT_POPPED, type_at(t, depth));
}

static void end(struct call_thread *t, uint32_t method, enum call_event went,
		const uint64_t *values)
{
	uint32_t at = find(t, method);

	if (at)
		call_end(t, at - 1, method, went, values);
	else
		call_end_unknown(t, method, went, values);
}

void call_leave(struct call_thread *t, uint32_t method, const uint64_t *values)
{
	end(t, method, EVENT_LEAVE, values);
}

void call_unwind(struct call_thread *t, uint32_t method, const uint64_t *values)
{
	end(t, method, EVENT_UNWIND, values);
}

/* Frames above the method's ended by an exception, without an event. Their time is charged to the
 * topmost one. */
void call_caught(struct call_thread *t, uint32_t method, const uint64_t *values)
{
	uint32_t at = find(t, method);

	if (!at) {
		call_end_unknown(t, method, EVENT_CAUGHT, values);
		return;
	}
	count_silent(t, t->depth - at);
	charge(t, at == t->depth ? EVENT_CAUGHT : EVENT_POPPED, type_at(t, at), values);
	emit(t, EVENT_CAUGHT, method, 0);
	drop_to(t, at);
}

void call_settle(struct call_thread *t)
{
	for (uint32_t i = 0; i < t->metrics; i++) {
		spread_count(t->place[i]);
		t->place[i] = &t->no_place;
	}
}

void call_end_all(struct call_thread *t)
{
	count_silent(t, t->depth);
	drop_to(t, 0);
	t->sequence = sequence(TYPE_OTHER, EVENT_ENTER, TYPE_OTHER, EVENT_POPPED, TYPE_OTHER);
}
