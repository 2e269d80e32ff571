/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What code that is compiled with -finstrument-functions calls. */
#include "hook_events.h"

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

#define HERE (((uintptr_t)1 << HOOK_SITE_BITS) - 1)
#define SITE(from) \
	(((uintptr_t)__builtin_return_address(0) & HERE) | (uintptr_t)(from) << HOOK_SITE_BITS)

/* The caller's stack pointer when it made the call. */
#define SP ((uintptr_t)__builtin_dwarf_cfa())

HOOK_BARE void __cyg_profile_func_enter(void *function, void *site)
{
	uint64_t now[CALL_METRICS];

	hook_early(now);
	hook_entered((uintptr_t)function, SP, SITE(site), now);
	hook_late();
}

HOOK_BARE void __cyg_profile_func_exit(void *function, void *site)
{
	uint64_t now[CALL_METRICS];

	(void)site;
	hook_early(now);
	hook_left((uintptr_t)function, SP, now);
	hook_late();
}
