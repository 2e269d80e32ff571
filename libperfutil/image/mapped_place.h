/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a file is for us that a process in a chroot, or with mounts of its own, has mapped. */
#ifndef PITRACE_MAPPED_PLACE_H
#define PITRACE_MAPPED_PLACE_H

#include <pitrace.h>
#include <stdbool.h>
#include <sys/stat.h>

/* st: of the mapped file itself. True: its path is another one for us, in `place`. */
bool mapped_place(const struct pitrace_mte_map *map, const struct stat *st, char *place,
		  size_t size);

#endif
