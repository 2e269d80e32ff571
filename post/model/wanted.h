/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A symbol that the user named: NAME or NAME@MODULE, with the module's path or its last part. */
#ifndef POST_WANTED_H
#define POST_WANTED_H

#include <stdbool.h>
#include <stddef.h>

bool wanted_is(const char *wanted, const char *name, size_t length, const char *module);
/* How much of a symbol's name users give: all, or without its parameters, or without what compilers
 * add to it, either. */
enum wanted_form { WANTED_WHOLE, WANTED_NAME, WANTED_BARE, WANTED_FORMS };
size_t wanted_form(const char *name, enum wanted_form form);
/* The same of any of these forms, or of its name as the file has it (raw, or NULL), or a pattern
 * (base/pattern.h) which one of these two, whole, fits. */
bool wanted_symbol(const char *wanted, const char *name, const char *raw, const char *module);

#endif
