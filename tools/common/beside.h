/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where another program of this project is. */
#ifndef COMMON_BESIDE_H
#define COMMON_BESIDE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the program of this name in the folder of the running one. False: there is
 * none that can be executed. */
bool program_beside(const char *name, char *path, size_t room);

/* The path of lib/NAME below the folder where bin/ or libexec/pitrace/ with this program is. */
bool library_beside(const char *name, char path[PATH_MAX]);

#endif
