/* SPDX-License-Identifier: GPL-2.0 */
/* Records code that is in no file, and checks whether a thread's code is in one. */
#ifndef PITRACE_ITRACE_CODE_H
#define PITRACE_ITRACE_CODE_H

#include "itrace/itrace_table.h"

/* Records the code at the current thread's address; may sleep. */
void it_code(struct it_thread *t);
/* Allocates the checksums of recorded code, which the caller frees by vfree(); forgets them, so
 * that all code is new again. */
u64 *it_code_sums(void);
void it_code_forget(u64 *sums);
/* Counts changes of executable mappings. */
extern atomic_t it_maps;

/* Does a branch to `ip` lead to code that may be in no file? */
static __always_inline bool it_unknown_code(struct it_thread *t, u64 ip)
{
	int i;

	if (unlikely(t->maps != (u32)atomic_read(&it_maps))) {
		t->maps = atomic_read(&it_maps);
		memset(t->bytes, 0, sizeof(t->bytes));
		t->unit = ~0ull;
	}
	for (i = 0; i < IT_RANGES; i++)
		if (ip - t->from[i] < t->bytes[i])
			goto file;
	return (ip & ~(u64)(PITRACE_CODE_MAX - 1)) != t->unit;
file:
	t->unit = ~0ull;
	return false;
}

#endif
