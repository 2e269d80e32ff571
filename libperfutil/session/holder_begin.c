/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The start packet of a session's holder: written by the client, read by the holder; and requests
 * to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cursor.h"
#include "base/rc.h"
#include "session/holder.h"

static bool copy_text(char *to, size_t room, const char *from)
{
	return snprintf(to, room, "%s", from ? from : "") < (int)room;
}

int holder_start(const struct tracer_options *o)
{
	struct holder_begin *b = calloc(1, sizeof(*b));
	int rc;

	if (!b)
		return rc_fail(PI_NO_MEMORY, "no memory for starting the holder");
	b->size = sizeof(*b);
	b->options = *o;
	b->options.file = b->options.command = b->options.collector = NULL;
	b->options.hooks = b->options.program = NULL;
	b->options.events = NULL;
	b->options.itrace = NULL;
	b->has_itrace = o->itrace != NULL;
	if (o->itrace)
		b->itrace = *o->itrace;
	if (o->nevents && o->nevents <= PITRACE_EVENTS)
		memcpy(b->events, o->events, o->nevents * sizeof(*o->events));
	if (copy_text(b->file, sizeof(b->file), o->file ? o->file : TRACE_DEFAULT_NAME) &&
	    copy_text(b->command, sizeof(b->command), o->command) &&
	    copy_text(b->collector, sizeof(b->collector), o->collector))
		rc = service_begin(&held_session, b, sizeof(*b));
	else
		rc = rc_fail(PI_INVALID_ARGUMENT, "a name is too long");
	free(b);
	return rc;
}

/* Validates as for requests: everything that the kernel does not check and the tracer relies on. */
int holder_begin_read(struct holder_begin *b, const void *packet, size_t size)
{
	struct bytes in = bytes_of(packet, size);
	struct tracer_options *o = &b->options;
	int rc;

	if (size != sizeof(*b) || !bytes_copy(&in, b, sizeof(*b)) || b->size != sizeof(*b))
		return rc_fail(PI_NOT_SUPPORTED, "the session's holder is of another release");
	if (!memchr(b->file, 0, sizeof(b->file)) || !memchr(b->command, 0, sizeof(b->command)) ||
	    !memchr(b->collector, 0, sizeof(b->collector)) || b->has_itrace > 1)
		return rc_fail(PI_INVALID_ARGUMENT, "the session's holder got invalid names");
	if (o->mode < TRACE_NORMAL || o->mode > TRACE_WRAP || o->scope < TRACE_SYSTEM ||
	    o->scope > TRACE_PROCESS || o->pid < 0)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid mode or scope");
	rc = holder_check_events(b->events, o->nevents);
	if (!rc && b->has_itrace)
		rc = holder_check_itrace(&b->itrace);
	if (rc)
		return rc;
	o->file = b->file;
	o->command = *b->command ? b->command : NULL;
	o->collector = *b->collector ? b->collector : NULL;
	o->hooks = o->program = NULL;
	o->events = o->nevents ? b->events : NULL;
	o->itrace = b->has_itrace ? &b->itrace : NULL;
	return PI_OK;
}

int holder_call(const struct holder_request *request, struct holder_reply *reply)
{
	struct holder_reply own;
	int fd;

	if (!reply)
		reply = &own;
	fd = service_request(&held_session, request, reply, sizeof(*reply), NULL);
	if (fd == PI_HOLDER_GONE)
		return rc_fail(fd, "the session's holder died, or is of another release; "
				   "what was written stays readable");
	if (fd < 0)
		return fd;
	close(fd);
	if (reply->version != HOLDER_VERSION)
		return rc_fail(PI_HOLDER_GONE, "the session's holder is of another release");
	reply->why[sizeof(reply->why) - 1] = 0;
	return reply->rc ? rc_fail(reply->rc, "%s", reply->why) : PI_OK;
}
