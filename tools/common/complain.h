/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sentence on stderr, with the program's name before it. All of it is escaped (escape.h): names,
 * paths and arguments are passed as they are, and reach no terminal so. */
#ifndef COMMON_COMPLAIN_H
#define COMMON_COMPLAIN_H

#include <stdarg.h>

void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void complain_args(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

#endif
