/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads from memory that may be unmapped. A walk follows pointers on a stack and in the VM's
 * structures, which may change or disappear meanwhile: each load either succeeds or fails cleanly.
 * The load is one known instruction; if it faults, the handler of SIGSEGV and SIGBUS, installed in
 * front of the VM's, resumes after it. All other faults are passed to the VM's handler.
 */
#ifndef GUARDED_H
#define GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Call it once the VM has set its own handlers. Returns NULL, or the reason for the failure. */
const char *guarded_begin(void);

/* Loads a word: the address must be a multiple of 8. */
bool guarded_word(uint64_t address, uint64_t *to);

/* Copies bytes from any address. */
bool guarded_copy(void *to, uint64_t from, size_t n);

static inline bool guarded_load(uint64_t address, uint64_t *to)
{
	return address % 8 ? guarded_copy(to, address, 8) : guarded_word(address, to);
}

/* A value that is within an aligned word is loaded with it. For little-endian machines: stacks are
 * sampled on no others. */
#define GUARDED_LOAD(name, type, result)                                   \
	static inline bool name(uint64_t address, result *to)              \
	{                                                                  \
		uint64_t word, skip = address % 8;                         \
		type value = 0;                                            \
                                                                           \
		if (skip > 8 - sizeof(type)) {                             \
			if (!guarded_copy(&value, address, sizeof(value))) \
				return false;                              \
		} else {                                                   \
			if (!guarded_word(address - skip, &word))          \
				return false;                              \
			value = (type)(word >> 8 * skip);                  \
		}                                                          \
		*to = value;                                               \
		return true;                                               \
	}
GUARDED_LOAD(guarded_load32, uint32_t, uint32_t)
GUARDED_LOAD(guarded_load16, uint16_t, uint32_t)
GUARDED_LOAD(guarded_load8, uint8_t, uint8_t)
#undef GUARDED_LOAD

#endif
