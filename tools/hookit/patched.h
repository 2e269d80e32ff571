/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that were built with sites to be patched: see patched.c. */
#ifndef PATCHED_H
#define PATCHED_H

#include <pthread.h>
#include <stdbool.h>

/* Whether sites of what is loaded from now on are to be patched; and it has been loaded. */
bool patched_asks(void);
void patched_loaded(void);
/* Of the latter: one at a time. */
extern pthread_mutex_t patched_lock;

/* Whether the patterns take a function of this name, demangled. */
bool hookit_takes(const char *name);

#endif
