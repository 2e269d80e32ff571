/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Attributes samples of a carrier to the virtual thread mounted on it. Each name has a numbered
 * row; the mount stores the number for the carrier's signal handler. Threads without a name share a
 * row, as do all names after the table is full: memory is bounded for any number of threads.
 *
 * A carrier's name as a kernel thread is its own name and the name of the virtual thread that it
 * carries or carried last: repeated mounts of the same name are reported once.
 */
#ifndef VIRTUAL_NAMES_H
#define VIRTUAL_NAMES_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#define VIRTUAL_NAMES 4096

/* The first creates a separate JVMTI environment; the second registers its events once the VM is
 * up. Repeated calls have no effect. A VM without virtual threads, or without mount events, never
 * reports a mounted thread. */
void virtual_names_begin(JavaVM *java);
void virtual_names_subscribe(void);

/* Sets the callback that receives a carrier's new name, on the carrier. If it returns false, the
 * next mount reports the name again. Only the last callback set is called. Call it before the VM is
 * up. */
void virtual_names_notify(bool (*called)(const char *name));
/* Sets this thread's own name; NULL when it ends. */
void virtual_names_own(const char *name);

/* Returns the row of the virtual thread mounted here, 0 if none is. Safe in signal handlers. */
uint32_t virtual_names_here(void);

/* Rows are numbered from 1 to the count. */
uint32_t virtual_names_count(void);
const char *virtual_names_get(uint32_t row);

#endif
