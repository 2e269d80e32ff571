/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Per-record data that would take too much memory: an unnamed file in TMPDIR, which is appended to
 * and read at any offset. It is created when the buffer overflows for the first time.
 */
#ifndef POST_SPILL_H
#define POST_SPILL_H

#include <stddef.h>
#include <stdint.h>

struct spill {
	uint64_t size; /* bytes added */
	uint8_t *buffer;
	size_t used; /* bytes in the buffer, the last ones added */
	int file;    /* descriptor + 1; 0: no file yet */
};

/* Appends bytes. The struct starts zeroed. Functions return 0 or -errno after printing an error
 * message. */
int spill_add(struct spill *s, const void *data, size_t size);
/* Overwrites bytes that were added. */
int spill_put(struct spill *s, uint64_t at, const void *data, size_t size);
/* Reads bytes that were added. */
int spill_read(const struct spill *s, uint64_t at, void *data, size_t size);
void spill_free(struct spill *s);

#endif
