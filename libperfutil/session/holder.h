/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The holder: a process that owns a session between init and free, and answers on a socket
 * (held.h). The messages are structs of one machine and one release, one packet each way.
 */
#ifndef PITRACE_HOLDER_H
#define PITRACE_HOLDER_H

#include <tracer.h>

enum holder_op {
	HOLDER_INFO = 1, HOLDER_ON, HOLDER_OFF, HOLDER_SUSPEND, HOLDER_RESUME, HOLDER_WRITE,
	HOLDER_MAJOR, HOLDER_RATE, HOLDER_TERMINATE, HOLDER_DISCARD,
	HOLDER_HOOK,			/* the answer brings a hook descriptor along */
	HOLDER_EVENTS,			/* what samples */
	HOLDER_ITRACE,			/* whose instructions */
};
struct holder_request {
	uint32_t size, version;
	uint32_t op;
	int32_t  a, b;			/* MAJOR: major, on; RATE: rate; EVENTS: how many */
	uint32_t reserved;
	union {
		char path[4096];	/* WRITE: absolute, or "" */
		struct pitrace_event_args events[PITRACE_EVENTS];	/* EVENTS */
		struct tracer_itrace itrace;	/* ITRACE */
	};
};
struct holder_reply {
	uint32_t size, version;
	int32_t  rc;
	uint32_t reserved;
	char	 why[1024];
	struct trace_info info;
};
#define HOLDER_VERSION	1

/* Start a holder with this session; returns when it answers. 0 or a negative enum pi_rc. */
int holder_start(const struct tracer_options *options);
/* Ask it. 0 or a negative rc; *reply may be NULL. PI_NOT_INITIALIZED: there is none. */
int holder_call(const struct holder_request *request, struct holder_reply *reply);

/* A hook descriptor of the driver's (driver_hook.h) from the holder, who may open the device; -1:
 * there is no holder that would give one. It asks for a few seconds at most, and nobody whom the
 * environment of a program with other rights names. One thread at a time calls it. */
int holder_hook(void);

/* Answer one request, one a connection; guests: those only that may be made of a tracer that
 * somebody else controls. True: the session shall end, and whoever asked waits for *r on *fd. */
bool holder_serve(struct tracer *t, int listener, bool guests, uid_t guest, int *fd,
		  struct holder_reply *r);

/* The folder of the holder's hook files (hookfile.h): beside its socket. */
void holder_hooks(char *path, size_t room);

#endif
