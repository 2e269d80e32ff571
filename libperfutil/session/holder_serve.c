/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers requests to a tracer, for the holder and for swtrace run: one packet of this release's
 * layout, with the sender's credentials from the kernel.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "collect/driver/driver_hook.h"
#include "session/holder.h"
#include "session/tracer_inner.h"
#include "base/now.h"
#include "base/rc.h"

#define SNAPSHOTS 16 /* snapshots that a traced program may request in a burst */

/* For programs that may not open the device but want to write records. */
static int give_hook(struct tracer *t, int *pass)
{
	if (!session_by_driver(t))
		return rc_fail(PI_NOT_SUPPORTED,
			       "in this session programs write their records to hook files");
	*pass = driver_hook_open();
	return *pass < 0 ? rc_errno(errno, "the driver's hook") : PI_OK;
}

/* Checks terminators of names and known flags; the kernel checks the rest. */
int holder_check_events(const struct pitrace_event_args *events, unsigned int n)
{
	const uint32_t flags = PITRACE_EVENT_RATE | PITRACE_EVENT_USER | PITRACE_EVENT_KERNEL;

	if (n > PITRACE_EVENTS)
		return rc_fail(PI_TOO_MANY_METRICS, "at most %d events at a time", PITRACE_EVENTS);
	for (unsigned int i = 0; i < n; i++) {
		const struct pitrace_event_args *e = &events[i];

		if (!memchr(e->name, 0, sizeof(e->name)) || e->flags & ~flags || !e->period)
			return rc_fail(PI_INVALID_ARGUMENT, "event %u is invalid", i);
	}
	return PI_OK;
}

static int set_events(struct tracer *t, const struct holder_request *q)
{
	unsigned int n = q->a < 0 ? UINT32_MAX : (unsigned int)q->a;
	int rc = holder_check_events(q->events, n);

	return rc ? rc : tracer_events(t, q->events, n);
}

/* Checks likewise. */
int holder_check_itrace(const struct tracer_itrace *i)
{
	const uint32_t flags = PITRACE_ITRACE_FOLLOW | PITRACE_ITRACE_LOSSY | PITRACE_ITRACE_STEPS |
			       PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL |
			       PITRACE_ITRACE_NO_THREADS;

	if (i->flags & ~flags || i->scope > PITRACE_ITRACE_RANGE ||
	    i->listed > PITRACE_ITRACE_LIST || !memchr(i->start_file, 0, sizeof(i->start_file)) ||
	    !memchr(i->stop_file, 0, sizeof(i->stop_file)))
		return rc_fail(PI_INVALID_ARGUMENT, "invalid instruction trace settings");
	return PI_OK;
}

static int set_itrace(struct tracer *t, const struct tracer_itrace *i)
{
	int rc = holder_check_itrace(i);

	return rc ? rc : tracer_itrace(t, i);
}

/* Passes the descriptor *pass with the answer, unless -1. True: the session must end. */
static bool answer(struct tracer *t, const struct holder_request *q, struct holder_reply *r,
		   int *pass)
{
	switch (q->op) {
	case HOLDER_INFO:
		break;
	case HOLDER_ON:
		r->rc = tracer_on(t);
		break;
	case HOLDER_OFF:
		r->rc = tracer_off(t);
		break;
	case HOLDER_SUSPEND:
	case HOLDER_RESUME:
		r->rc = tracer_suspend(t, q->op == HOLDER_SUSPEND);
		break;
	case HOLDER_DISCARD:
		r->rc = tracer_discard(t);
		break;
	case HOLDER_WRITE:
		r->rc = tracer_write(t, *q->path ? q->path : NULL);
		break;
	case HOLDER_MAJOR:
		r->rc = tracer_enable(t, q->a, q->b);
		break;
	case HOLDER_RATE:
		r->rc = tracer_rate(t, q->a);
		break;
	case HOLDER_HOOK:
		r->rc = give_hook(t, pass);
		break;
	case HOLDER_EVENTS:
		r->rc = set_events(t, q);
		break;
	case HOLDER_ITRACE:
		r->rc = set_itrace(t, &q->itrace);
		break;
	case HOLDER_TERMINATE:
		return true;
	default:
		r->rc = rc_fail(PI_NOT_SUPPORTED, "unknown request %u", q->op);
	}
	if (r->rc)
		snprintf(r->why, sizeof(r->why), "%s", TraceLastError());
	return false;
}

