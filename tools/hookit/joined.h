/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In a Java VM whose agent counts calls, events are passed to the agent: functions are in the trees
 * of Java's methods, and the agent writes the log. This library then notes nothing and has no log.
 */
#ifndef JOINED_H
#define JOINED_H

#include "hook_thread.h"

extern HOOK_OURS bool hook_joins;

/* Looks for the agent. */
bool joined_begin(void);
/* Returns -1 if the agent's table is full. */
int32_t joined_number(const char *name);
/* As the events in hook_events.h. */
void joined_entered(uintptr_t function, uintptr_t sp, uintptr_t site);
void joined_left(uintptr_t function, uintptr_t sp);
void joined_popped(uintptr_t sp, enum call_event went);

#endif
