// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opens and reads the perf events of a thread. Cycles are the time for which the first group was
 * enabled: they need an event only if they are the first metric. Groups are pinned: all events of a
 * group count all the time, or the group cannot be read.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "collect/perf/perf_open.h"
#include "ptt/ptt_group.h"
#include "base/rc.h"

/* ---- opening --------------------------------------------------------------------------------- */

/* A group read takes longer than reading one event. */
static bool alone(const struct ptt_config *config)
{
	for (int i = 1; i < config->metrics; i++)
		if (!config->metric[i].cycles)
			return false;
	return true;
}

/* How the events of a thread are opened. */
struct how {
	int tid;
	bool together;   /* in groups */
	bool *user_only; /* ptt_group_open */
};

static struct perf_event_attr attr_of(const struct ptt_metric *m, bool leads, const struct how *how)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.pinned = leads,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
	};

	if (how->together)
		attr.read_format |= PERF_FORMAT_GROUP;
	if (!m->cycles)
		perf_attr_event(&attr, &m->event);
	if (*how->user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

#ifdef __aarch64__
/* bit of config1 (arm64): lets the thread read the counter itself */
#define USER_READ 2
#else
#define USER_READ 0
#endif

static int open_attr(struct perf_event_attr *attr, int tid, int group)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, tid, -1, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_event(const struct ptt_metric *m, int group, const struct how *how)
{
	struct perf_event_attr attr = attr_of(m, group < 0, how);
	int fd;

	if (USER_READ && (attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_RAW)) {
		attr.config1 |= USER_READ;
		fd = open_attr(&attr, how->tid, group);
		if (fd >= 0)
			return fd;
		attr = attr_of(m, group < 0, how);
	}
	return open_attr(&attr, how->tid, group);
}

static int open_one(const struct ptt_metric *m, int group, const struct how *how)
{
	int fd = open_event(m, group, how);

	/* The kernel's part is hidden from this user; a clock has no such parts. */
	if (fd == -EACCES && !*how->user_only && !(m->event.flags & PITRACE_EVENT_USER) &&
	    (m->cycles || !perf_in_kernel(&m->event))) {
		*how->user_only = true;
		fd = open_event(m, group, how);
	}
	return fd;
}

static int refused(const struct ptt_metric *m, int tid, int err)
{
	struct trace_config with = { .scope = PITRACE_SCOPE_PROCESS };
	struct collector_check check;

	if (err == -ESRCH)
		return rc_fail(PI_NO_PROCESS, "no thread %d", tid);
	if (err != -EACCES && err != -EPERM)
		return ptt_refused(m, err);
	perf_why(err, &with, &check);
	return rc_fail(PI_NO_PERMISSION, "metric %s: %s%s%s", m->event.name, check.why,
		       *check.cure ? ": " : "", check.cure);
}

int ptt_group_open(struct ptt_group *g, const struct ptt_config *config, int tid, bool *user_only)
{
	const struct how how = { .tid = tid, .together = !alone(config), .user_only = user_only };
	int leader = 0;

	for (int i = 0; i < config->metrics; i++)
		g->fd[i] = -1;
	g->together = how.together;
	for (int i = 0; i < config->metrics; i++) {
		const struct ptt_metric *m = &config->metric[i];

		g->of[i] = 0;
		if (i && m->cycles)
			continue;
		g->fd[i] = open_one(m, i ? g->fd[leader] : -1, &how);
		/* It cannot count in that group, but may in one of its own. */
		if (g->fd[i] == -EINVAL && i) {
			g->fd[i] = open_one(m, -1, &how);
			leader = i;
		}
		if (g->fd[i] < 0) {
			int err = g->fd[i];

			ptt_group_close(g, config);
			return refused(m, tid, err);
		}
		g->of[i] = (uint8_t)leader;
	}
	return PI_OK;
}

void ptt_group_close(struct ptt_group *g, const struct ptt_config *config)
{
	for (int i = 0; i < config->metrics; i++) {
		if (g->fd[i] >= 0)
			close(g->fd[i]);
		g->fd[i] = -1;
	}
}

/* ---- reading --------------------------------------------------------------------------------- */

bool ptt_group_ended(const struct ptt_group *g)
{
	struct pollfd p = { .fd = g->fd[0] };

	return poll(&p, 1, 0) == 1 && p.revents & POLLHUP;
}

/* A thread may read its values where it must not be cancelled: in a destructor. */
static ssize_t read_whole(int fd, void *to, size_t room)
{
	int cancellable;
	ssize_t n;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
	n = read(fd, to, room);
	pthread_setcancelstate(cancellable, &cancellable);
	return n;
}

/* Reads the group that this metric leads. */
static int read_one(const struct ptt_group *g, const struct ptt_config *config, int leader,
		    uint64_t *enabled, uint64_t *values)
{
	/* A single event has its value first. */
	uint64_t now[2 + PTT_METRICS];
	ssize_t n = read_whole(g->fd[leader], now, sizeof(now));
	size_t at = 2;

	if (n < 0)
		return rc_errno(-errno, "metric %s", config->metric[leader].event.name);
	if (n < (ssize_t)(2 * sizeof(*now)))
		return rc_fail(PI_BUSY, "metric %s: the counter was not available all the time",
			       config->metric[leader].event.name);
	*enabled = now[1];
	if (!g->together) {
		values[leader] = now[0];
		return PI_OK;
	}
	for (int i = leader; i < config->metrics && at < (size_t)n / sizeof(*now); i++)
		if (g->fd[i] >= 0 && g->of[i] == leader)
			values[i] = now[at++];
	return PI_OK;
}

int ptt_group_read(const struct ptt_group *g, const struct ptt_config *config, uint64_t *values)
{
	uint64_t first = 0, enabled;
	int rc = PI_OK;

	for (int i = 0; i < config->metrics && !rc; i++) {
		if (g->fd[i] >= 0 && g->of[i] == i)
			rc = read_one(g, config, i, i ? &enabled : &first, values);
		if (config->metric[i].cycles)
			values[i] = first;
	}
	return rc;
}
