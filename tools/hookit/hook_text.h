/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory for what stays as long as the program: taken from the kernel, for events may come while
 * the program is within malloc().
 */
#ifndef HOOK_TEXT_H
#define HOOK_TEXT_H

#include <stddef.h>

/* Zeroed. NULL: there is none. */
void *hook_keep(size_t size);
/* A copy of these bytes, and a 0. */
const char *hook_text(const char *text, size_t n);

#endif
