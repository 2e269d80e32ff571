/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the events of a session and their rings: on each CPU, for the whole system or for each
 * thread of a process; children inherit them. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/array.h"
#include "base/search.h"
#include "collect/perf/perf_session.h"

static const struct perf_event *first_of(const struct perf_session *s, uint32_t cpu,
					 enum perf_use use)
{
	for (size_t i = 0; i < s->nevents; i++)
		if (s->event[i].cpu == cpu && s->event[i].use == use)
			return &s->event[i];
	return NULL;
}

static bool knows(const struct perf_session *s, enum perf_point point)
{
	return s->points.known >> point & 1;
}

/* Opens one event. The first of its kind on a CPU has the ring, the others write to it. */
static int add(struct perf_session *s, uint32_t cpu, pid_t tid, enum perf_use use, uint32_t number,
	       unsigned int turn)
{
	struct perf_cpu *c = &s->cpu[cpu];
	const struct perf_event *first;
	struct perf_event *e;
	struct perf_event_attr a;
	bool in_turns = use == PERF_SAMPLES && perf_dithered(&s->config, number);
	int fd, err = 0;

	if (array_next(s->event, s->nevents, s->events_room))
		return -ENOMEM;
	first = first_of(s, cpu, use);
	perf_attr(&a, &s->config, use, number, s->user_only);
	if (in_turns) {
		a.freq = 0;
		a.sample_period = perf_dither_period(&s->config, number, turn);
	} else if (use >= PERF_SWITCHES && knows(s, number)) {
		perf_points_attr(&a, &s->points, number, &s->config);
	}
	fd = perf_open(&a, tid, (int)c->cpu);
	if (fd < 0)
		return fd;
	if (first)
		err = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, first->fd) ? -errno : 0;
	else
		err = perf_ring_map(&c->ring[use], fd,
				    use == PERF_NAMES ? s->config.mte_bytes :
							s->config.trace_bytes);
	if (err) {
		close(fd);
		return err;
	}
	s->shape[use] = perf_shape_of(&a);
	if (use == PERF_SAMPLES)
		s->stacks.most = a.sample_max_stack;
	e = &s->event[s->nevents++];
	*e = (struct perf_event){
		.fd = fd,
		.use = use,
		.number = number,
		.cpu = cpu,
		.in_turns = in_turns,
		.turn = turn,
	};
	return ioctl(fd, PERF_EVENT_IOC_ID, &e->id) ? -errno : 0;
}

static int add_all(struct perf_session *s, uint32_t cpu, pid_t tid)
{
	uint32_t samplers = s->config.nevents ? s->config.nevents : 1;
	int err = add(s, cpu, tid, PERF_NAMES, 0, 0);

	if (err)
		return err;
	for (uint32_t i = 0; i < samplers && !err; i++) {
		unsigned int turns = perf_dithered(&s->config, i) ? PERF_TURNS : 1;

		for (unsigned int turn = 0; turn < turns && !err; turn++)
			err = add(s, cpu, tid, PERF_SAMPLES, i, turn);
	}
	if (!err && knows(s, PERF_POINT_ENTER))
		err = add(s, cpu, tid, PERF_SYSCALLS, PERF_POINT_ENTER, 0);
	if (!err && knows(s, PERF_POINT_EXIT))
		err = add(s, cpu, tid, PERF_SYSCALLS, PERF_POINT_EXIT, 0);
	return err;
}

/* Opens events for all present threads; later threads inherit them. */
static int add_process(struct perf_session *s, uint32_t cpu, pid_t pid)
{
	char path[64];
	struct dirent *e;
	bool any = false;
	int err = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		return errno == ENOMEM ? -ENOMEM : -ESRCH;
	while (!err && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		err = add_all(s, cpu, atoi(e->d_name));
		any |= !err;
		/* This thread has ended; others may remain. */
		if (err == -ESRCH)
			err = 0;
	}
	closedir(d);
	return err ? err : any ? 0 : -ESRCH;
}

/* Each thread needs several descriptors on each CPU. */
static void raise_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur == r.rlim_max)
		return;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
}

/* Closes the unused events of a CPU, the last one opened. */
static void drop_last(struct perf_session *s, size_t had)
{
	struct perf_cpu *c = &s->cpu[s->ncpus];

	for (int i = 0; i < PERF_USES; i++)
		perf_ring_unmap(&c->ring[i]);
	while (s->nevents > had)
		close(s->event[--s->nevents].fd);
}

int perf_session_open(struct perf_session *s)
{
	uint32_t most = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	int err = 0;

	raise_limit();
	s->cpu = calloc(most, sizeof(*s->cpu));
	if (!s->cpu)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < most && !err; cpu++) {
		size_t had = s->nevents;

		s->cpu[s->ncpus].cpu = cpu;
		if (s->config.scope == PITRACE_SCOPE_SYSTEM)
			err = add_all(s, s->ncpus, -1);
		else
			err = add_process(s, s->ncpus, s->config.pid);
		if (err)
			drop_last(s, had);
		else
			s->ncpus++;
		if (err == -ENODEV) /* offline */
			err = 0;
	}
	return err;
}

