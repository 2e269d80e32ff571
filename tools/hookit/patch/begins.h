/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts of functions, from the table for unwinders (.eh_frame_hdr), which a stripped program also
 * has: sorted pairs of a function and its unwinding data, relative to the table.
 */
#ifndef PATCH_BEGINS_H
#define PATCH_BEGINS_H

#include "image.h"
#include "object_file.h"

/* Finds the first function that begins between low and high, both included. false: none, or no
 * usable table. */
bool begins_between(const struct patch_image *im, const struct object_file *o, uint64_t low,
		    uint64_t high, uint64_t *begin);

#endif
