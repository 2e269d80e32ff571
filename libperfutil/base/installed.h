/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds what was installed with this library: near the folder from which its own code was loaded,
 * wherever `make install PREFIX=` or somebody later put it. What was told at build comes second.
 */
#ifndef PITRACE_INSTALLED_H
#define PITRACE_INSTALLED_H

#include <limits.h>
#include <stdbool.h>

/* near: relative to the folder of the library, or of the program that it is linked into, of one in
 * libexec/pitrace/ to libexec/; a list that ends in NULL, of which the first that exists counts.
 * False: none does, or this program has its user's rights from somebody else (set-user-ID): then a
 * folder is nobody's to choose. errno says which, or ENOMEM. */
bool installed_near(const char *const near[], char path[PATH_MAX]);

#endif
