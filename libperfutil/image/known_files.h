/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that traced processes have mapped, with the build ids that were read while they were
 * mapped: later files of the same name are ignored.
 */
#ifndef PITRACE_KNOWN_FILES_H
#define PITRACE_KNOWN_FILES_H

#include <pitrace.h>

struct known_files;

/* NULL: no memory. The caller frees it by known_files_free. */
struct known_files *known_files_new(void);
void known_files_free(struct known_files *k);
/* Identifies the file of a mapping (a whole record, its path with a NUL), unless it is known. */
void known_files_identify(struct known_files *k, const struct pitrace_mte_map *map);
/* Identifies the file and returns its build id if it was not returned before, else NULL. */
const struct pitrace_mte_buildid *known_files_take_id(struct known_files *k,
						      const struct pitrace_mte_map *map);
/* The same for an id that the process reports, if its file cannot be opened. */
const struct pitrace_mte_buildid *known_files_add_id(struct known_files *k,
						     const struct pitrace_mte_map *map,
						     const void *id, size_t size);
/* Returns the path of the file for this process, if it differs from the traced process's; else
 * NULL. */
const char *known_files_path(struct known_files *k, const struct pitrace_mte_map *map);
/* Marks all ids as not returned: another trace file begins. */
void known_files_reset(struct known_files *k);

#endif
