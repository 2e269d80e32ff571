/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hooks calls of functions in programs that were not built for it: the sites that their compiler
 * left (gcc and clang -fpatchable-function-entry=5, clang -fxray-instrument) are patched in the
 * running program, for the requested functions, and restored, while its threads run.
 *
 * Code is written through /proc/self/mem: its pages never become writable, nor non-executable, not
 * even for a moment. Functions that are running when they are switched off still report their exit.
 */
#ifndef HOOKIT_PATCH_H
#define HOOKIT_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Events. function: its address. frame: the address of its return address on the stack (arm64: the
 * stack pointer at its entry). Running functions whose frame is less, on the same stack, are over,
 * whatever ended them.
 */
struct patch_events {
	/* false: not of interest; its exit is not reported if that is a hooked return. */
	bool (*enter)(uintptr_t function, uintptr_t frame);
	void (*leave)(uintptr_t function, uintptr_t frame);
	/* The function ends by a jump to another one, which, if patched, enters next with the same
	 * frame. */
	void (*tail)(uintptr_t function, uintptr_t frame);
	/* Both in one: the function is entered by a jump from the one that had the frame, which is
	 * over. NULL: two separate events. */
	bool (*follow)(uintptr_t function, uintptr_t frame);
	/* The events are compiled with -mgeneral-regs-only and call other code only through
	 * patch_with_vectors(). If false, all vector registers are saved at each event. */
	bool plain;
};

typedef uintptr_t patch_any(uintptr_t a, uintptr_t b);
uintptr_t patch_with_vectors(patch_any *function, uintptr_t a, uintptr_t b);

/* Whether the program was compiled to call hooks itself: its sites, and those of its libraries,
 * need not be patched. */
bool patch_needless(void);

/* Must be called first. Returns NULL, or why nothing can be patched in this process. */
const char *patch_begin(const struct patch_events *events);

/*
 * Searches all loaded objects for sites; call again after dlopen(). Returns how many there are; 0:
 * none, and `why` says what to compile with; -1: an error, described in `why`.
 */
long patch_find(char *why, size_t room);
/* The same, but counts only objects loaded since sites were last switched; 0: `why` is unchanged if
 * there is no error. */
long patch_find_new(char *why, size_t room);
/* Switches on the sites of wanted functions (name: as the linker spells it, or NULL), and all
 * others off. Returns how many functions are on; -1: an error: what was on is on. */
long patch_on(bool (*wanted)(void *arg, const char *name, uintptr_t function), void *arg, char *why,
	      size_t room);
int patch_off(char *why, size_t room);

/* Passes on a line for each object with sites, and for each reason why some cannot be patched. */
void patch_report(void (*report)(void *arg, const char *line), void *arg);
/* The number of calls whose return could not be hooked. */
uint64_t patch_missed(void);

#endif
