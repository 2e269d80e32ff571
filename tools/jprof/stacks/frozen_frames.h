/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frames of a mounted virtual thread that are still in the heap: its continuation has a list of
 * chunks of stack there, objects of jdk.internal.vm.StackChunk.
 *
 * Objects move. Serial, Parallel and G1 move them at safepoints alone, and the VM counts these:
 * what was read between two looks at one even count was read while nothing moved. Nothing is read
 * of collectors that move objects while threads run: what is on a stack may then be an address that
 * another object has.
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
	uint64_t fp; /* of the interpreter's */
};

struct frozen_frames {
	const struct vm_layout *l;
	uint64_t count; /* of safepoints */
	uint64_t continuation, first;
	uint32_t first_sp;
	uint64_t chunk;
	uint64_t begin, end; /* of the chunk's stack */
	uint64_t sp,
		unextended; /* of the next frame; unextended: without what its callee has added */
	unsigned int chunks;
};

enum frozen_step { FROZEN_FRAME, FROZEN_LAST, FROZEN_LOST };

/* entry: the VM's ContinuationEntry on the carrier's stack. False: they cannot be read. */
bool frozen_frames_begin(struct frozen_frames *f, const struct vm_layout *l, uint64_t entry);
/* From the innermost on. LAST: there are no more. */
enum frozen_step frozen_frames_next(struct frozen_frames *f, struct frozen_frame *to);
/* Afterwards: was it all there, and in place? */
bool frozen_frames_held(const struct frozen_frames *f);

#endif
