/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Debug files from servers (debuginfod), by build id: off unless asked for, with a limit of time.
 * The library is loaded when the first file is wanted, not linked: few use it, and it brings a web
 * client along.
 */
#ifndef A2N_DEBUGINFOD_H
#define A2N_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

#include "a2n/elf/elf_file.h"

struct debuginfod;

/* seconds: for one file; after a server took longer none is asked any more. NULL: no memory. */
struct debuginfod *debuginfod_open(uint32_t seconds);
void debuginfod_close(struct debuginfod *d);
/* A descriptor of the file and its name in the cache; -1: it cannot be had. */
int debuginfod_get(struct debuginfod *d, const struct build_id *id, char *path, size_t size);
/* Why the last one could not be had, if that is worth a word and not said yet; else NULL. */
const char *debuginfod_why(struct debuginfod *d);

/* A process without a network lets another one ask: set before the first file is wanted. Like
 * debuginfod_get; *why as debuginfod_why says it. */
typedef int (*debuginfod_fetch_fn)(const struct build_id *id, char *path, size_t size,
				const char **why);
void debuginfod_set_fetch(debuginfod_fetch_fn fetch);

#endif
