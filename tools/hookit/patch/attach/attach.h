/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls a function in a running process: one of its threads executes it like the handler of a
 * signal. The frame on the thread's stack contains all that the thread needs to resume, so the
 * program continues even if the caller here is killed meanwhile. A thread that waits long for a
 * lock in the function is put back to where it was; one that waits for something else continues
 * untraced. Needs what a debugger needs: the process's own user, and a system that allows ptrace.
 */
#ifndef PATCH_ATTACH_H
#define PATCH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Loads a library (an absolute path) there by dlopen, unless it is loaded already. false: `why`. */
bool attach_load(pid_t pid, const char *library, char *why, size_t room);
/* Calls the library's function(argument, answer, size of answer). */
bool attach_call(pid_t pid, const char *library, const char *function, const char *argument,
		 char *answer, size_t answer_room, char *why, size_t room);

#endif
