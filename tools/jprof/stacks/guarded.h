/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads from memory that may not be there. A walk follows what it finds on a stack and in the VM's
 * structures, which may change or go meanwhile: each load either gives what is there or fails. The
 * load is one known instruction; where it faults, the handler of SIGSEGV and SIGBUS, which stands
 * before the VM's, goes on behind it. Any other fault is the VM's, as before.
 */
#ifndef GUARDED_H
#define GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once the VM has its own handlers. NULL, or why not. */
const char *guarded_begin(void);

/* Of whole words: the address is a multiple of 8. */
bool guarded_word(uint64_t address, uint64_t *to);

/* Of any bytes. */
bool guarded_copy(void *to, uint64_t from, size_t n);

static inline bool guarded_load(uint64_t address, uint64_t *to)
{
	return address % 8 ? guarded_copy(to, address, 8) : guarded_word(address, to);
}

static inline bool guarded_load32(uint64_t address, uint32_t *to)
{
	return guarded_copy(to, address, sizeof(*to));
}

static inline bool guarded_load16(uint64_t address, uint32_t *to)
{
	uint16_t value = 0;
	bool is_there = guarded_copy(&value, address, sizeof(value));

	*to = value;
	return is_there;
}

#endif
