/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of functions in programs that were not built for it: the sites that their compiler left
 * (gcc and clang -fpatchable-function-entry=5, clang -fxray-instrument) are patched in the running
 * program, for the functions asked for, and back, while its threads run.
 *
 * Code is written by /proc/self/mem: no page of it is ever writable, nor, for a moment, not
 * executable. Functions that are being called when they are switched off still tell their ends.
 */
#ifndef HOOKIT_PATCH_H
#define HOOKIT_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Events. function: its address. frame: where its return address is on the stack (arm64: the stack
 * pointer at its entry): of functions that are being called those whose frame is less, on the same
 * stack, are over, whoever left them.
 */
struct patch_events {
	/* false: it is of no interest; its end, if that is a hooked return, is not told. */
	bool (*enter)(uintptr_t function, uintptr_t frame);
	void (*leave)(uintptr_t function, uintptr_t frame);
	/* It ends by a jump to another function. That one, if patched, enters next, with its
	 * frame. */
	void (*tail)(uintptr_t function, uintptr_t frame);
	/* Both at once: it is entered by a jump from the one that had the frame, which is over.
	 * NULL: they are told one after the other. */
	bool (*follow)(uintptr_t function, uintptr_t frame);
	/* These are compiled by -mgeneral-regs-only, and call other code by patch_with_vectors()
	 * alone. Else all registers of vectors are kept at each event. */
	bool plain;
};

typedef uintptr_t patch_any(uintptr_t a, uintptr_t b);
uintptr_t patch_with_vectors(patch_any *function, uintptr_t a, uintptr_t b);

/* Before anything else. NULL, or why nothing can be patched in this process. */
const char *patch_begin(const struct patch_events *events);

/*
 * Looks for sites in all that is loaded; again after dlopen. Returns how many there are; 0: none,
 * and `why` says what to compile with; -1: an error, which it tells.
 */
long patch_find(char *why, size_t room);
/* The same, but how many there are in what was loaded since they were switched last; 0: `why` stays
 * as it is if nothing is wrong with what is loaded. */
long patch_find_new(char *why, size_t room);
/* Switches on those sites whose functions are wanted (name: as the linker has it, or NULL), and the
 * others off. Returns how many functions are on; -1: an error: what was on is on. */
long patch_on(bool (*wanted)(void *arg, const char *name, uintptr_t function), void *arg, char *why,
	      size_t room);
int patch_off(char *why, size_t room);

/* A line for each object that has sites, and each reason why some cannot be patched. */
void patch_tell(void (*tell)(void *arg, const char *line), void *arg);
/* Calls whose return could not be hooked. */
uint64_t patch_missed(void);

#endif
