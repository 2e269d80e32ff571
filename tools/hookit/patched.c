/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that were built with sites to be patched (patch/): their functions tell as those of
 * -mfentry do, from where their return address lies.
 */
#include "patched.h"

#include <stdio.h>
#include <stdlib.h>

#include "a2n.h"
#include "escape.h"
#include "hook_events.h"
#include "hookit_begin.h"
#include "hookit_options.h"
#include "patch/patch.h"
#include "training.h"

#if defined(__x86_64__)
#include "fentry.h"

static bool enter(uintptr_t function, uintptr_t frame)
{
	hook_fentry(function, frame);
	return true;
}

static void leave(uintptr_t function, uintptr_t frame)
{
	hook_return(function, frame);
}
#else
static bool enter(uintptr_t function, uintptr_t frame)
{
	hook_enters(function, frame, 0);
	return true;
}

static void leave(uintptr_t function, uintptr_t frame)
{
	(void)function;
	hook_leaves(0, frame);
}
#endif

static const struct patch_events events = {
	.enter = enter,
	.leave = leave,
	.tail = leave,
#if defined(__x86_64__)
	.plain = true,
#endif
};

/* The library's own sites (training_exact.S). */
static bool is_training(void *arg, const char *name, uintptr_t function)
{
	(void)arg, (void)name;
#if defined(__x86_64__)
	return function >= (uintptr_t)training_sites_low &&
	       function < (uintptr_t)training_sites_high;
#else
	(void)function;
	return false;
#endif
}

static bool wanted(void *arg, const char *name, uintptr_t function)
{
	char *plain = name ? a2n_demangle(name) : NULL;
	bool takes = hookit_takes(plain ? plain :
				  name  ? name :
					  "") &&
		     !is_training(arg, name, function);

	free(plain);
	return takes;
}

/* Before the program's own code: a program without sites does not notice it, unless the options are
 * wrong. */
static __attribute__((constructor)) void begin(void)
{
	char why[512] = "";
	const struct hookit_options *o = getenv("HOOKITOPTS") ? hookit_options() : NULL;
	const char *cannot;

	if (!o || !o->patches)
		return;
	cannot = patch_begin(&events);
	if (!cannot && patch_find(why, sizeof(why)) <= 0)
		return;
	hookit_sites = "patched sites";
	if (!cannot && (patch_on(is_training, NULL, why, sizeof(why)) < 0 ||
			(hookit_begin(true) && patch_on(wanted, NULL, why, sizeof(why)) < 0)))
		cannot = why;
	if (cannot)
		escape_printf(stderr, "hookit: PATCH: %s\n", cannot);
}
