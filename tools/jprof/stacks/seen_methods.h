/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The methods that samples found, by the VM's Method structures. What a method is called, and its
 * lines, are read when a sample first finds it on a stack, for then it is there; they are copied to
 * memory that was reserved before, with no lock. Each has a number for good. Once classes have been
 * unloaded another method may have the same place: its name is compared, once.
 *
 * A method that is not whole (its class must lead back to its constants) is refused: what stands on
 * a stack need not be one.
 */
#ifndef SEEN_METHODS_H
#define SEEN_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "vm_layout.h"

#define SEEN_MOST (1u << 20)
#define SEEN_NONE UINT32_MAX

struct seen_method {
	uint64_t since; /* ns of CLOCK_MONOTONIC, when it was first seen */
	uint32_t class_length, name_length, descriptor_length, file_length, lines_length;
	_Atomic uint32_t kinds; /* bits: how it ran */
	bool is_native;
	bool enters_virtual; /* on a carrier's stack it calls a virtual thread's outermost frame */
	bool freezes;        /* moves a virtual thread's frames to the heap */
	char text[];         /* class, name, descriptor, file; then the table of lines */
};

/* False: no memory. */
bool seen_methods_begin(void);
/* Its number. SEEN_NONE: it is none, or there is no room (counted). */
uint32_t seen_methods_find(const struct vm_layout *l, uint64_t method);
/* How it ran, enum walk_kind: each way has a range of addresses. */
void seen_methods_ran(uint32_t number, unsigned int kind);
/* Where its bytecode begins, and how long it is. */
bool seen_methods_code(const struct vm_layout *l, uint64_t method, uint64_t *begin, uint32_t *size);
/* Classes have been unloaded. */
void seen_methods_unloaded(void);

/* For who writes them: how many numbers there are, and what is behind one; NULL: not yet. */
uint32_t seen_methods_count(void);
const struct seen_method *seen_methods_get(uint32_t number);
uint64_t seen_methods_without_room(void);

#endif
