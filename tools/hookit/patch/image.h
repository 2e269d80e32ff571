/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program or library in memory: its segments, by their addresses there. */
#ifndef PATCH_IMAGE_H
#define PATCH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct image_segment {
	uint64_t address, size;
	bool code;
	const uint8_t *at; /* its bytes */
};

struct patch_image {
	uint64_t bias; /* is added to the file's addresses */
	const struct image_segment *segments;
	size_t n_segments;
};

/* Returns the bytes from an address to the end of its segment, at most `most`; an empty cursor if
 * there are none. code: only from segments with instructions. */
static inline struct bytes image_bytes(const struct patch_image *im, uint64_t address,
				       uint64_t most, bool code)
{
	for (size_t i = 0; i < im->n_segments; i++) {
		const struct image_segment *s = &im->segments[i];
		uint64_t left = s->size - (address - s->address);

		if (address < s->address || address - s->address >= s->size || (code && !s->code))
			continue;
		return bytes_of(s->at + (address - s->address), left < most ? left : most);
	}
	return bytes_of(NULL, 0);
}

#endif
