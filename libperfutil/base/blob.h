/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes that someone owns, with their number: both change together, so that no size outlives its
 * data. What was read from outside and is kept is kept in one of these.
 */
#ifndef PITRACE_BLOB_H
#define PITRACE_BLOB_H

#include <stdlib.h>

#include "base/cursor.h"

struct blob {
	void *data;			/* of malloc(); NULL: nothing, and size is 0 */
	size_t size;
};

/* Data that become the blob's. */
static inline struct blob blob_of(void *data, size_t size)
{
	return (struct blob){ .data = data, .size = data ? size : 0 };
}

/* A copy of what somebody else owns, which may be nothing: then its data are not NULL. */
static inline struct blob blob_copy(const void *data, size_t size)
{
	struct blob b = blob_of(malloc(size ? size : 1), size);

	if (b.size)
		memcpy(b.data, data, size);
	return b;
}

static inline void blob_free(struct blob *b)
{
	free(b->data);
	*b = (struct blob){ 0 };
}

static inline struct bytes blob_bytes(const struct blob *b)
{
	return bytes_of(b->data, b->size);
}

#endif
