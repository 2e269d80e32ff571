/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walk of a thread's stack, by the thread itself in the handler of the signal that samples it,
 * from where it was interrupted to the function that the thread began with:
 *
 * native code      by the tables of its file (native_frames.h), else by the VM's note of the last
 * frame of Java before it (JavaFrameAnchor) the interpreter  by its frame pointer: the method and
 * the bytecode stand in the frame compiled code    by the size of its frame, which the VM keeps for
 * it; the methods inlined there by what the compiler noted (scopes.h); in a prologue or epilogue by
 * what the instructions there have done so far stubs            as compiled code, or by a frame
 * pointer
 *
 * No lock is taken, nothing is allocated, each load is guarded, each step leads up the stack, and
 * their number is limited. A stack whose walk ends early has the reason as its outermost frame.
 *
 * Frames are addresses: native ones real ones; a method's is made up: its number, how it ran and
 * the bytecode (walk_address). The jitdump has the names, and the lines, of these, too.
 */
#ifndef STACK_WALK_H
#define STACK_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "seen_methods.h"
#include "vm_layout.h"

enum walk_kind { WALK_INTERPRETED, WALK_C1, WALK_C2, WALK_INLINED, WALK_NATIVE, WALK_KINDS };

/* Why a walk ended. Each is a function of its own in reports. */
enum walk_end {
	WALK_WHOLE,
	WALK_LOST_NATIVE,      /* no table, and no note of Java's frame */
	WALK_LOST_CODE,        /* an address in the VM's code that no piece of it has */
	WALK_LOST_INTERPRETER, /* a frame without a method */
	WALK_LOST_FRAME,       /* memory is not there, or does not lead up */
	WALK_FROZEN,           /* of a virtual thread: the rest is in the heap */
	WALK_LONG,             /* more than are kept */
	WALK_ENDS
};
extern const char *const walk_end_names[WALK_ENDS];

/* No address of a process is there; a method's range has room for each bytecode and one more. */
#define WALK_BASE       0x4a00000000000000ull
#define WALK_RANGE_BITS 17
#define WALK_KIND_BITS  3
#define WALK_SPECIAL    16 /* the first numbers are reasons */

static inline uint64_t walk_address(uint32_t number, enum walk_kind kind, uint32_t bytecode)
{
	return WALK_BASE + (((uint64_t)number << WALK_KIND_BITS | kind) << WALK_RANGE_BITS) +
	       bytecode;
}

/* Behind all methods: whose frames they are that stand below Java's entry into a virtual thread. */
static inline uint64_t walk_virtual(uint32_t row)
{
	return walk_address(WALK_SPECIAL + SEEN_MOST + row, 0, 0);
}

#define WALK_FRAMES 480

/* For a judge: the methods alone. */
struct walk_methods {
	unsigned int n;
	unsigned int heap_begin, heap_end; /* which of them are a virtual thread's in the heap */
	uint64_t method[WALK_FRAMES];
	uint32_t bytecode[WALK_FRAMES];
};

struct walked {
	unsigned int n;
	bool has_java;
	bool kinds;       /* methods' addresses say how they ran */
	uint32_t mounted; /* the row of the virtual thread that this one carries, 0: none */
	enum walk_end end;
	/* innermost first; all but the first as return addresses are: one behind */
	uint64_t *address;           /* room for WALK_FRAMES */
	struct walk_methods *judged; /* or NULL */
};

/* thread: the VM's structure of this thread, 0: it has none. from: its ucontext_t. */
void stack_walk(const struct vm_layout *l, uint64_t thread, const void *from, struct walked *w);

#endif
