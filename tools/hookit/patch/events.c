/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What gates call: from sites to events. This file is compiled without registers of vectors (-m
 * general-regs-only), as gates do not keep them.
 */
#include "events.h"

#include "kept.h"
#include "stub.h"

/* What is called with its registers kept: a result in all of a register, or none. */
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

static void tell(void (*event)(uintptr_t function, uintptr_t frame), uintptr_t function,
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
 * The return address of a function that was jumped to is that of the one which jumped, hooked: that
 * one is over.
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
	/* Of a frame that was left by a jump it is there still, which is to cost nobody more. */
	over = k->back == *back;
	if (!over)
		k->home = *back;
	else if (!patch_events.follow)
		tell(patch_events.tail, stub_function(stub_of(*back)), frame);
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

	tell(patch_events.leave, stub_function(stub), frame);
	k->back = 0;
	return k->home;
}

void patch_began(uintptr_t stub, uintptr_t frame)
{
	enter(patch_events.enter, stub_function(stub), frame);
}

void patch_ended(uintptr_t stub, uintptr_t frame)
{
	tell(patch_events.leave, stub_function(stub), frame);
}

void patch_tailed(uintptr_t stub, uintptr_t frame)
{
	tell(patch_events.tail, stub_function(stub), frame);
}
