/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gives a stopped thread a frame like a signal's, with a function as its handler. */
#ifndef PATCH_FRAME_H
#define PATCH_FRAME_H

#include "remote.h"

struct attach_frame {
	uint64_t restorer; /* code that returns from a signal handler */
	uint64_t function;
	const char *text; /* the first argument; for dlopen a path */
	uint64_t flags;   /* the second argument, if there is no room for an answer */
	size_t answer_room;
	uint64_t answer; /* the answer's address */
	uint64_t stack;  /* the stack pointer at the handler's end */
};

/* The code of the C library at the end of a handler. */
extern const uint8_t frame_restorer[];
extern const size_t frame_restorer_size;

/* Returns the thread's position; false: it cannot be read. blocked: in a system call that waits. */
bool frame_where(pid_t tid, uint64_t *at, bool *blocked);
/* Sets up the frame: the thread executes the function when it is resumed. false: errno. */
bool frame_make(const struct remote *r, pid_t tid, struct attach_frame *f);
/* The system call in which a thread waits. */
struct frame_wait {
	bool waits, lock;
	uint64_t call, argument, stack;
};
void frame_waits(pid_t tid, struct frame_wait *w);
/* Makes the thread resume where it was, whatever the handler is doing. false: errno. */
bool frame_leave(pid_t tid, const struct attach_frame *f);
/* Whether it is about to end the handler, at the entry of a system call. */
bool frame_ends(pid_t tid, const struct attach_frame *f);

#endif
