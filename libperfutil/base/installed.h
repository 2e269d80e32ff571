/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds what was installed with this library: near the folder from which its own code was loaded,
 * wherever it was installed or moved. Paths set at build time come second.
 */
#ifndef PITRACE_INSTALLED_H
#define PITRACE_INSTALLED_H

#include <limits.h>
#include <stdbool.h>

/* near: paths relative to the folder of the library, or of the program that it is linked into (for
 * a program in libexec/pitrace/: to libexec/); a list that ends with NULL, of which the first
 * existing one is used. False: none exists, or this program is set-user-ID: then its user must not
 * influence the folder. errno is the reason, or ENOMEM. */
bool installed_near(const char *const near[], char path[PATH_MAX]);

#endif
