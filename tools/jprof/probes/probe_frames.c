/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe_frames.h"

#define FAR 64 /* frames that are looked at beyond the first that may be the one */

#define NOT_BEGUN UINT32_MAX

/* Methods that are inlined in a frame have its stack pointer. There is a site's method once in it:
 * where it begins again, it has ended. */
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
 * The number of frames below the method's own; depth: it has none. Code may be replaced while it
 * runs, and its frame with it: then the innermost one of the method is it. But when an exception
 * leaves the interpreter in an inner frame than that, it goes on: what ends is a call for which the
 * stack had no room, and of which no begin was told.
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
