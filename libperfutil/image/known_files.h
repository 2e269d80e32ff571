/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that traced processes have mapped, each with the build id that was read while it was: what
 * has the file's name later is no matter.
 */
#ifndef PITRACE_KNOWN_FILES_H
#define PITRACE_KNOWN_FILES_H

#include <pitrace.h>

struct known_files;

/* NULL: no memory. */
struct known_files *known_files_new(void);
void known_files_free(struct known_files *k);
/* Look at the file of a mapping (a whole record, its path with a NUL), unless it is known. */
void known_files_identify(struct known_files *k, const struct pitrace_mte_map *map);
/* The same; and its build id, if nobody was told of it yet. NULL: somebody was, or it is not
 * known. */
const struct pitrace_mte_buildid *known_files_take_id(struct known_files *k,
						   const struct pitrace_mte_map *map);
/* The same of an id that the process itself tells, where its file cannot be looked at. */
const struct pitrace_mte_buildid *known_files_add_id(struct known_files *k,
						   const struct pitrace_mte_map *map,
						   const void *id, size_t size);
/* Its path as we have it, where that is another one than the process's; else NULL. */
const char *known_files_path(struct known_files *k, const struct pitrace_mte_map *map);
/* All are news again: another file of records begins. */
void known_files_reset(struct known_files *k);

#endif
