/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hook_events.h"

#include <errno.h>
#include <string.h>

#include "call_fast.h"
#include "hook_arguments.h"
#include "hook_functions.h"
#include "hook_trace_call.h"
#include "hook_values.h"
#include "hookit_begin.h"
#include "joined.h"
#include "modules.h"

/* ---- the stack ------------------------------------------------------------------------------- */

/* Returns 0 for a stack pointer outside of the thread's stack, as in a signal handler or a
 * coroutine: it cannot be compared with others. Calls without a frame are over when the thread's
 * own stack is in use again. */
static inline uintptr_t frame_of(uintptr_t sp)
{
	const struct hook_thread *h = &hook_self;

	return sp - h->stack_low < h->stack_high - h->stack_low ? sp : 0;
}

/* Sets whether an uncaught exception has ended the calls, or a jump. */
static void set_pops(struct call_thread *t)
{
	t->pops = t->depth > hook_self.thrown;
}

/* Among calls with the same frame, the one reported from the same site has ended, and so have those
 * with another caller. */
static __attribute__((noinline)) void drop_ended(struct call_thread *t, struct call_place at)
{
	uint32_t i = t->depth, same;

	while (i && t->frames[i - 1].at.frame < at.frame)
		i--;
	for (same = i; same && t->frames[same - 1].at.frame == at.frame; same--)
		if (!at.site || t->frames[same - 1].at.site == at.site ||
		    (t->frames[same - 1].at.site ^ at.site) >> HOOK_SITE_BITS)
			i = same - 1;
	if (i == t->depth)
		return;
	set_pops(t);
	call_forget(t, i);
}

/* Ends calls with deeper frames; an inlined function has its caller's frame. */
static inline void resync(struct call_thread *t, struct call_place at)
{
	if (at.frame && t->depth && t->depth <= t->deepest &&
	    __builtin_expect(t->frames[t->depth - 1].at.frame <= at.frame, 0))
		drop_ended(t, at);
}

/*
 * Returns the depth of the call that ends; 0: not found. A function's frame is above those of its
 * callees and below its caller's, which finds the right call of a recursive function.
 */
