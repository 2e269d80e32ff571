/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that were built with sites to be patched: see patched.c. */
#ifndef PATCHED_H
#define PATCHED_H

#include <pthread.h>
#include <stdbool.h>

#ifdef HOOKIT_PATCHES
/* Whether sites of libraries loaded from now on are to be patched; and reports that one has been
 * loaded. */
bool patched_asks(void);
void patched_loaded(void);
/* Serializes patched_loaded(). */
extern pthread_mutex_t patched_lock;
#else
static inline bool patched_asks(void)
{
	return false;
}

static inline void patched_loaded(void) { }
#endif

/* Whether the patterns take a function of this name, demangled. */
bool hookit_takes(const char *name);

#endif
