/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between gates and events. */
#ifndef PATCH_EVENTS_H
#define PATCH_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "patch.h"

extern struct patch_events patch_events;
/* Entries whose return was not hooked, as there was no memory for its address. */
extern uint64_t patch_unkept;

/* Whether the return is hooked. back: where the return address is. */
bool patch_entered(uintptr_t stub, uintptr_t frame, uintptr_t *back);
/* The real return address. */
uintptr_t patch_left(uintptr_t stub, uintptr_t frame);
void patch_began(uintptr_t stub, uintptr_t frame);
void patch_ended(uintptr_t stub, uintptr_t frame);
void patch_tailed(uintptr_t stub, uintptr_t frame);

#endif
