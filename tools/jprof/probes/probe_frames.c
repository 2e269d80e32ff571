/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe_frames.h"

#define FAR 64 /* frames searched after the first candidate */

#define NOT_BEGUN UINT32_MAX

/* Drops ended frames: methods inlined in a frame share its stack pointer, and each site enters one
 * method: if it enters again, the earlier frame has ended. */
static void drop_ended(struct call_thread *t, struct call_place at)
{
	uint32_t i = t->depth;

	if (i > t->deepest)
		return;
	while (i && t->frames[i - 1].at.frame == at.frame) {
		if (t->frames[--i].at.site == at.site) {
			call_forget(t, i);
			return;
		}
	}
}

void probe_enter(struct call_thread *t, const void *known, uint32_t method, uint32_t type,
		 struct call_place at, const uint64_t *values)
{
	drop_ended(t, at);
	if (t->depth < t->deepest) {
		t->frames[t->depth].at = at;
		t->frames[t->depth].known = known;
	}
	call_enter(t, method, type, values);
}

static bool is_interpreted(uintptr_t frame)
{
	return frame & 1;
}

/*
 * Returns the index of the method's frame; depth: not found. Code may be replaced while it runs,
 * with a new frame: then the method's innermost frame is returned. But if an exception leaves an
 * interpreter frame that is inner to it, that frame remains: the call that ends did not fit on the
 * stack, and its begin was not reported.
 */
static uint32_t find(const struct call_thread *t, uint32_t method, enum call_event went,
		     uintptr_t frame)
{
	uint32_t best = t->depth, left = FAR, i = t->depth;

	if (i > t->deepest)
		return i - 1;
	while (i-- && left) {
		uintptr_t this = t->frames[i].at.frame;
		bool is = t->frames[i].method == method;

		if (is && this == frame)
			return i;
		if (is && best == t->depth) {
			if (went == EVENT_UNWIND && is_interpreted(this) && is_interpreted(frame) &&
			    this > frame)
				return NOT_BEGUN;
			best = i;
		}
		if (best != t->depth && this > frame)
			break;
		left -= best != t->depth;
	}
	return best;
}

void probe_end(struct call_thread *t, uint32_t method, enum call_event went, uintptr_t frame,
	       const uint64_t *values)
{
	uint32_t at = find(t, method, went, frame);

	if (at == NOT_BEGUN)
		call_nothing(t, values);
	else if (at < t->depth)
		call_end(t, at, method, went, values);
	else
		call_end_unknown(t, method, went, values);
}
