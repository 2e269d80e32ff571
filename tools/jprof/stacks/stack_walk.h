/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks a thread's stack, by the thread itself in the handler of the sampling signal, from the
 * interrupted instruction to the thread's start function:
 *
 * - native code: by the unwind tables of its file (native_frames.h), else by the VM's record of the
 *   last Java frame before it (JavaFrameAnchor);
 * - the interpreter: by its frame pointer; the frame holds the method and the bytecode;
 * - compiled code: by its frame size, which the VM keeps; inlined methods by the compiler's records
 *   (scopes.h); in a prologue or epilogue by the instructions executed so far;
 * - stubs: as compiled code, or by a frame pointer.
 *
 * It takes no lock and allocates nothing; each load is guarded; each step moves up the stack, and
 * the number of steps is limited. If a walk ends early, the outermost frame is the reason.
 *
 * Frames are addresses: native frames have real ones; a method's address is synthetic and encodes
 * its number, how it ran and the bytecode (walk_address). The jitdump has the names and lines of
 * the synthetic addresses, too.
 */
#ifndef STACK_WALK_H
#define STACK_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "seen_methods.h"
#include "vm_layout.h"

enum walk_kind { WALK_INTERPRETED, WALK_C1, WALK_C2, WALK_INLINED, WALK_NATIVE, WALK_KINDS };

/* Why a walk ended. Reports show each reason as a function. */
enum walk_end {
	WALK_WHOLE,
	WALK_LOST_NATIVE,      /* no unwind table, and no record of a Java frame */
	WALK_LOST_CODE,        /* an address in the VM's code, but in no blob */
	WALK_LOST_INTERPRETER, /* a frame without a method */
	WALK_LOST_FRAME,       /* unmapped memory, or a frame that does not lead up */
	WALK_FROZEN,           /* the rest of a virtual thread's frames is in the heap */
	WALK_LONG,             /* more frames than are kept */
	WALK_ENDS
};
extern const char *const walk_end_names[WALK_ENDS];

/* No process maps these addresses; a method's range has one for each bytecode, and one more. */
#define WALK_BASE       0x4a00000000000000ull
#define WALK_RANGE_BITS 17
#define WALK_KIND_BITS  3
#define WALK_SPECIAL    16 /* the first numbers are reasons */

static inline uint64_t walk_address(uint32_t number, enum walk_kind kind, uint32_t bytecode)
{
	return WALK_BASE + (((uint64_t)number << WALK_KIND_BITS | kind) << WALK_RANGE_BITS) +
	       bytecode;
}

/* The address that stands for a virtual thread's name, after those of all methods. It is the frame
 * that calls the thread's outermost one. */
static inline uint64_t walk_virtual(uint32_t row)
{
	return walk_address(WALK_SPECIAL + SEEN_MOST + row, 0, 0);
}

#define WALK_FRAMES 480

/* Only the methods of a walk, for stack_judge(). */
struct walk_methods {
	unsigned int n;
	unsigned int heap_begin, heap_end; /* the range of methods whose frames are in the heap */
	unsigned int first;                /* methods of the innermost frame, with inlined ones */
	uint64_t method[WALK_FRAMES];
	uint32_t bytecode[WALK_FRAMES];
};

struct walked {
	unsigned int n;
	bool has_java;
	bool kinds;       /* methods' addresses encode how they ran */
	uint32_t mounted; /* the name row of the mounted virtual thread, 0: none */
	enum walk_end end;
	/* innermost first; all but the first are return addresses: one past the call */
	uint64_t *address;           /* room for WALK_FRAMES */
	struct walk_methods *judged; /* or NULL */
};

/* `thread` is the VM's structure of this thread, 0 if it has none; `from` is its ucontext_t. */
void stack_walk(const struct vm_layout *l, uint64_t thread, const void *from, struct walked *w);

#endif
