/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs of several parts, and the folder for those that are files. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include "fuzz.h"

/* The rest of the input, from the front; zeros beyond its end. */
struct fuzz_input {
	const uint8_t *data;
	size_t size;
};

static inline size_t fuzz_take(struct fuzz_input *in, void *out, size_t n)
{
	size_t got = n < in->size ? n : in->size;

	memset(out, 0, n);
	memcpy(out, in->data, got);
	in->data += got;
	in->size -= got;
	return got;
}

/* In memory, if possible. */
static inline void fuzz_folder(char path[64])
{
	strcpy(path, "/dev/shm/pitrace-fuzz-XXXXXX");
	if (mkdtemp(path))
		return;
	strcpy(path, "/tmp/pitrace-fuzz-XXXXXX");
	if (!mkdtemp(path))
		abort();
}

#endif