static uint32_t find(const struct call_thread *t, uint32_t number, uintptr_t frame)
{
	uint32_t i = t->depth;

	if (i > t->deepest)
		return i;
	for (; i; i--) {
		const struct call_frame *f = &t->frames[i - 1];
		uintptr_t above = i > 1 ? f[-1].at.frame : 0;

		if (number != FUNCTIONS_NONE ? f->method != number : f->at.frame != frame)
			continue;
		if (!above || !frame || above >= frame)
			return i;
	}
	return 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Emits the ends of the calls that are no longer on the stack, innermost first. */
static __attribute__((noinline)) void record_ends(const struct call_thread *t, uint32_t had)
{
	while (had > t->depth)
		if (--had < t->deepest)
			hook_trace_call(t->frames[had].method, true);
}

typedef struct hook_function *find_apart(struct hook_function *f, const struct call_state *at);

struct asked_for {
	find_apart *how;
	struct hook_function *function;
	const struct hook_function *found;
	uintptr_t sp;
};

static void find_by_values(uintptr_t to, uintptr_t unused, const void *vectors)
{
	struct asked_for *a = (struct asked_for *)to;
	struct call_state at = { a->sp, vectors };

	(void)unused;
	a->found = a->how(a->function, &at);
}

static __attribute__((noinline)) const struct hook_function *by_values(
	const struct hook_function *f, uintptr_t sp, find_apart *how)
{
	struct asked_for a = { how, (struct hook_function *)f, f, sp };

#if defined(__x86_64__)
	if (!hook_self.vectors) {
		hook_with_vectors(find_by_values, (uintptr_t)&a, 0);
		return a.found;
	}
#endif
	find_by_values((uintptr_t)&a, 0, hook_self.vectors);
	return a.found;
}

/* Records the return value of the innermost frame as a call at its end that takes no time. */
static __attribute__((noinline)) void note_result(struct call_thread *t, uintptr_t sp)
{
	const struct hook_function *f = functions_get(t->frames[t->depth - 1].method), *r;
	uint16_t sequence = t->sequence;

	if (!f->values || !f->values->has_result || t->depth >= t->most_levels ||
	    !arguments_returns(sp))
		return;
	r = by_values(f, sp, arguments_result);
	if (!r)
		return;
	call_enter(t, r->number - 1, TYPE_FUNCTION, NULL);
	call_leave(t, r->number - 1, NULL);
	t->sequence = sequence;
	if (hook_events_on) {
		hook_trace_call(r->number - 1, false);
		hook_trace_call(r->number - 1, true);
	}
}

/* known: the function, or NULL if it is to be looked up by its address. */
static inline __attribute__((always_inline)) void enter(struct call_thread *t, uintptr_t function,
							const struct hook_function *known,
							struct call_place at,
							const uint64_t *values)
{
	const struct hook_function *f = known ? known : functions_find(function);
	uint32_t had;

	if (__builtin_expect(!f, 0))
		f = hookit_new_function(function);
	if (__builtin_expect(f && f->kind == FUNCTION_BY_ARGUMENT, 0))
		f = at.site ? f : by_values(f, at.frame, arguments_find);
	if (__builtin_expect(!f || f->kind == FUNCTION_LEFT_OUT, 0)) {
		call_nothing(t, values);
		return;
	}
	at.frame = frame_of(at.frame);
	had = t->depth;
	resync(t, at);
	if (__builtin_expect(hook_events_on, 0)) {
		record_ends(t, had);
		hook_trace_call(f->number - 1, false);
	}
	if (__builtin_expect(hook_self.thrown > t->depth, 0))
		hook_self.thrown = t->depth;
	if (t->depth < t->deepest) {
		t->frames[t->depth].at = at;
		t->frames[t->depth].known = (const void *)f->was;
	}
	call_enter(t, f->number - 1, TYPE_FUNCTION, values);
}

/* Returns the kind of exit: a function that was on the stack when an exception was thrown does not
 * return. */
static enum call_event went(uint32_t depth)
{
	if (__builtin_expect(hook_self.thrown <= depth, 1))
		return EVENT_LEAVE;
	hook_self.thrown = depth;
	return EVENT_UNWIND;
}

static uint32_t number_at(const struct call_thread *t, uint32_t depth)
{
	return depth < t->deepest ? t->frames[depth].method : t->nodes[t->top].method;
}

/* waited: the event was postponed, and its registers are no longer available. */
static inline __attribute__((always_inline)) void leave(struct call_thread *t, uintptr_t function,
							uintptr_t sp, const uint64_t *values,
							bool waited)
{
	const struct hook_function *f = function ? functions_find(function) : NULL;
	uint32_t number = f ? f->number - 1 : FUNCTIONS_NONE, at, had;

	if (function && (!f || f->kind == FUNCTION_LEFT_OUT)) {
		call_nothing(t, values);
		return;
	}
	at = find(t, number, frame_of(sp));
	if (__builtin_expect(hook_results, 0) && !function && !waited && at && at == t->depth &&
	    at < t->deepest)
		note_result(t, sp);
	had = t->depth;
	set_pops(t);
	if (at)
		call_end(t, at - 1, f ? number : number_at(t, at - 1), went(at - 1), values);
	else if (function)
		call_end_unknown(t, number, EVENT_LEAVE, values);
	else
		call_nothing(t, values);
	if (__builtin_expect(hook_events_on, 0))
		record_ends(t, had);
}

/* ---- events that come while another one is noted --------------------------------------------- */

static struct hook_waiting *waits_at(uint32_t number)
{
	return &hook_self.wait[number % HOOK_WAITING];
}

/* The next waiting event; NULL: none. */
static struct hook_waiting *next_waiting(void)
{
	return hook_self.taken == __atomic_load_n(&hook_self.came, __ATOMIC_RELAXED) ?
		       NULL :
		       waits_at(hook_self.taken);
}

/* Looks up a waiting event's function; its arguments are no longer available. */
static const struct hook_function *waiting_function(const struct hook_waiting *w)
{
	struct hook_function *f = functions_find(w->function);

	if (!f)
		f = hookit_new_function(w->function);
	return f && f->kind == FUNCTION_BY_ARGUMENT && !w->site ? arguments_find(f, NULL) : f;
}

static void note_waiting(struct call_thread *t, const struct hook_waiting *w)
{
	const uint64_t *values = hook_reading == HOOK_NOTHING ? NULL : w->early;

	if (!w->whole) {
		hook_missed++;
		return;
	}
	if (w->leaves)
		leave(t, w->function, w->sp, values, true);
	else
		enter(t, w->function, waiting_function(w), (struct call_place){ w->sp, w->site },
		      values);
	memcpy(t->last, w->late, t->metrics * sizeof(*t->last));
}

/* Notes all waiting events. noted: the early reads of the event that was noted first; NULL: none.
 * Looking up a name takes longer than the interval of signals: each noted event frees its slot at
 * once. */
static void drain_all(uintptr_t tree, uintptr_t noted_at, const void *vectors)
{
	struct call_thread *t = (struct call_thread *)tree;
	const uint64_t *noted = (const uint64_t *)noted_at;
	struct hook_waiting *w;

	(void)vectors;
	if (noted)
		memcpy(t->last, noted, t->metrics * sizeof(*t->last));
	do {
		hook_self.waiting = false;
		while ((w = next_waiting())) {
			note_waiting(t, w);
			w->whole = false;
			__atomic_store_n(&hook_self.taken, hook_self.taken + 1, __ATOMIC_RELAXED);
		}
	} while (hook_self.waiting);
}

/* Saves vector registers, because an unknown function may be among the events: looking up its name
 * uses them, and the event noted first may not have saved them. */
static __attribute__((noinline)) void drain(struct call_thread *t, const uint64_t *noted)
{
#if defined(__x86_64__)
	hook_with_vectors(drain_all, (uintptr_t)t, (uintptr_t)noted);
#else
	drain_all((uintptr_t)t, (uintptr_t)noted, NULL);
#endif
}

/* Reserves a slot for an event, atomically against handlers of other signals. NULL: the ring is
 * full. */
static struct hook_waiting *place_to_wait(void)
{
	uint32_t n = __atomic_fetch_add(&hook_self.came, 1, __ATOMIC_RELAXED);

	if (n - hook_self.taken < HOOK_WAITING)
		return waits_at(n);
	__atomic_fetch_sub(&hook_self.came, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Takes the late reads at once: the time while the event waits belongs to no function. */
static __attribute__((noinline)) void postpone(uintptr_t function, struct call_place at,
					       bool leaves, const uint64_t *values)
{
	struct hook_waiting *w = hook_self.tree->nodes ? place_to_wait() : NULL;

	if (!w) {
		hook_missed++;
		return;
	}
	w->function = function;
	w->sp = at.frame;
	w->site = at.site;
	w->leaves = leaves;
	if (hook_reading != HOOK_NOTHING) {
		memcpy(w->early, values, sizeof(w->early));
		metrics_read(w->late, values);
	}
	w->whole = true;
	hook_self.waiting = true;
}

/* Discards the waiting events. */
static void drop_waiting(void)
{
	hook_self.waiting = false;
	for (struct hook_waiting *w; (w = next_waiting()); hook_self.taken++)
		w->whole = false;
}

/* Whether a handler has left the event in progress by siglongjmp(), to a frame above it. */
static bool was_left(uintptr_t sp)
{
	return frame_of(sp) && frame_of(sp) >= frame_of(hook_self.busy);
}

static __attribute__((noinline)) struct call_thread *begin(struct call_place at, uint64_t *values)
{
	hook_self.busy = at.frame;
	if (hookit_begin(!at.site) && !hook_joins && !hook_self.refused)
		hook_thread_begin();
	/* Training has reset it. */
	hook_self.busy = at.frame;
	memcpy(values, hook_self.tree->last, sizeof(hook_self.tree->last));
	return hook_self.tree;
}

#define IN_ORDER __asm__ volatile("" : : : "memory")

/* Expects `busy` to be set. */
static inline __attribute__((always_inline)) void note_now(struct call_thread *t,
							   uintptr_t function,
							   const struct hook_function *known,
							   struct call_place at, bool leaves,
							   uint64_t *values)
{
	uint64_t dispatches, interrupts;

	/* Dispatches and interrupts during an event belong to no function, like its time. */
	if (__builtin_expect(metrics_switches, 0)) {
		metrics_read_switches(&dispatches, &interrupts);
		call_switched(t, dispatches, interrupts);
	}
	if (__builtin_expect(hook_reading == HOOK_NOTHING, 0))
		values = NULL;
	if (leaves)
		leave(t, function, at.frame, values, false);
	else
		enter(t, function, known, at, values);
	if (__builtin_expect(t->untaught, 0)) {
		t->untaught = false;
		t->plain = hook_plain;
	}
	if (__builtin_expect(hook_self.waiting != 0, 0))
		drain(t, values);
}

static inline void note_ends(void)
{
	IN_ORDER;
	hook_self.busy = 0;
}

/* In a Java VM, passes every event but the first one to the agent. */
static bool joins(uintptr_t function, struct call_place at, bool leaves)
{
	if (__builtin_expect(!hook_joins, 1))
		return false;
	if (leaves)
		joined_left(function, at.frame);
	else
		joined_entered(function, at.frame, at.site);
	return true;
}

/* Starts the next log: it is not known which functions have ended meanwhile, and the time since
 * then belongs to no function. */
static __attribute__((noinline)) void begin_anew(struct call_thread *t, const uint64_t *values)
{
	int error = errno;

	call_empty(t);
	errno = error;
	hook_self.thrown = 0;
	drop_waiting();
	if (hook_reading != HOOK_NOTHING)
		memcpy(t->last, values, t->metrics * sizeof(*t->last));
	if (metrics_switches)
		metrics_read_switches(&t->dispatches, &t->interrupts);
	t->plain = hook_plain;
	__atomic_store_n(&t->anew, false, __ATOMIC_RELEASE);
}

static inline __attribute__((always_inline)) void note(uintptr_t function,
						       const struct hook_function *known,
						       struct call_place at, bool leaves,
						       uint64_t *values)
{
	struct call_thread *t = hook_self.tree;

	if (__builtin_expect(hook_self.busy != 0, 0) && !was_left(at.frame)) {
		postpone(function, at, leaves, values);
		return;
	}
	if (__builtin_expect(t == &hook_nobody, 0)) {
		t = begin(at, values);
		if (hook_joins) {
			note_ends();
			joins(function, at, leaves);
			return;
		}
	}
	hook_self.busy = at.frame;
	IN_ORDER;
	if (__builtin_expect(t->nodes && atomic_load_explicit(&hook_on, memory_order_relaxed), 1)) {
		if (__builtin_expect(__atomic_load_n(&t->anew, __ATOMIC_ACQUIRE), 0))
			begin_anew(t, values);
		if (__builtin_expect(hook_self.waiting != 0, 0))
			drain(t, NULL);
		note_now(t, function, known, at, leaves, values);
	}
	note_ends();
}

void hook_entered(uintptr_t function, uintptr_t sp, uintptr_t site, uint64_t *values)
{
	note(function, NULL, (struct call_place){ sp, site }, false, values);
}

void hook_entered_known(const struct hook_function *known, uintptr_t sp, uint64_t *values)
{
	note(known->was, known, (struct call_place){ sp, 0 }, false, values);
}

void hook_left(uintptr_t function, uintptr_t sp, uint64_t *values)
{
	note(function, NULL, (struct call_place){ sp, 0 }, true, values);
}

/* ---- jumps ----------------------------------------------------------------------------------- */

struct hook_extra hook_extra;

/* The number of frames that remain. */
static uint32_t above(const struct call_thread *t, uintptr_t sp)
{
	uint32_t i = t->depth;

	while (i && i <= t->deepest && t->frames[i - 1].at.frame < sp)
		i--;
	return i;
}

static void pop(struct call_thread *t, uintptr_t sp, enum call_event went, const uint64_t *values)
{
	uint32_t had = t->depth, stay = above(t, sp);

	if (stay == had)
		return;
	if (went == EVENT_POPPED && hook_extra.jumps) {
		call_jumped(t, stay, values);
		/* The time is corrected by a jump's mean cost, so it can be below the minimum, and
		 * so can the next event's: the next event takes the slow path. */
		t->untaught = true;
		t->plain = false;
	} else {
		call_popped(t, stay, went, values);
	}
	if (hook_events_on)
		record_ends(t, had);
}

/* Whether the innermost frame is over. Takes constant time, independent of how many frames are. */
static bool pops(const struct call_thread *t, uintptr_t sp)
{
	uint32_t i = t->depth;

	return i && i <= t->deepest && t->frames[i - 1].at.frame < sp;
}

/* The C library's jump runs after the event and counts for its caller. Also applied while the cost
 * is not known (0), so that the code costs the same while it is learnt. */
static void shift_jump(uint64_t *value, int64_t by)
{
	if (hook_reading == HOOK_CYCLES)
		*value += (uint64_t)by;
}

/* Does nothing while an event is being noted: the next event finds the calls that are over. */
void hook_popped(uintptr_t sp, enum call_event went)
{
	struct call_thread *t = hook_self.tree;
	uint64_t values[CALL_METRICS], dispatches, interrupts;

	if (hook_joins) {
		joined_popped(sp, went);
		return;
	}
	if (!t->nodes || hook_self.busy || !hook_on ||
	    __atomic_load_n(&t->anew, __ATOMIC_ACQUIRE) || !frame_of(sp) || !pops(t, sp))
		return;
	hook_early(values);
	if (went == EVENT_POPPED)
		shift_jump(values, hook_extra.jump_before);
	hook_self.busy = sp;
	IN_ORDER;
	if (hook_self.waiting)
		drain(t, NULL);
	if (metrics_switches) {
		metrics_read_switches(&dispatches, &interrupts);
		call_switched(t, dispatches, interrupts);
	}
	pop(t, sp, went, hook_reading == HOOK_NOTHING ? NULL : values);
	if (hook_self.waiting)
		drain(t, values);
	note_ends();
	hook_late();
	if (went == EVENT_POPPED)
		shift_jump(t->last, hook_extra.jump_behind);
}

/* ---- the fast path --------------------------------------------------------------------------- */

/* Leaves the fast path. `busy` is set, and no event was waiting. */
#define SLOW static __attribute__((noinline)) void

SLOW entered_now(const struct hook_function *f, uintptr_t sp, uintptr_t site, uint64_t now)
{
	uint64_t values[CALL_METRICS] = { now };

	hook_self.vectors = NULL;
	note_now(hook_self.tree, f->was, f, (struct call_place){ sp, site }, false, values);
	note_ends();
}

SLOW left_now(uintptr_t function, uintptr_t sp, uint64_t now)
{
	uint64_t values[CALL_METRICS] = { now };

	note_now(hook_self.tree, function, NULL, (struct call_place){ sp, 0 }, true, values);
	note_ends();
}

SLOW drain_now(uint64_t now)
{
	uint64_t values[CALL_METRICS] = { now };

	drain(hook_self.tree, hook_reading == HOOK_NOTHING ? NULL : values);
	note_ends();
}

CALL_INLINE void plain_ends(uint64_t now)
{
	if (__builtin_expect(hook_self.waiting != 0, 0))
		drain_now(now);
	else
		note_ends();
}

/* Whether sp is on the thread's stack, below all existing frames, or the function is inlined in the
 * innermost ones: then none of them has ended. */
CALL_INLINE bool is_deeper(const struct call_thread *t, uintptr_t sp, uintptr_t site)
{
	const struct call_frame *f = call_innermost(t);

	for (; __builtin_expect(f->at.frame == sp, 0); f--)
		if (!site || f->at.site == site || (f->at.site ^ site) >> HOOK_SITE_BITS)
			return false;
	return f->at.frame > sp && sp >= hook_self.stack_low;
}

/* false: the fast path does not apply, and the event is not noted yet. */
CALL_INLINE bool plain_enter(const struct hook_function *f, uintptr_t sp, uintptr_t site,
			     struct call_reads r)
{
	struct call_thread *t = hook_self.tree;
	struct call_frame *next;

	hook_self.busy = sp;
	IN_ORDER;
	next = &t->frames[t->depth];
	if (__builtin_expect(t->depth >= t->levels || hook_self.thrown > t->depth || f->kind ||
				     !is_deeper(t, sp, site),
			     0))
		return false;
	next->at.frame = sp;
	next->at.site = site;
	next->known = (const void *)f->was;
	return __builtin_expect(call_enter_again(t, f->number - 1, TYPE_FUNCTION, r), 1);
}

/* Applies only if the innermost frame is the one that ends, by the rules of find(). */
CALL_INLINE bool plain_leave(uintptr_t function, uintptr_t sp, struct call_reads r)
{
	struct call_thread *t = hook_self.tree;
	const struct call_frame *f;

	hook_self.busy = sp;
	IN_ORDER;
	f = call_innermost(t);
	return __builtin_expect(call_is_kept(t) && hook_self.thrown < t->depth &&
					(function ? f->known == (const void *)function :
						    f->at.frame == sp) &&
					f[-1].at.frame >= sp && call_leave_innermost(t, r),
				1);
}

void hook_plain_entered(const struct hook_function *f, uintptr_t sp, uintptr_t site)
{
	if (plain_enter(f, sp, site, (struct call_reads){ 0 }))
		plain_ends(0);
	else
		entered_now(f, sp, site, 0);
}

void hook_plain_entered_at(const struct hook_function *f, uintptr_t sp, uintptr_t site,
			   uint64_t now)
{
	if (plain_enter(f, sp, site, (struct call_reads){ 1, &now }))
		plain_ends(now);
	else
		entered_now(f, sp, site, now);
}

void hook_plain_left(uintptr_t function, uintptr_t sp)
{
	if (plain_leave(function, sp, (struct call_reads){ 0 }))
		plain_ends(0);
	else
		left_now(function, sp, 0);
}

void hook_plain_left_at(uintptr_t function, uintptr_t sp, uint64_t now)
{
	if (plain_leave(function, sp, (struct call_reads){ 1, &now }))
		plain_ends(now);
	else
		left_now(function, sp, now);
}

/* The minimum cost so far of the innermost frame's return after the last event; NULL: that frame is
 * not recorded. */
static uint64_t *least_of_return(struct call_thread *t)
{
	if (!t->depth || !call_is_kept(t))
		return NULL;
	return &t->minimum[sequence_next(t->sequence, EVENT_LEAVE,
					 t->nodes[call_innermost(t)[-1].node].type)];
}

/* One time stamp ends the first function and begins the second. It is corrected by the mean cost of
 * such a jump, so it must not change the minimum of returns. */
void hook_plain_followed_at(const struct hook_function *f, uintptr_t sp, uint64_t now)
{
	struct call_thread *t = hook_self.tree;
	uint64_t *least = least_of_return(t), had = least ? *least : 0;

	if (least && plain_leave(0, sp, (struct call_reads){ 1, &now })) {
		*least = had;
		t->place[0] = &t->no_place;
	} else {
		left_now(0, sp, now);
		hook_self.busy = sp;
		IN_ORDER;
	}
	if (plain_enter(f, sp, 0, (struct call_reads){ 0 }))
		t->sequence = sequence_next(t->sequence, EVENT_ENTER, TYPE_FUNCTION);
	else
		enter(t, f->was, f, (struct call_place){ sp, 0 }, NULL);
	plain_ends(now);
}

/* ---- any event ------------------------------------------------------------------------------- */

/* Whether the fast path applies with several metrics, or one that is not cycles. If the thread was
 * switched or interrupted, the slow path notes it. */
static bool are_plain(void)
{
	const struct call_thread *t = hook_self.tree;

	return hook_reading == HOOK_METRICS && hook_is_plain() &&
	       (!metrics_switches || !metrics_switched(t->dispatches, t->interrupts));
}

static struct call_reads reads_of(const uint64_t *values)
{
	return (struct call_reads){ hook_self.tree->metrics, values };
}

static void many_end(const uint64_t *values)
{
	if (__builtin_expect(hook_self.waiting, 0))
		drain(hook_self.tree, values);
	note_ends();
}

static void many_entered(uintptr_t function, uintptr_t sp, uintptr_t site, uint64_t *values)
{
	const struct hook_function *f = are_plain() ? functions_find(function) : NULL;

	if (!f) {
		hook_entered(function, sp, site, values);
	} else if (plain_enter(f, sp, site, reads_of(values))) {
		many_end(values);
	} else {
		note_now(hook_self.tree, function, f, (struct call_place){ sp, site }, false,
			 values);
		note_ends();
	}
}

static void many_left(uintptr_t function, uintptr_t sp, uint64_t *values)
{
	if (!are_plain()) {
		hook_left(function, sp, values);
	} else if (plain_leave(function, sp, reads_of(values))) {
		many_end(values);
	} else {
		note_now(hook_self.tree, function, NULL, (struct call_place){ sp, 0 }, true,
			 values);
		note_ends();
	}
}

/* Without a stack canary: its check would run after the last read. */
#define WHOLE __attribute__((no_stack_protector)) void

WHOLE hook_any_entered_at(uintptr_t function, uintptr_t sp, uintptr_t site, uint64_t now)
{
	uint64_t values[CALL_METRICS] = { now };

	if (joins(function, (struct call_place){ sp, site }, false))
		return;
	hook_entered(function, sp, site, values);
	hook_late();
}

WHOLE hook_any_entered(uintptr_t function, uintptr_t sp, uintptr_t site)
{
	uint64_t values[CALL_METRICS];

	if (joins(function, (struct call_place){ sp, site }, false))
		return;
	hook_early(values);
	many_entered(function, sp, site, values);
	hook_late();
}

WHOLE hook_any_left_at(uintptr_t function, uintptr_t sp, uint64_t now)
{
	uint64_t values[CALL_METRICS] = { now };

	if (joins(function, (struct call_place){ sp, 0 }, true))
		return;
	hook_left(function, sp, values);
	hook_late();
}

WHOLE hook_any_left(uintptr_t function, uintptr_t sp)
{
	uint64_t values[CALL_METRICS];

	if (joins(function, (struct call_place){ sp, 0 }, true))
		return;
	hook_early(values);
	many_left(function, sp, values);
	hook_late();
}
