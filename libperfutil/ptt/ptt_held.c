// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A PTT kept by a daemon (base/service.h), which only holds the driver's descriptor open. The
 * answer passes the descriptor: the client maps the pages itself.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cursor.h"
#include "base/now.h"
#include "ptt/ptt_held.h"
#include "ptt/ptt_pages.h"
#include "base/rc.h"

#define VERSION 1

enum ptt_op { ATTACH = 1, END };

/* ---- daemon ------------------------------------------------------------------------------- */

struct ptt_holding {
	struct pttview *view;
	struct pttview_held head;
};

static void name_metrics(struct pttview_held *head, const struct pttview *v)
{
	struct ptt_info info;

	pttview_info(v, &info);
	head->metrics = info.metrics;
	memcpy(head->metric, info.metric, sizeof(head->metric));
	for (uint32_t i = 0; i < info.metrics; i++)
		head->cycles[i] = !strcmp(info.unit[i], "cycles");
}

static int start_counting(struct ptt_holding *h, const struct pttview_options *options)
{
	int rc;

	h->view = pttview_open(options, &rc);
	if (!h->view)
		return rc;
	name_metrics(&h->head, h->view);
	h->head.holder = getpid();
	h->head.uid = geteuid();
	h->head.begun = now_ns();
	if (h->head.whom == PTTVIEW_ALL)
		rc = pttview_add(h->view, PTTVIEW_ALL, 0);
	for (uint32_t i = 0; i < h->head.pids && rc >= 0; i++)
		rc = pttview_add(h->view, h->head.whom, h->head.pid[i]);
	if (rc >= 0)
		return PI_OK;
	/* Freed before the answer, so that a client that starts the next one at once finds
	 * memory. */
	pttview_close(h->view);
	return rc;
}

int held_ptt_read(const void *packet, size_t size, struct pttview_start *s)
{
	struct bytes in = bytes_of(packet, size);

	if (!bytes_copy(&in, s, sizeof(*s)) || bytes_left(&in) || s->size != sizeof(*s))
		return rc_fail(PI_NOT_SUPPORTED, "PTT's holder is of another release");
	if (s->count < 0 || s->count > PTT_METRICS || s->head.pids > PTTVIEW_HELD_PIDS)
		return rc_fail(PI_INVALID_ARGUMENT,
			       "PTT's holder got too many metrics or processes");
	for (int i = 0; i < s->count; i++)
		if (!memchr(s->metric[i], 0, sizeof(s->metric[i])))
			return rc_fail(PI_INVALID_ARGUMENT, "metric %d has no name", i);
	return PI_OK;
}

static void *begin(const void *packet, size_t size, const char *address, int *rc)
{
	static struct ptt_holding held;
	static struct pttview_start s;
	const char *names[PTT_METRICS];

	(void)address;
	*rc = held_ptt_read(packet, size, &s);
	if (*rc)
		return NULL;
	for (int i = 0; i < s.count; i++)
		names[i] = s.metric[i];
	held.head = s.head;
	*rc = start_counting(&held, &(struct pttview_options){ .count = s.count,
							       .metrics = names,
							       .priv = s.priv,
							       .threads = s.threads,
							       .charged = s.charged });
	return *rc ? NULL : &held;
}

static bool answer(void *held, int fd, const void *request)
{
	uint32_t op = service_op(&held_ptt, request);
	const struct ptt_holding *h = held;

	if (op == END) {
		service_withdraw();
		/* Attached clients see that it has ended. */
		pttview_stop(h->view);
		pttview_close(h->view);
	}
	if (op == END || op == ATTACH)
		service_send(fd, &h->head, sizeof(h->head),
			     op == ATTACH ? ptt_view_fd(h->view) : -1);
	return op == END;
}

const struct service held_ptt = {
	.kind = "ptt",
	.named = "PITRACE_PTT",
	.leaf = "pitrace-ptt",
	.version = VERSION,
	.request = sizeof(struct service_question),
	.holder = "PTT's holder",
	.none = "PTT is not on (ptt init begins)",
	.not_owner = "this PTT belongs to another user",
	.busy = "busy: PTT is on already (ptt info shows it, ptt term ends it)",
	.restart_hint = "ptt init begins anew",
	.begin = begin,
	.answer = answer,
};

