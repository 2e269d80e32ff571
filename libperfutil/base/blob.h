/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An owned copy of bytes and its size. Both change together, so that a size never outlives its
 * data. Input that a parser keeps is kept in a blob.
 */
#ifndef PITRACE_BLOB_H
#define PITRACE_BLOB_H

#include <stdlib.h>

#include "base/cursor.h"

struct blob {
	void *data; /* from malloc(); NULL: empty, and size is 0 */
	size_t size;
};

/* The blob takes ownership of data. */
static inline struct blob blob_of(void *data, size_t size)
{
	return (struct blob){ .data = data, .size = data ? size : 0 };
}

/* Copies the data, which the caller keeps. The copy of zero bytes is not NULL. */
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
