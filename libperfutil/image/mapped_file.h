/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The very file that a process has mapped, whatever has its name by now: taken hold of through the
 * process, opened with the process's rights.
 */
#ifndef PITRACE_MAPPED_FILE_H
#define PITRACE_MAPPED_FILE_H

#include <pitrace.h>
#include "base/rights.h"

/* A descriptor or -1. user: with whose rights when the process is gone; its path, from our own root
 * on, is all that is left then (NULL: ourselves). `live`: not then. */
int mapped_file_open(const struct pitrace_mte_map *map, bool live, const struct rights *user);
/* Its GNU build id; length 0: it has none, and what is in it stands for one (file_same.h). */
void mapped_file_id(int fd, struct pitrace_mte_buildid *id);

#endif