/* ---- client ------------------------------------------------------------------------------- */

int pttview_hold(const struct pttview_options *o, int whom, const int *pids, int count)
{
	struct pttview_start s = {
		.size = sizeof(s),
		.head = {
			.size = sizeof(s.head),
			.version = VERSION,
			.whom = whom,
			.pids = (uint32_t)count,
		},
	};

	if (!o || (!pids && count))
		return rc_null(o ? "list of processes" : "options");
	s.count = o->count;
	s.priv = s.head.priv = o->priv;
	s.threads = o->threads;
	s.charged = o->charged;
	if (whom < PTTVIEW_PROCESS || whom > PTTVIEW_ALL || count < 0 ||
	    count > PTTVIEW_HELD_PIDS || !count != (whom == PTTVIEW_ALL))
		return rc_fail(PI_INVALID_ARGUMENT,
			       "invalid selection: all threads, or 1 to %d processes",
			       PTTVIEW_HELD_PIDS);
	if (o->count < 1 || !o->metrics)
		return rc_fail(PI_INVALID_ARGUMENT, "no metric given");
	if (o->count > PTT_METRICS)
		return rc_fail(PI_TOO_MANY_METRICS, "%d metrics: at most %d at a time", o->count,
			       PTT_METRICS);
	for (int i = 0; i < o->count; i++)
		if (snprintf(s.metric[i], PTTVIEW_METRIC_MAX, "%s", o->metrics[i]) >=
		    PTTVIEW_METRIC_MAX)
			return rc_fail(PI_EVENT_UNSUPPORTED,
				       "metric %.60s...: the name is too long", o->metrics[i]);
	for (int i = 0; i < count; i++)
		s.head.pid[i] = pids[i];
	return service_begin(&held_ptt, &s, sizeof(s));
}

static bool sound(const struct pttview_held *h)
{
	if (h->size != sizeof(*h) || h->version != VERSION || h->whom < PTTVIEW_PROCESS ||
	    h->whom > PTTVIEW_ALL || h->pids > PTTVIEW_HELD_PIDS || !h->metrics ||
	    h->metrics > PTT_METRICS)
		return false;
	for (uint32_t i = 0; i < h->metrics; i++)
		if (!memchr(h->metric[i], 0, sizeof(h->metric[i])))
			return false;
	return true;
}

/* Other files could be mapped too, and could shrink while they are read. */
static bool is_ptt(int fd)
{
	static const char want[] = "anon_inode:[pitrace-ptt]";
	char link[32], is[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, is, sizeof(is));
	return n == (ssize_t)sizeof(want) - 1 && !memcmp(is, want, sizeof(want) - 1);
}

static int request(uint32_t op, struct pttview_held *head, int *passed)
{
	int fd = service_ask(&held_ptt, op, head, sizeof(*head), passed);

	if (fd < 0)
		return fd;
	close(fd);
	if (sound(head))
		return PI_OK;
	if (passed && *passed >= 0)
		close(*passed);
	return service_lost(&held_ptt);
}

struct pttview *pttview_attach(struct pttview_held *out, int *rc)
{
	struct ptt_config config = { 0 };
	struct pttview_held head;
	int fd;

	*rc = request(ATTACH, &head, &fd);
	if (*rc)
		return NULL;
	if (fd < 0 || !is_ptt(fd)) {
		if (fd >= 0)
			close(fd);
		*rc = service_lost(&held_ptt);
		return NULL;
	}
	config.metrics = (int)head.metrics;
	for (uint32_t i = 0; i < head.metrics; i++) {
		config.metric[i].cycles = head.cycles[i];
		memcpy(config.metric[i].event.name, head.metric[i], sizeof(head.metric[i]));
	}
	if (out)
		*out = head;
	return ptt_view_of(&config, fd, rc);
}

int pttview_charge_held(int charged)
{
	struct pttview *v;
	int rc;

	v = pttview_attach(NULL, &rc);
	if (!v)
		return rc;
	rc = pttview_charge(v, charged);
	pttview_close(v);
	return rc;
}

int pttview_end(void)
{
	struct pttview_held head;

	return request(END, &head, NULL);
}
