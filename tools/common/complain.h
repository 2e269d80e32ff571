/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a message to stderr, prefixed with the program's name. All of it is escaped (escape.h):
 * callers pass names, paths and arguments as they are. */
#ifndef COMMON_COMPLAIN_H
#define COMMON_COMPLAIN_H

#include <stdarg.h>

void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void complain_args(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

#endif
