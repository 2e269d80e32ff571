/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks whether a library can be preloaded into a program. */
#ifndef PITRACE_TIMER_PROGRAM_H
#define PITRACE_TIMER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Checks a program, or the interpreter of a script. False with a message and a remedy. */
bool timer_can_enter(const char *path, char *why, size_t why_room, char *cure, size_t cure_room);

#endif
