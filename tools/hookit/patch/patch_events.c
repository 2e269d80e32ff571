/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * C side of the gates: from sites to events. Compiled without vector registers
 * (-mgeneral-regs-only), because gates do not save them.
 */
#include "patch_events.h"

#include "kept.h"
#include "stub.h"

/* An event as called with vector registers saved: its result fills a register, or there is none. */
#define ANY(event) ((patch_any *)(void (*)(void))(event))

struct patch_events patch_events;
uint64_t patch_unkept;

static bool enter(bool (*event)(uintptr_t function, uintptr_t frame), uintptr_t function,
		  uintptr_t frame)
{
	if (!event)
		return false;
	if (patch_events.plain)
		return event(function, frame);
	return patch_with_vectors(ANY(event), function, frame) & 1;
}

static void report(void (*event)(uintptr_t function, uintptr_t frame), uintptr_t function,
		   uintptr_t frame)
{
	if (!event)
		return;
	if (patch_events.plain)
		event(function, frame);
	else
		patch_with_vectors(ANY(event), function, frame);
}

/*
 * If the return address is already hooked, the function was entered by a jump: the one that jumped
 * is over.
 */
bool patch_entered(uintptr_t stub, uintptr_t frame, uintptr_t *back)
{
	uintptr_t function = stub_function(stub);
	struct kept_slots *k;
	bool over;

	if (!kept_ready(frame)) {
		__atomic_fetch_add(&patch_unkept, 1, __ATOMIC_RELAXED);
		return false;
	}
	k = kept_place(frame);
	/* If the frame was left by a jump, it is still set; clearing it would slow down every
	 * event. */
	over = k->back == *back;
	if (!over)
		k->home = *back;
	else if (!patch_events.follow)
		report(patch_events.tail, stub_function(stub_of(*back)), frame);
	if (enter(over && patch_events.follow ? patch_events.follow : patch_events.enter, function,
		  frame)) {
		k->back = stub_back(stub);
		return true;
	}
	k->back = 0;
	*back = k->home;
	return false;
}

uintptr_t patch_left(uintptr_t stub, uintptr_t frame)
{
	struct kept_slots *k = kept_place(frame);

	report(patch_events.leave, stub_function(stub), frame);
	k->back = 0;
	return k->home;
}

void patch_began(uintptr_t stub, uintptr_t frame)
{
	enter(patch_events.enter, stub_function(stub), frame);
}

void patch_ended(uintptr_t stub, uintptr_t frame)
{
	report(patch_events.leave, stub_function(stub), frame);
}

void patch_tailed(uintptr_t stub, uintptr_t frame)
{
	report(patch_events.tail, stub_function(stub), frame);
}
