/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters kept by a daemon (base/service.h). The answer to a request is a head followed by the
 * values, a fixed number per packet, all structs of one machine and one release.
 */
#include <counters.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cursor.h"
#include "base/now.h"
#include "base/rc.h"
#include "counters/counters_held.h"

#define VERSION  1
#define A_PACKET 64u /* values per packet */

enum counters_op { READ = 1, STOP };
struct answer {
	int32_t rc;
	uint32_t reserved;
	struct counters_held head;
	char why[512];
};

/* ---- daemon --------------------------------------------------------------------------------- */

struct counters_holding {
	struct counters *counters;
	struct counter_value *list;
	struct answer answer;
	uint64_t begun;
};

/* Its start packet: this struct, then the CPUs, then the events. */
struct counters_start {
	uint32_t size;
	int32_t scope, pid;
	uint32_t has_cpus, ncpus, nevents;
};

static int start_counting(struct counters_holding *h, const struct counters_options *options)
{
	int rc, n;

	h->counters = counters_open(options, &rc);
	if (rc)
		return rc;
	n = counters_read(h->counters, NULL, 0);
	if (n < 0)
		return n;
	h->list = calloc((size_t)n, sizeof(*h->list));
	if (!h->list)
		return rc_fail(PI_NO_MEMORY, "no memory for values");
	h->answer.head = (struct counters_held){
		.size = sizeof(h->answer.head),
		.version = VERSION,
		.holder = getpid(),
		.scope = options->scope,
		.pid = options->pid,
		.values = (uint32_t)n,
	};
	h->begun = now_ns();
	return counters_on(h->counters);
}

int held_counters_read(const void *packet, size_t size, struct counters_options *o)
{
	struct bytes in = bytes_of(packet, size);
	struct counters_start s;

	if (!bytes_copy(&in, &s, sizeof(s)) || s.size != size)
		return rc_fail(PI_NOT_SUPPORTED, "the holder of counters is of another release");
	if (s.nevents > PITRACE_EVENTS || s.scope == COUNTERS_COMMAND)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid events or scope");
	*o = (struct counters_options){ .scope = s.scope,
					.pid = s.pid,
					.ncpus = s.ncpus,
					.nevents = s.nevents };
	o->cpus = bytes_take(&in, (size_t)s.ncpus * sizeof(*o->cpus));
	bytes_take(&in, s.ncpus % 2 * sizeof(*o->cpus));
	o->events = bytes_take(&in, s.nevents * sizeof(*o->events));
	if (in.bad || bytes_left(&in))
		return rc_fail(PI_INVALID_ARGUMENT, "the holder of counters got a list cut short");
	if (!s.has_cpus)
		o->cpus = NULL;
	for (uint32_t i = 0; i < s.nevents; i++)
		if (!memchr(o->events[i].name, 0, sizeof(o->events[i].name)))
			return rc_fail(PI_INVALID_ARGUMENT, "event %u is invalid", i);
	return PI_OK;
}

static void *begin(const void *packet, size_t size, const char *address, int *rc)
{
	static struct counters_options options;
	static struct counters_holding held;

	(void)address;
	*rc = held_counters_read(packet, size, &options);
	if (!*rc)
		*rc = start_counting(&held, &options);
	return *rc ? NULL : &held;
}

static void answer_with_values(struct counters_holding *h, int fd)
{
	struct answer *a = &h->answer;
	int n = counters_read(h->counters, h->list, a->head.values);

	a->head.elapsed = now_ns() - h->begun;
	a->rc = n < 0 ? n : PI_OK;
	snprintf(a->why, sizeof(a->why), "%s", n < 0 ? TraceLastError() : "");
	if (!service_send(fd, a, sizeof(*a), -1) || n < 0)
		return;
	for (uint32_t i = 0; i < a->head.values; i += A_PACKET) {
		uint32_t some = a->head.values - i < A_PACKET ? a->head.values - i : A_PACKET;

		if (!service_send(fd, &h->list[i], some * sizeof(*h->list), -1))
			return;
	}
}

