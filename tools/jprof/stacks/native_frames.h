/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the caller of a native function by the unwind tables (.eh_frame) of its mapped file: the C
 * library and most other libraries have no frame pointers. The tables are read by guarded loads; a
 * separate thread lists them, because the C library's list of files has a lock. Only the rules that
 * compilers emit are supported: for the caller's stack pointer, its frame pointer and the return
 * address. Functions with other rules are not walked.
 */
#ifndef NATIVE_FRAMES_H
#define NATIVE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct walk_registers {
	uint64_t pc, sp, fp;
	bool is_exact; /* pc is the interrupted instruction, not a return address */
};

struct native_file {
	uint64_t low, high; /* range of its code */
	uint64_t index;     /* address of its .eh_frame_hdr */
};

/* Adds files that were loaded since the last call. Not safe in signal handlers. */
void native_frames_refresh(void);
void native_frames_add(const struct native_file *f);

enum native_step {
	NATIVE_CALLER, /* the registers are now the caller's */
	NATIVE_LAST,   /* there is no caller */
	NATIVE_LOST,   /* no table, or one with unsupported rules */
};
enum native_step native_step(struct walk_registers *r);

#endif
