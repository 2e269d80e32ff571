/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Debug files from servers (debuginfod), by build id: off unless requested, with a time limit. The
 * library is loaded when the first file is needed, not linked: it is rarely used, and depends on a
 * web client.
 */
#ifndef A2N_DEBUGINFOD_H
#define A2N_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

#include "a2n/elf/elf_file.h"

struct debuginfod;

/* seconds: limit per file; after a timeout no server is queried any more. NULL: no memory. */
struct debuginfod *debuginfod_open(uint32_t seconds);
void debuginfod_close(struct debuginfod *d);
/* Returns a descriptor of the file and its name in the cache; -1: not available. */
int debuginfod_get(struct debuginfod *d, const struct build_id *id, char *path, size_t size);
/* Returns why the last fetch failed, if worth a message and not reported yet; else NULL. */
const char *debuginfod_why(struct debuginfod *d);

/* Sets a function that fetches instead, for a process without network access; set it before the
 * first fetch. Like debuginfod_get; *why as returned by debuginfod_why. */
typedef int (*debuginfod_fetch_fn)(const struct build_id *id, char *path, size_t size,
				   const char **why);
void debuginfod_set_fetch(debuginfod_fetch_fn fetch);

#endif
