/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In a Java VM whose agent counts calls events go there: functions stand in the trees of Java's
 * methods, and the agent writes them. Nothing is noted here then, and there is no log of its own.
 */
#ifndef JOINED_H
#define JOINED_H

#include "hook_thread.h"

extern HOOK_OURS bool hook_joins;

/* Looks for the agent. */
bool joined_begin(void);
/* -1: there is no room. */
int32_t joined_number(const char *name);
/* As hook_events.h has them. */
void joined_entered(uintptr_t function, uintptr_t sp, uintptr_t site);
void joined_left(uintptr_t function, uintptr_t sp);
void joined_popped(uintptr_t sp, enum call_event went);

#endif
