/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of which all is used: in huge pages, where the system gives them on request. */
#ifndef HDUMP_LARGE_H
#define HDUMP_LARGE_H

#include <stddef.h>

/* NULL: no memory. The caller's to free(). */
void *large_alloc(size_t count, size_t size);
void *large_zeroed(size_t count, size_t size);

#endif
