/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whose samples are those of a thread that carries virtual ones: each name is a row with a number,
 * which is noted at the mount for the carrier's handler. Threads without a name share a row, and so
 * do all names behind the first ones: however many there are, the memory has a bound.
 *
 * As a thread of the kernel's a carrier is called by its own name and that of what it carries, or
 * has carried last: mounts of one name after another are told of once.
 */
#ifndef VIRTUAL_NAMES_H
#define VIRTUAL_NAMES_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#define VIRTUAL_NAMES 4096

/* An environment of its own in the VM; then, once that is up, its events: each once, whoever asks.
 * A VM that has no virtual threads, or does not say when they are mounted: nothing is ever mounted.
 */
void virtual_names_begin(JavaVM *java);
void virtual_names_hear(void);

/* Who is told, on the carrier, what it is called from now on; false: nobody took it, so that the
 * next mount tells it again. One is enough: the last who asks. Before the VM is up. */
void virtual_names_tell(bool (*called)(const char *name));
/* This thread's own name; NULL: it ends. */
void virtual_names_own(const char *name);

/* For handlers: the row of what is mounted here. 0: nothing is. */
uint32_t virtual_names_here(void);

/* For who writes them: rows are 1 to the count. */
uint32_t virtual_names_count(void);
const char *virtual_names_get(uint32_t row);

#endif
