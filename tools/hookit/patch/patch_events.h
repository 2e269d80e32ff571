/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interface between gates and events. */
#ifndef PATCH_EVENTS_H
#define PATCH_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "patch.h"

extern struct patch_events patch_events;
/* Entries whose return was not hooked for lack of memory for the return address. */
extern uint64_t patch_unkept;

/* Returns whether the return is hooked. back: points to the return address. */
bool patch_entered(uintptr_t stub, uintptr_t frame, uintptr_t *back);
/* Returns the real return address. */
uintptr_t patch_left(uintptr_t stub, uintptr_t frame);
void patch_began(uintptr_t stub, uintptr_t frame);
void patch_ended(uintptr_t stub, uintptr_t frame);
void patch_tailed(uintptr_t stub, uintptr_t frame);

#endif
