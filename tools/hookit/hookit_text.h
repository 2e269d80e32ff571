/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that is never freed, allocated from the kernel: an event may come while the program is in
 * malloc().
 */
#ifndef HOOK_TEXT_H
#define HOOK_TEXT_H

#include <stddef.h>

/* Returns zeroed memory; NULL: none is left. */
void *hook_keep(size_t size);
/* Returns a copy of these bytes, with a terminating 0. */
const char *hook_text(const char *text, size_t n);

#endif
