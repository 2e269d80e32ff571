/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What would take memory for each record: an unnamed file in TMPDIR, written at its end, read
 * anywhere. It comes into being with the first byte that does not fit the buffer.
 */
#ifndef POST_SPILL_H
#define POST_SPILL_H

#include <stddef.h>
#include <stdint.h>

struct spill {
	uint64_t size; /* bytes added */
	uint8_t *buffer;
	size_t used; /* of the buffer: the last bytes */
	int file;    /* descriptor and 1; 0: there is none yet */
};

/* 0 or -errno; what is wrong with the file has been told. The struct begins as zeros. */
int spill_add(struct spill *s, const void *data, size_t size);
/* Over bytes that were added. */
int spill_put(struct spill *s, uint64_t at, const void *data, size_t size);
/* Bytes that were added. */
int spill_read(const struct spill *s, uint64_t at, void *data, size_t size);
void spill_free(struct spill *s);

#endif
