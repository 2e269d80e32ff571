/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds other programs and libraries of this project. */
#ifndef COMMON_BESIDE_H
#define COMMON_BESIDE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the program NAME in the running program's folder. Returns false if no
 * executable file is there. */
bool program_beside(const char *name, char *path, size_t room);

/* Writes the path of lib/NAME beside the bin/ or libexec/ that the running program is in. Returns
 * false if there is no such file. */
bool library_beside(const char *name, char path[PATH_MAX]);

#endif
