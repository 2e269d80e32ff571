/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the path of a file for this process when the process that mapped it is in a chroot or has
 * other mounts. */
#ifndef PITRACE_MAPPED_PLACE_H
#define PITRACE_MAPPED_PLACE_H

#include <pitrace.h>
#include <stdbool.h>
#include <sys/stat.h>

/* st: of the mapped file. True: its path here differs and is in `place`. */
bool mapped_place(const struct pitrace_mte_map *map, const struct stat *st, char *place,
		  size_t size);

#endif