/* A snapshot copies the buffers: allow a burst, then one per second. */
static bool may_write(void)
{
	static uint64_t spent;
	uint64_t now = now_ns(), most = SNAPSHOTS * 1000000000ull;

	if (now > most && spent < now - most)
		spent = now - most;
	if (spent + 1000000000ull > now)
		return false;
	spent += 1000000000ull;
	return true;
}

/* Checks the requests allowed to another user's program: nothing that outlives the tracer, and
 * files only at its own name. The tracer may run as root and the client not. */
static bool guest_may_ask(const struct holder_request *q, struct holder_reply *r)
{
	switch (q->op) {
	case HOLDER_INFO:
	case HOLDER_OFF:
	case HOLDER_SUSPEND:
	case HOLDER_RESUME:
	case HOLDER_DISCARD:
	case HOLDER_HOOK:
		return true;
	case HOLDER_WRITE:
		if (!*q->path && may_write())
			return true;
		if (!*q->path)
			r->rc = rc_fail(PI_BUSY,
					"under swtrace run a program has one snapshot a second, and %d at once",
					SNAPSHOTS);
		else
			r->rc = rc_fail(PI_NO_PERMISSION,
					"under swtrace run a snapshot cannot be given a name");
		break;
	case HOLDER_ON:
		r->rc = rc_fail(PI_INCORRECT_STATE,
				"swtrace run turns tracing on, once; suspend and resume pause it");
		break;
	default:
		r->rc = rc_fail(PI_NOT_SUPPORTED,
				"under swtrace run this is an option of swtrace run");
	}
	snprintf(r->why, sizeof(r->why), "%s", TraceLastError());
	return false;
}

bool holder_answer(struct tracer *t, int fd, const void *request, bool guest)
{
	static struct holder_request q;
	static struct holder_reply r;
	bool end = false;
	int pass = -1;

	memcpy(&q, request, sizeof(q));
	r = (struct holder_reply){ .size = sizeof(r), .version = HOLDER_VERSION };
	q.path[sizeof(q.path) - 1] = 0;
	if (q.version != HOLDER_VERSION)
		r.rc = PI_NOT_SUPPORTED;
	else if (!guest || guest_may_ask(&q, &r))
		end = answer(t, &q, &r, &pass);
	/* A client that is notified of the session's end may begin the next one. */
	if (end) {
		tracer_close(t);
		service_withdraw();
	} else {
		tracer_info(t, &r.info);
	}
	service_send(fd, &r, sizeof(r), pass);
	if (pass >= 0)
		close(pass);
	return end;
}

void tracer_serve(struct tracer *t, int socket, uid_t guest)
{
	static struct holder_request q;
	int fd = service_accept(socket, guest, &q, sizeof(q));

	if (fd < 0)
		return;
	holder_answer(t, fd, &q, true);
	close(fd);
}

/* ---- the service ----------------------------------------------------------------------------- */

static void *begin(const void *packet, size_t size, const char *address, int *rc)
{
	static struct holder_begin b;
	static char hooks[PATH_MAX];

	*rc = holder_begin_read(&b, packet, size);
	if (*rc)
		return NULL;
	snprintf(hooks, sizeof(hooks), "%s.hooks", address);
	b.options.hooks = hooks;
	return tracer_open(&b.options, rc);
}

static bool answer_owner(void *held, int fd, const void *request)
{
	return holder_answer(held, fd, request, false);
}

static void end(void *held)
{
	tracer_close(held);
}

static int fd_of(void *held)
{
	return tracer_fd(held);
}

/* A buffer is full or the file failed: turns tracing off, so that the trace is kept. */
static void stopped(void *held)
{
	tracer_off(held);
}

const struct service held_session = {
	.kind = "session",
	.named = "PITRACE_SOCKET",
	.leaf = "pitrace",
	.version = HOLDER_VERSION,
	.request = sizeof(struct holder_request),
	.holder = "the session's holder",
	.none = "there is no trace session (swtrace init begins one)",
	.not_owner = "the trace session belongs to another user",
	.busy = "busy: a trace session exists already (swtrace info shows it, swtrace free ends it)",
	.begin = begin,
	.answer = answer_owner,
	.end = end,
	.fd = fd_of,
	.event = stopped,
};
