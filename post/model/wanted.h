/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A symbol that the user named: NAME or NAME@MODULE, with the module's path or its last part. */
#ifndef POST_WANTED_H
#define POST_WANTED_H

#include <stdbool.h>
#include <stddef.h>

bool wanted_is(const char *wanted, const char *name, size_t length, const char *module);
/* The same, or its name as the file has it (raw, or NULL), or without its parameters, or a pattern
 * of the shell that one of these fits. */
bool wanted_symbol(const char *wanted, const char *name, const char *raw, const char *module);

#endif
