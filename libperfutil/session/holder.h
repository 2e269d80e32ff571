/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The holder: a daemon that owns a session between init and free (base/service.h). The messages are
 * structs of one machine and one release, one packet each way.
 */
#ifndef PITRACE_HOLDER_H
#define PITRACE_HOLDER_H

#include <limits.h>
#include <tracer.h>
#include "base/service.h"

enum holder_op {
	HOLDER_INFO = 1,
	HOLDER_ON,
	HOLDER_OFF,
	HOLDER_SUSPEND,
	HOLDER_RESUME,
	HOLDER_WRITE,
	HOLDER_MAJOR,
	HOLDER_RATE,
	HOLDER_TERMINATE,
	HOLDER_DISCARD,
	HOLDER_HOOK,   /* the answer passes a hook descriptor */
	HOLDER_EVENTS, /* set the sampler */
	HOLDER_ITRACE, /* set the instruction trace */
};
struct holder_request {
	uint32_t size, version;
	uint32_t op;
	int32_t a, b; /* MAJOR: major, on; RATE: rate; EVENTS: number */
	uint32_t reserved;
	union {
		char path[4096];                                  /* WRITE: absolute, or "" */
		struct pitrace_event_args events[PITRACE_EVENTS]; /* EVENTS */
		struct tracer_itrace itrace;                      /* ITRACE */
	};
};
struct holder_reply {
	uint32_t size, version;
	int32_t rc;
	uint32_t reserved;
	char why[1024];
	struct trace_info info;
};
#define HOLDER_VERSION 1

/* The data with which a holder starts: the options, whose pointers are invalid there, and the data
 * that they point to. */
struct holder_begin {
	uint32_t size;
	uint32_t has_itrace;
	struct tracer_options options;
	char file[PATH_MAX], command[PATH_MAX];
	char collector[16]; /* "": the first that works */
	struct pitrace_event_args events[PITRACE_EVENTS];
	struct tracer_itrace itrace;
};

extern const struct service held_session;

/* Starts a holder with this session; returns when it answers requests. 0 or a negative enum
 * pi_rc. */
int holder_start(const struct tracer_options *options);
/* In the holder: reads what holder_start sent; the options point into *b. 0 or a negative rc. */
int holder_begin_read(struct holder_begin *b, const void *packet, size_t size);
/* Sends a request. 0 or a negative rc; *reply may be NULL. PI_NOT_INITIALIZED: no holder. */
int holder_call(const struct holder_request *request, struct holder_reply *reply);

/* Gets a hook descriptor of the driver (driver_hook.h) from the holder, which may open the device;
 * -1: no holder provides one. Waits a few seconds at most. A program with gained rights ignores its
 * environment here. Only one thread at a time may call it. */
int holder_hook(void);

/* Answers a request on fd; guest: allows only the requests that another user's program may make.
 * True: the session has ended, t is closed. */
bool holder_answer(struct tracer *t, int fd, const void *request, bool guest);
/* Validate the settings of events and of an instruction trace. 0 or a negative rc. */
int holder_check_events(const struct pitrace_event_args *events, unsigned int n);
int holder_check_itrace(const struct tracer_itrace *i);

/* Returns the folder of the holder's hook files (hookfile.h): beside its socket. */
void holder_hooks(char *path, size_t room);

#endif
