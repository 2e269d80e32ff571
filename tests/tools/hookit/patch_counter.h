/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that programs running with patch_counter.so may call. */
#ifndef PATCH_COUNTER_H
#define PATCH_COUNTER_H

#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

/* How many functions are on. */
EXPORTED long patch_counter_on(void);
EXPORTED void patch_counter_off(void);
/* After dlopen. */
EXPORTED void patch_counter_find(void);
/* Entries so far. */
EXPORTED unsigned long long patch_counter_events(void);
/* on, off, events: what patch_attach asks for. */
EXPORTED void patch_counter_asked(const char *word, char *answer, size_t room);

#endif
