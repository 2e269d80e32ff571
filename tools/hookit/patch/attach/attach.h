/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A function is called in a running process: one of its threads does it, as if a signal had come
 * and the function was its handler. The frame on the thread's stack has all that it goes on with,
 * so it does by itself: whoever is killed meanwhile, the caller here or nobody, the program runs
 * on. One that waits for a lock in it for long is put back to where it was; one that waits for
 * something else goes on by itself. It takes what a debugger takes: the process' own user, and that
 * the system allows ptrace.
 */
#ifndef PATCH_ATTACH_H
#define PATCH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Loads a library (a whole path) there by dlopen; one that is there stays. false: why not. */
bool attach_load(pid_t pid, const char *library, char *why, size_t room);
/* Calls the library's function(argument, answer, how much room there is for the answer). */
bool attach_call(pid_t pid, const char *library, const char *function, const char *argument,
		 char *answer, size_t answer_room, char *why, size_t room);

#endif
