/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens the very file that a process has mapped, whatever has its name by now: through the process,
 * with the process's rights.
 */
#ifndef PITRACE_MAPPED_FILE_H
#define PITRACE_MAPPED_FILE_H

#include <pitrace.h>
#include "base/rights.h"

/* Returns a descriptor or -1. When the process has exited only the path remains, which is opened
 * from this process's root with the rights of user (NULL: its own), but not if `live`. */
int mapped_file_open(const struct pitrace_mte_map *map, bool live, const struct rights *user);
/* Reads its GNU build id; length 0: it has none, and the id is derived from its content
 * (file_same.h). */
void mapped_file_id(int fd, struct pitrace_mte_buildid *id);

#endif
