// SPDX-License-Identifier: GPL-3.0-or-later
/* Rings that wrap, sessions that stop at a crash, walks on request. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi.h"

/* Copy a segment out of a ring that is being written; whole? Barriers (D). */
static bool copied(const struct view *v, unsigned int cpu, uint64_t position, void *to)
{
	const struct pitrace_ring *ring = &page_of(v, cpu)->ring[PITRACE_RING_TRACE];

	memcpy(to, v->data[cpu] + v->control->mte_bytes + position % v->control->trace_bytes,
	       v->control->segment_bytes);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return position + v->control->trace_bytes >=
	       __atomic_load_n(&ring->opened, __ATOMIC_RELAXED);
}

/* Some times round: what is copied while it runs is whole when the rule says so; at the end the
 * newest are there, nothing was lost, and nobody could take records away. */
void test_wrap(void)
{
	struct pitrace_session_args args = plain();
	struct pollfd pfd = { .events = POLLIN };
	uint64_t segment, size, end, at, whole = 0;
	const struct pitrace_ring *ring;
	unsigned int cpu = 0;
	unsigned char *copy;
	struct view v;

	args.mode = PITRACE_MODE_WRAP;
	if (!begin(&v, args, 20000))
		return;
	segment = v.control->segment_bytes;
	size = v.control->trace_bytes;
	copy = malloc(segment);
	ring = &page_of(&v, cpu)->ring[PITRACE_RING_TRACE];
	/* The CPU that is looked at is kept busy: another's ticks of idle time are few. */
	on_cpu(cpu);
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	while (head(&v, cpu, PITRACE_RING_TRACE) < 3 * size) {
		end = head(&v, cpu, PITRACE_RING_TRACE) / segment * segment;
		at = end > size ? end - size : 0;
		if (at < end && copied(&v, cpu, at, copy)) {
			const struct pitrace_segment *s = (const void *)copy;

			check(s->magic == PITRACE_SEGMENT_MAGIC);
			check(s->sequence == at / segment);
			whole++;
		}
		spin(2);
	}
	check(whole > 0);
	/* Only the MTE ring can wake it. */
	for (unsigned int c = 0; c < v.control->ncpus; c++)
		if (v.data[c])
			want(0, consume(&v, c, PITRACE_RING_MTE, head(&v, c, PITRACE_RING_MTE)));
	pfd.fd = v.fd;
	check(poll(&pfd, 1, 0) == 0);
	want(EINVAL, consume(&v, cpu, PITRACE_RING_TRACE, head(&v, cpu, PITRACE_RING_TRACE)));
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(v.control->state == PITRACE_STATE_OFF);
	check(ring->opened == ring->head && ring->head % segment == 0);
	check(check_rings(&v) > (long)(size / 64));
	check(lost(&v, PITRACE_LOST_TPROF) == 0 && lost(&v, PITRACE_LOST_OTHER) == 0 &&
	      lost(&v, PITRACE_LOST_MTE) == 0);
	/* The next interval begins with empty rings. */
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	check(ring->opened <= segment);
	on_all_cpus();
	free(copy);
	unview(&v);
	no_session_left();
}

/* A child that waits for a command, then is killed by this signal (0: exits); or its own child
 * does. */
static pid_t victim(int number, int *go)
{
	int gate[2];
	pid_t pid;
	char c;

	if (pipe(gate))
		return -1;
	pid = fork();
	if (!pid) {
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		close(gate[1]);
		if (read(gate[0], &c, 1) != 1)
			_exit(1);
		pid = fork();
		if (!pid) {
			if (number)
				raise(number);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		if (read(gate[0], &c, 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(gate[0]);
	*go = gate[1];
	return pid;
}

static void crash(int number, bool stops)
{
	struct pitrace_session_args args = plain();
	struct pollfd pfd = { .events = 0 };
	struct view v;
	int go = -1;

	args.mode = PITRACE_MODE_WRAP;
	args.flags = PITRACE_SESSION_STOP_ON_CRASH;
	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = victim(number, &go);
	if (!begin(&v, args, 1000))
		return;
	pfd.fd = v.fd;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	check(write(go, "", 1) == 1);
	poll(&pfd, 1, stops ? 5000 : 300);
	check(!!(pfd.revents & POLLHUP) == stops);
	check((v.control->state == PITRACE_STATE_STOPPED) == stops);
	if (stops) {
		check(v.control->stop_ring == PITRACE_STOP_CRASH);
		check(v.control->stop_signal == (unsigned int)number);
		check(v.control->stop_pid && (pid_t)v.control->stop_pid != args.pid);
	}
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	close(go);
	waitpid(args.pid, NULL, 0);
	unview(&v);
}

void test_crash(void)
{
	crash(SIGSEGV, true);
	crash(SIGABRT, true);
	crash(SIGQUIT, true);
	crash(SIGTERM, false);
	crash(SIGKILL, false);
	crash(0, false);
	no_session_left();
}

static void count_walked(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_mte_task *task = (const void *)(rec + 1);
	uint64_t *n = arg;

	*n += rec->major == PITRACE_MTE &&
	      (rec->minor == PITRACE_MTE_PROCESS || rec->minor == PITRACE_MTE_THREAD) &&
	      task->flags & PITRACE_TASK_WALK;
}

static uint64_t walked(const struct view *v)
{
	uint64_t n = 0;

	want(0, ioctl(v->fd, PITRACE_IOC_FLUSH, &(uint32_t){ PITRACE_FLUSH_MTE }));
	each_record(v, PITRACE_RING_MTE, count_walked, &n);
	return n;
}

/* A requested walk is counted when its records are complete. */
void test_rescan(void)
{
	struct view v;
	uint64_t before, after;
	unsigned int c;

	if (!begin(&v, plain(), 100))
		return;
	want(EINVAL, ioctl(v.fd, PITRACE_IOC_RESCAN));
	check(v.control->rescans_asked == 0);
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	before = walked(&v);
	check(before > 1);
	want(0, ioctl(v.fd, PITRACE_IOC_RESCAN));
	check(v.control->rescans_asked == 1);
	for (c = 0; c < 500 && v.control->rescans_done != 1; c++)
		nap(10);
	check(v.control->rescans_done == 1);
	after = walked(&v);
	/* As many live tasks as the walk at *on* wrote, but for those that came or went. */
	check(after >= before + before * 3 / 4);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	unview(&v);
	no_session_left();
}
