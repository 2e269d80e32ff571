/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for code near other code. It is executable and not writable from the start. */
#ifndef PATCH_SPACE_H
#define PATCH_SPACE_H

#include <stdint.h>

/* Maps memory at exactly this address. Returns 0 or -errno; -EEXIST: the place is occupied. */
int space_at(uint64_t start, uint64_t size);
/* Maps memory from which all of low..high can be reached. Returns 0 or -errno. */
int space_near(uint64_t low, uint64_t high, uint64_t size, uint64_t *start);

#endif
