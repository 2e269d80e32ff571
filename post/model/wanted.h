/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A symbol named by the user: NAME or NAME@MODULE, with the module's path or its last component. */
#ifndef POST_WANTED_H
#define POST_WANTED_H

#include <stdbool.h>
#include <stddef.h>

bool wanted_is(const char *wanted, const char *name, size_t length, const char *module);
/* How much of a symbol's name users write: all of it, without its parameters, or also without
 * suffixes that compilers add. */
enum wanted_form { WANTED_WHOLE, WANTED_NAME, WANTED_BARE, WANTED_FORMS };
size_t wanted_form(const char *name, enum wanted_form form);
/* Compares any of these forms, and the name in the file (raw, or NULL); or matches one of these
 * two, whole, against a pattern (base/pattern.h). */
bool wanted_symbol(const char *wanted, const char *name, const char *raw, const char *module);

#endif
