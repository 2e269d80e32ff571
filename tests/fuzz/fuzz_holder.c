/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a packet to a tracer. The first byte chooses who asks: a guest, as a traced program does
 * that may be another user's; or its owner, whose session cannot be turned on, for its file cannot
 * be made. Nothing but whole answers may come back, and to a guest nothing that is not a guest's.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fuzz.h"
#include "session/holder.h"

static struct tracer *tracer;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static int listener = -1;

static void leave(void)
{
	tracer_close(tracer);
}

static void open_tracer(void)
{
	struct tracer_options o;
	int rc;

	setenv("PITRACE_TIMER_LIBRARY", "/dev/null", 1);
	tracer_defaults(&o);
	o.scope = TRACE_PROCESS;
	o.collector = "timer";
	o.file = "/dev/null/fuzz";
	tracer = tracer_open(&o, &rc);
}

static void begin(void)
{
	open_tracer();
	/* A name without a file. */
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "pitrace-fuzz-%d", getpid());
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (!tracer || listener < 0 ||
	    bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 1))
		abort();
	atexit(leave);
}

/* Returns the result for a guest that sends a request which guests may not send; else 0. */
static int guests_rc(const struct holder_request *q)
{
	switch (q->op) {
	case HOLDER_INFO:
	case HOLDER_OFF:
	case HOLDER_SUSPEND:
	case HOLDER_RESUME:
	case HOLDER_DISCARD:
		return 0;
	case HOLDER_WRITE:
		return q->path[0] ? PI_NO_PERMISSION : 0;
	case HOLDER_ON:
		return PI_INCORRECT_STATE;
	}
	return PI_NOT_SUPPORTED;
}

/* The result for the owner; SOME_ERROR: there are several errors, ANY: success or an error. */
enum { SOME_ERROR = 1, ANY };

static int owners_rc(const struct holder_request *q)
{
	switch (q->op) {
	case HOLDER_INFO:
	case HOLDER_TERMINATE:
		return PI_OK;
	case HOLDER_ON:
		return PI_FILE_ERROR;
	case HOLDER_OFF:
	case HOLDER_SUSPEND:
	case HOLDER_RESUME:
	case HOLDER_WRITE:
		return PI_INCORRECT_STATE;
	case HOLDER_MAJOR:
		return q->a < 0 || q->a >= PITRACE_MAJORS ? PI_INVALID_ARGUMENT : ANY;
	case HOLDER_RATE:
		return q->a < 1 || q->a > TRACE_MAX_RATE ? PI_INVALID_ARGUMENT : PI_OK;
	case HOLDER_EVENTS:
		return q->a ? SOME_ERROR : PI_OK; /* this collector samples none */
	case HOLDER_ITRACE:
		/* This collector does not trace instructions; an empty scope is not an error. */
		return q->itrace.scope == PITRACE_ITRACE_NONE ? ANY : SOME_ERROR;
	}
	return PI_NOT_SUPPORTED;
}

static bool as_told(int rc, int expected)
{
	return expected == ANY || (expected == SOME_ERROR ? rc < 0 : rc == expected);
}

static void check(const struct holder_request *q, const struct holder_reply *r, ssize_t got,
		  bool guest)
{
	/* A client that sends something else than a request gets no answer. */
	if (got == 0)
		return;
	if (got != (ssize_t)sizeof(*r) || r->size != sizeof(*r) || r->version != HOLDER_VERSION ||
	    r->rc > 0 || !memchr(r->why, 0, sizeof(r->why)))
		abort();
	if (guest && q->version == HOLDER_VERSION && r->rc != guests_rc(q) && guests_rc(q))
		abort();
	if (q->version != HOLDER_VERSION && r->rc != PI_NOT_SUPPORTED)
		abort();
	if (!guest && q->version == HOLDER_VERSION && !as_told(r->rc, owners_rc(q)))
		abort();
	/* It was never turned on; a session that has ended returns no information. */
	if (r->info.state != PITRACE_STATE_OFF)
		abort();
}

/* As the holder does. */
static void serve_owner(void)
{
	static struct holder_request q;
	int fd = service_accept(listener, (uid_t)-1, &q, sizeof(q));

	if (fd < 0)
		return;
	if (holder_answer(tracer, fd, &q, false)) {
		if (q.op != HOLDER_TERMINATE)
			abort();
		open_tracer();
		if (!tracer)
			abort();
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct holder_request q;
	static struct holder_reply r;
	bool guest = size && data[0] & 1;
	int fd;

	if (listener < 0)
		begin();
	if (size) {
		data++;
		size--;
	}
	memset(&q, 0, sizeof(q));
	memcpy(&q, data, size < sizeof(q) ? size : sizeof(q));
	/* Most of a request is a path: what is missing of it is zeros. */
	if (size >= 12 && size < sizeof(q))
		size = sizeof(q);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    send(fd, size <= sizeof(q) ? (void *)&q : data, size, MSG_NOSIGNAL) != (ssize_t)size)
		abort();
	memset(&r, 0x5a, sizeof(r));
	if (guest)
		tracer_serve(tracer, listener, 12345);
	else
		serve_owner();
	check(&q, &r, recv(fd, &r, sizeof(r), 0), guest);
	close(fd);
	return 0;
}
