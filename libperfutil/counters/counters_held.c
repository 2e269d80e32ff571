/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters kept by a daemon (base/service.h). The answer to a request is a head followed by the
 * values, a fixed number per packet, all structs of one machine and one release.
 */
#include <counters.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/service.h"
#include "base/now.h"
#include "base/rc.h"

#define VERSION  1
#define A_PACKET 64u /* values per packet */

enum op { READ = 1, STOP };
struct answer {
	int32_t rc;
	uint32_t reserved;
	struct counters_held head;
	char why[512];
};

/* ---- daemon --------------------------------------------------------------------------------- */

struct holding {
	const struct counters_options *options;
	struct counters *counters;
	struct counter_value *list;
	struct answer answer;
	uint64_t begun;
};

static int begin(void *arg)
{
	struct holding *h = arg;
	int rc, n;

	h->counters = counters_open(h->options, &rc);
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
		.scope = h->options->scope,
		.pid = h->options->pid,
		.values = (uint32_t)n,
	};
	h->begun = now_ns();
	return counters_on(h->counters);
}

static void answer_with_values(struct holding *h, int fd)
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

static bool answer(void *arg, int fd, uint32_t op);

static const struct service service = {
	.named = "PITRACE_COUNTERS",
	.leaf = "pitrace-counters",
	.version = VERSION,
	.holder = "the holder of counters",
	.none = "no counters are held (mpevt start begins)",
	.not_owner = "the counters that are held belong to another user",
	.busy = "busy: counters are held already (mpevt read shows them, mpevt stop ends them)",
	.restart_hint = "mpevt start begins anew",
	.begin = begin,
	.answer = answer,
};

static bool answer(void *arg, int fd, uint32_t op)
{
	struct holding *h = arg;

	if (op == STOP) {
		counters_off(h->counters);
		service_withdraw(&service);
	}
	if (op == STOP || op == READ)
		answer_with_values(h, fd);
	return op == STOP;
}

int counters_hold(const struct counters_options *options)
{
	struct holding h = { .options = options };

	if (!options)
		return rc_null("options");
	if (options->scope == COUNTERS_COMMAND)
		return rc_fail(PI_INVALID_ARGUMENT,
			       "a command cannot be counted by the holder: it is another process's child");
	return service_begin(&service, &h);
}

/* ---- client --------------------------------------------------------------------------------- */

static int take(int fd, struct answer *a, struct counter_value *list, unsigned int room)
{
	struct counter_value some[A_PACKET];
	uint32_t got = 0;

	if (service_receive(fd, a, sizeof(*a), NULL) != (ssize_t)sizeof(*a) ||
	    a->head.size != sizeof(a->head) || a->head.version != VERSION ||
	    a->head.values > INT32_MAX)
		return service_lost(&service);
	a->why[sizeof(a->why) - 1] = 0;
	if (a->rc)
		return rc_fail(a->rc < 0 ? a->rc : PI_ERROR, "%s", a->why);
	while (got < a->head.values) {
		ssize_t n = service_receive(fd, some, sizeof(some), NULL);
		uint32_t values = n > 0 ? (uint32_t)((size_t)n / sizeof(*some)) : 0;

		if (!values || values > a->head.values - got)
			return service_lost(&service);
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
	fd = service_request(&service, stop ? STOP : READ);
	if (fd < 0)
		return fd;
	n = take(fd, &a, list, room);
	close(fd);
	if (n >= 0 && head)
		*head = a.head;
	return n;
}
