/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that is stopped gets a frame as of a signal, whose handler is a function. */
#ifndef PATCH_FRAME_H
#define PATCH_FRAME_H

#include "remote.h"

struct attach_frame {
	uint64_t restorer; /* code that ends a signal's handler */
	uint64_t function;
	const char *text; /* the first argument; of dlopen a path */
	uint64_t flags;   /* the second one, if there is no room for an answer */
	size_t answer_room;
	uint64_t answer; /* where it will be */
	uint64_t stack;  /* the stack pointer with which the handler ends */
};

/* How a handler ends in the C library's code. */
extern const uint8_t frame_restorer[];
extern const size_t frame_restorer_size;

/* Where the thread is; false: it cannot be asked. blocked: in a system call that waits. */
bool frame_where(pid_t tid, uint64_t *at, bool *blocked);
/* The thread goes there when it runs. false: errno. */
bool frame_make(const struct remote *r, pid_t tid, struct attach_frame *f);
/* In which system call it waits. */
struct frame_wait {
	bool waits, lock;
	uint64_t call, argument, stack;
};
void frame_waits(pid_t tid, struct frame_wait *w);
/* The thread goes on where it was, whatever the handler is at. false: errno. */
bool frame_leave(pid_t tid, const struct attach_frame *f);
/* Whether it is about to end the handler, at a system call's begin. */
bool frame_ends(pid_t tid, const struct attach_frame *f);

#endif
