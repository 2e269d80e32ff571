/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the place when a program of root is loaded, because it may drop its rights before its first
 * record. All references to this file are weak: our own programs and tests, which are linked with
 * the inner archive, omit it. A program that has written nothing leaves no pages behind.
 */
#include <errno.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "hook/hook_place.h"

static struct hook_place *found;
static enum { UNUSED, USED, LEFT } state;

static __attribute__((constructor)) void find_early(void)
{
	int saved = errno;

	if (!geteuid() && !getuid() && !getauxval(AT_SECURE))
		found = hook_place_find();
	errno = saved;
}

struct hook_place *hook_early(void)
{
	__typeof__(state) was = UNUSED;

	if (!found)
		return NULL;
	__atomic_compare_exchange_n(&state, &was, USED, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return was == LEFT ? NULL : found;
}

static __attribute__((destructor)) void leave(void)
{
	__typeof__(state) was = UNUSED;

	if (found && __atomic_compare_exchange_n(&state, &was, LEFT, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
		hook_place_leave(found);
}
