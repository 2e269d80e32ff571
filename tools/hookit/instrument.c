/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entry points of code compiled with -finstrument-functions. */
#include "hook_events.h"

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

#define HERE (((uintptr_t)1 << HOOK_SITE_BITS) - 1)
#define SITE(from) \
	(((uintptr_t)__builtin_return_address(0) & HERE) | (uintptr_t)(from) << HOOK_SITE_BITS)

/* The caller's stack pointer before the call. */
#define SP ((uintptr_t)__builtin_dwarf_cfa())

HOOK_BARE void __cyg_profile_func_enter(void *function, void *site)
{
	hook_enters((uintptr_t)function, SP, SITE(site));
}

HOOK_BARE void __cyg_profile_func_exit(void *function, void *site)
{
	(void)site;
	hook_leaves((uintptr_t)function, SP);
}
