/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The methods found in samples, by the address of the VM's Method structure. A method's name and
 * lines are read when a sample first finds it on a stack, because it must exist then; they are
 * copied to memory reserved beforehand, without a lock. Each method keeps its number. After classes
 * were unloaded another method may have the same address: the name is compared again, once.
 *
 * An inconsistent method (its class must point back to its constant pool) is refused: a value on a
 * stack need not be a method.
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
	_Atomic uint32_t kinds; /* bits of enum walk_kind: how it ran */
	bool is_native;
	bool enters_virtual; /* on a carrier's stack it calls a virtual thread's outermost frame */
	bool freezes;        /* moves a virtual thread's frames to the heap */
	char text[];         /* class, name, descriptor, file; then the table of lines */
};

/* Returns false if there is no memory. */
bool seen_methods_begin(void);
/* Returns the method's number. SEEN_NONE: it is not a method, or the table is full (counted). */
uint32_t seen_methods_find(const struct vm_layout *l, uint64_t method);
/* Records how it ran (enum walk_kind): each kind has its own range of addresses. */
void seen_methods_ran(uint32_t number, unsigned int kind);
/* Sets the start and size of its bytecode. */
bool seen_methods_code(const struct vm_layout *l, uint64_t method, uint64_t *begin, uint32_t *size);
/* Call it when classes were unloaded. */
void seen_methods_unloaded(void);

/* For the writer: the count of numbers, and the method of a number; NULL if it is not filled in
 * yet. */
uint32_t seen_methods_count(void);
const struct seen_method *seen_methods_get(uint32_t number);
uint64_t seen_methods_without_room(void);

#endif
