// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A library of three pages of code, each with one function; built under several names that differ
 * in their functions' names only, so that one can take the very place of another.
 */
#include "work.h"

#define JOIN2(a, b) a##b
#define JOIN(a, b)  JOIN2(a, b)

/* One turn of 20,000 loops: the caller watches the clock. */
#define PAGE(name)                                                     \
	__attribute__((noinline, aligned(WORK_PAGE))) void name(void); \
	void name(void)                                                \
	{                                                              \
		turns(20000);                                          \
	}

PAGE(JOIN(first_, NAME))
PAGE(JOIN(middle_, NAME))
PAGE(JOIN(last_, NAME))
/* Fills the third page up. */
PAGE(JOIN(after_, NAME))
