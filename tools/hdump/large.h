/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that are used in full: allocated in huge pages if the system provides them on request. */
#ifndef HDUMP_LARGE_H
#define HDUMP_LARGE_H

#include <stddef.h>

/* Return NULL without memory. The caller frees the array with free(). */
void *large_alloc(size_t count, size_t size);
void *large_zeroed(size_t count, size_t size);

#endif