/* If this user may not use the tracepoint, only the switch records remain. */
static int open_switches(struct perf_session *s, uint32_t cpu)
{
	struct perf_cpu *c = &s->cpu[cpu];
	int err;

	if (knows(s, PERF_POINT_SWITCH) && !c->left)
		c->left = calloc(1, sizeof(*c->left));
	if (knows(s, PERF_POINT_SWITCH) && !c->left)
		return -ENOMEM;
	err = add(s, cpu, -1, PERF_SWITCHES, PERF_POINT_SWITCH, 0);
	if ((err != -EACCES && err != -EPERM) || !knows(s, PERF_POINT_SWITCH) ||
	    s->config.stacks & PITRACE_WANT_DISPATCH)
		return err;
	s->points.known &= ~(1u << PERF_POINT_SWITCH);
	return add(s, cpu, -1, PERF_SWITCHES, PERF_POINT_SWITCH, 0);
}

static int open_wakeups(struct perf_session *s, uint32_t cpu)
{
	int err = add(s, cpu, -1, PERF_WAKEUPS, PERF_POINT_WAKING, 0);

	return err ? err : add(s, cpu, -1, PERF_WAKEUPS, PERF_POINT_WAKEUP_NEW, 0);
}

int perf_session_open_whole(struct perf_session *s, enum perf_use use)
{
	const uint32_t wakeups = 1u << PERF_POINT_WAKING | 1u << PERF_POINT_WAKEUP_NEW;
	bool stacks = s->config.stacks & PITRACE_WANT_DISPATCH;
	int err = perf_points_read(&s->points,
				   use == PERF_SWITCHES ? 1u << PERF_POINT_SWITCH : wakeups);

	if (use == PERF_SWITCHES && !stacks)
		err = 0;
	if (use == PERF_WAKEUPS && !s->tasks && !err) {
		s->tasks = calloc(PERF_PIDS, sizeof(*s->tasks));
		err = s->tasks ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; i < s->ncpus && !err; i++)
		if (!s->cpu[i].ring[use].page)
			err = use == PERF_SWITCHES ? open_switches(s, i) : open_wakeups(s, i);
	return err;
}

void perf_session_close(struct perf_session *s)
{
	perf_turns_end(s);
	for (uint32_t i = 0; i < s->ncpus; i++) {
		for (int use = 0; use < PERF_USES; use++)
			perf_ring_unmap(&s->cpu[i].ring[use]);
		free(s->cpu[i].left);
		segment_free(&s->cpu[i].mte);
		segment_free(&s->cpu[i].trace);
	}
	for (size_t i = 0; i < s->nevents; i++)
		close(s->event[i].fd);
	free(s->event);
	free(s->cpu);
	free(s->scope);
	free(s->tasks);
	free(s->queue.data);
	*s = (struct perf_session){ .files = s->files, .turns_lock = PTHREAD_MUTEX_INITIALIZER };
}

void perf_session_enable(struct perf_session *s, enum perf_use use, bool on)
{
	pthread_mutex_lock(&s->turns_lock);
	if (use == PERF_SAMPLES)
		s->sampling = on;
	for (size_t i = 0; i < s->nevents; i++) {
		const struct perf_event *e = &s->event[i];

		if (e->use == use && !(on && e->in_turns && e->turn != s->turn))
			ioctl(e->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	}
	pthread_mutex_unlock(&s->turns_lock);
}

const struct perf_event *perf_session_event(const struct perf_session *s, uint64_t id)
{
	size_t at = search_sorted(i, 0, s->nevents, s->event[i].id < id);

	return at < s->nevents && s->event[at].id == id ? &s->event[at] : NULL;
}

enum pitrace_lost perf_lost_of(enum perf_use use)
{
	switch (use) {
	case PERF_SAMPLES:
		return PITRACE_LOST_TPROF;
	case PERF_SWITCHES:
		return PITRACE_LOST_DISPATCH;
	case PERF_WAKEUPS:
		return PITRACE_LOST_WAKEUP;
	case PERF_SYSCALLS:
		return PITRACE_LOST_SYSCALL;
	default:
		return PITRACE_LOST_MTE;
	}
}

void perf_session_count_lost(struct perf_session *s, bool begin)
{
	struct {
		uint64_t value, lost;
	} got;

	for (uint32_t i = 0; i < s->ncpus; i++) {
		uint64_t sum[PITRACE_LOST_KINDS] = { 0 };
		struct perf_cpu *c = &s->cpu[i];

		for (size_t k = 0; k < s->nevents; k++)
			if (s->event[k].cpu == i &&
			    read(s->event[k].fd, &got, sizeof(got)) == (ssize_t)sizeof(got))
				sum[perf_lost_of(s->event[k].use)] += got.lost;
		for (unsigned int k = 0; k < PITRACE_LOST_KINDS; k++) {
			if (begin)
				c->base[k] = sum[k];
			else if (sum[k] - c->base[k] > c->lost[k])
				c->lost[k] = sum[k] - c->base[k];
		}
	}
}
