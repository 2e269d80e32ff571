/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where functions begin, of the table for unwinders (.eh_frame_hdr), which a stripped program has,
 * too: pairs of the function and what is known of it, relative to the table, in order.
 */
#ifndef PATCH_BEGINS_H
#define PATCH_BEGINS_H

#include "image.h"
#include "object_file.h"

/* The first function that begins at low or behind, no further than high. false: there is none,
 * or no such table. */
bool begins_between(const struct patch_image *im, const struct object_file *o, uint64_t low,
		    uint64_t high, uint64_t *begin);

#endif