static bool answer(void *held, int fd, const void *request)
{
	uint32_t op = service_op(&held_counters, request);
	struct counters_holding *h = held;

	if (op == STOP) {
		counters_off(h->counters);
		service_withdraw();
	}
	if (op == STOP || op == READ)
		answer_with_values(h, fd);
	return op == STOP;
}

const struct service held_counters = {
	.kind = "counters",
	.named = "PITRACE_COUNTERS",
	.leaf = "pitrace-counters",
	.version = VERSION,
	.request = sizeof(struct service_question),
	.holder = "the holder of counters",
	.none = "no counters are held (mpevt start begins)",
	.not_owner = "the counters that are held belong to another user",
	.busy = "busy: counters are held already (mpevt read shows them, mpevt stop ends them)",
	.restart_hint = "mpevt start begins anew",
	.begin = begin,
	.answer = answer,
};

/* ---- client --------------------------------------------------------------------------------- */

int counters_hold(const struct counters_options *o)
{
	size_t cpus, events, size;
	struct counters_start *s;
	int rc;

	if (!o)
		return rc_null("options");
	cpus = ((size_t)o->ncpus + o->ncpus % 2) * sizeof(*o->cpus);
	events = o->nevents * sizeof(*o->events);
	size = sizeof(struct counters_start) + cpus + events;
	if (o->scope == COUNTERS_COMMAND)
		return rc_fail(PI_INVALID_ARGUMENT,
			       "a command cannot be counted by the holder: it is another process's child");
	if (o->nevents > PITRACE_EVENTS || size > SERVICE_START_MAX)
		return rc_fail(PI_INVALID_ARGUMENT, "too many events or CPUs");
	s = calloc(1, size);
	if (!s)
		return rc_fail(PI_NO_MEMORY, "no memory for starting the holder of counters");
	*s = (struct counters_start){ .size = (uint32_t)size,
				      .scope = o->scope,
				      .pid = o->pid,
				      .has_cpus = o->cpus != NULL,
				      .ncpus = o->ncpus,
				      .nevents = o->nevents };
	if (o->cpus && o->ncpus)
		memcpy(s + 1, o->cpus, o->ncpus * sizeof(*o->cpus));
	if (events)
		memcpy((char *)(s + 1) + cpus, o->events, events);
	rc = service_begin(&held_counters, s, size);
	free(s);
	return rc;
}

static int take(int fd, struct answer *a, struct counter_value *list, unsigned int room)
{
	struct counter_value some[A_PACKET];
	uint32_t got = 0;

	if (a->head.size != sizeof(a->head) || a->head.version != VERSION ||
	    a->head.values > INT32_MAX)
		return service_lost(&held_counters);
	a->why[sizeof(a->why) - 1] = 0;
	if (a->rc)
		return rc_fail(a->rc < 0 ? a->rc : PI_ERROR, "%s", a->why);
	while (got < a->head.values) {
		ssize_t n = service_receive(fd, some, sizeof(some), NULL);
		uint32_t values = n > 0 ? (uint32_t)((size_t)n / sizeof(*some)) : 0;

		if (!values || values > a->head.values - got)
			return service_lost(&held_counters);
		for (uint32_t i = 0; i < values && got + i < room; i++) {
			list[got + i] = some[i];
			list[got + i].name[sizeof(some[i].name) - 1] = 0;
		}
		got += values;
	}
	return (int)got;
}

int counters_ask(int stop, struct counters_held *head, struct counter_value *list,
		 unsigned int room)
{
	struct answer a;
	int fd, n;

	if (!list && room)
		return rc_null("memory for values");
	fd = service_ask(&held_counters, stop ? STOP : READ, &a, sizeof(a), NULL);
	if (fd < 0)
		return fd;
	n = take(fd, &a, list, room);
	close(fd);
	if (n >= 0 && head)
		*head = a.head;
	return n;
}
