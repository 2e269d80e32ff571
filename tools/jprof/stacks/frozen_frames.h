/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frames of a mounted virtual thread that are still in the heap: its continuation has a list of
 * stack chunks there, objects of jdk.internal.vm.StackChunk.
 *
 * Objects move. Serial, Parallel and G1 move them only at safepoints, which the VM counts: reads
 * are consistent if the count is even and the same before and after them. Other collectors move
 * objects while threads run, so that an address on a stack may already belong to another object:
 * with them, frames are not read.
 */
#ifndef FROZEN_FRAMES_H
#define FROZEN_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "code_cache.h"
#include "vm_layout.h"

struct frozen_frame {
	struct code_blob code;
	uint64_t pc, sp;
	uint64_t fp; /* interpreter frames only */
};

struct frozen_frames {
	const struct vm_layout *l;
	uint64_t count; /* of safepoints */
	uint64_t continuation, first;
	uint32_t first_sp;
	uint64_t chunk;
	uint64_t begin, end;     /* of the chunk's stack */
	uint64_t sp, unextended; /* of the next frame; unextended: without its callee's extension */
	unsigned int chunks;
};

enum frozen_step { FROZEN_FRAME, FROZEN_LAST, FROZEN_LOST };

/* `entry` is the VM's ContinuationEntry on the carrier's stack. Returns false if the frames cannot
 * be read. */
bool frozen_frames_begin(struct frozen_frames *f, const struct vm_layout *l, uint64_t entry);
/* Returns the next frame, innermost first; FROZEN_LAST after the last one. */
enum frozen_step frozen_frames_next(struct frozen_frames *f, struct frozen_frame *to);
/* Call it after the last frame: returns whether no object moved during the reads. */
bool frozen_frames_held(const struct frozen_frames *f);

#endif
