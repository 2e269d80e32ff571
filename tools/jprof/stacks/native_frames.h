/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The caller of a native function, by the tables (.eh_frame) that its file has in memory: the C
 * library and most of what is loaded keep no frame pointers. The tables are read by guarded loads;
 * their list is made by a thread of its own, for the lists of the C library have locks. Of the
 * rules those count that compilers write: where the caller's stack pointer, its frame pointer and
 * the return address are; what has others is not walked.
 */
#ifndef NATIVE_FRAMES_H
#define NATIVE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct walk_registers {
	uint64_t pc, sp, fp;
	bool is_exact; /* pc is where it stands, and no return address */
};

struct native_file {
	uint64_t low, high; /* of its code */
	uint64_t index;     /* its .eh_frame_hdr */
};

/* Looks for files that have been loaded since, and adds each. Not in a handler. */
void native_frames_refresh(void);
void native_frames_add(const struct native_file *f);

enum native_step {
	NATIVE_CALLER, /* the registers are the caller's */
	NATIVE_LAST,   /* there is none */
	NATIVE_LOST,   /* no table, or one with rules beyond these */
};
enum native_step native_step(struct walk_registers *r);

#endif
