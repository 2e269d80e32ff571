// SPDX-License-Identifier: GPL-3.0-or-later
/* Where an interval ends and the next begins: what others do at that moment spoils neither. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sched.h>
#include "abi.h"
#include "work.h"

/* It fills while it is suspended: that is a stop, and going on does not hide it. */
void test_stop_suspended(void)
{
	struct pitrace_session_args args = plain();
	struct pollfd pfd = { .events = POLLIN };
	struct view v;
	int i;

	args.mode = PITRACE_MODE_NORMAL;
	args.mte_bytes = 256 * KB;
	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = getpid();
	if (!begin(&v, args, 100))
		return;
	pfd.fd = v.fd;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
	for (i = 0; i < 100000 && v.control->state == PITRACE_STATE_SUSPENDED; i++)
		prctl(PR_SET_NAME, i & 1 ? "one" : "other");
	prctl(PR_SET_NAME, "abi");
	check(v.control->state == PITRACE_STATE_STOPPED);
	check(v.control->stop_ring == PITRACE_RING_MTE);
	check(poll(&pfd, 1, 0) == 1 && pfd.revents & POLLHUP);
	want(EINVAL, ioctl(v.fd, PITRACE_IOC_RESUME));
	check(v.control->state == PITRACE_STATE_STOPPED);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	unview(&v);
	no_session_left();
}

/* ---- a number given again -------------------------------------------------------------------- */

static void count_of(const struct pitrace_rec *rec, void *arg)
{
	uint32_t pid;

	/* All records about processes begin with the pid. */
	memcpy(&pid, rec + 1, sizeof(pid));
	if (rec->major == PITRACE_MTE && rec->minor == PITRACE_MTE_NAME && pid == *(uint32_t *)arg)
		((uint32_t *)arg)[1]++;
}

/* A child, with this number if it is not 0, that renames itself for ever. */
static pid_t renaming(pid_t number)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = number ? (uintptr_t)&number : 0,
		.set_tid_size = number != 0,
	};
	pid_t pid;

	fflush(stdout);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	for (int i = 0; !pid; i++) {
		prctl(PR_SET_NAME, i & 1 ? "one" : "other");
		nap(1);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint32_t names_of(struct view *v, pid_t pid)
{
	uint32_t of[2] = { (uint32_t)pid, 0 };

	want(0, ioctl(v->fd, PITRACE_IOC_ON));
	nap(50);
	want(0, ioctl(v->fd, PITRACE_IOC_OFF));
	each_record(v, PITRACE_RING_MTE, count_of, of);
	return of[1];
}

void test_number_again(void)
{
	struct pitrace_session_args args = plain();
	pid_t pid = renaming(0);
	struct view v;

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = pid;
	if (!begin(&v, args, 100))
		return;
	check(names_of(&v, pid) > 3);
	check(names_of(&v, pid) > 3);
	end(pid);
	check(renaming(pid) == pid);
	check(names_of(&v, pid) == 0);
	end(pid);
	unview(&v);
	no_session_left();
}

/* ---- consumers, and CPUs that come ----------------------------------------------------------- */

/* While another session is on, the kernel's hooks are there, and on and off are quick. */
static bool begin_other(struct view *v)
{
	struct pitrace_session_args args = plain();

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = getpid();
	if (!begin(v, args, 100))
		return false;
	want(0, ioctl(v->fd, PITRACE_IOC_ON));
	return true;
}

static volatile bool over;

/* Claims all that there may be, all the time. */
static void *consume_all(void *arg)
{
	const struct view *v = arg;

	while (!over) {
		ioctl(v->fd, PITRACE_IOC_FLUSH,
		      &(uint32_t){ PITRACE_FLUSH_MTE | PITRACE_FLUSH_TRACE });
		for (uint32_t cpu = 0; cpu < 2; cpu++)
			for (uint32_t ring = 0; ring < PITRACE_RINGS; ring++)
				consume(v, cpu, ring, ~0ull);
	}
	return NULL;
}

void test_consumer_at_on(void)
{
	struct pitrace_session_args args = plain();
	unsigned long silent = 0, full = 0;
	pthread_t consumer;
	struct view v, other;

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = getpid();
	if (!begin_other(&other) || !begin(&v, args, 1000))
		return;
	over = false;
	check(!pthread_create(&consumer, NULL, consume_all, &v));
	for (int i = 0; i < 20; i++) {
		uint32_t all = PITRACE_FLUSH_MTE | PITRACE_FLUSH_TRACE;
		uint64_t published = 0;

		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		prctl(PR_SET_NAME, i & 1 ? "one" : "other");
		want(0, ioctl(v.fd, PITRACE_IOC_FLUSH, &all));
		for (unsigned int cpu = 0; cpu < v.control->ncpus; cpu++)
			if (page_of(&v, cpu)->present)
				published += head(&v, cpu, PITRACE_RING_MTE);
		silent += !published;
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		full += lost(&v, PITRACE_LOST_MTE) + lost(&v, PITRACE_LOST_TPROF);
	}
	over = true;
	pthread_join(consumer, NULL);
	prctl(PR_SET_NAME, "abi");
	if (silent || full)
		wrong("%lu times nothing was published, %lu records found no room", silent, full);
	unview(&v);
	unview(&other);
	no_session_left();
}

static void *toggle_cpu(void *arg)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	(void)arg;
	while (!over)
		for (int on = 0; on < 2; on++)
			if (pwrite(fd, on ? "1" : "0", 1, 0) != 1)
				nap(1);
	close(fd);
	return NULL;
}

/* A CPU comes while a session ends: no timer of it is left, and in the next interval that CPU has
 * ticks again. */
void test_cpu_at_off(void)
{
	pthread_t toggler;
	struct view v, other;

	if (!begin_other(&other))
		return;
	over = false;
	check(!pthread_create(&toggler, NULL, toggle_cpu, NULL));
	for (int i = 0; i < 10; i++) {
		if (!begin(&v, plain(), 20000))
			break;
		for (int k = 0; k < 3; k++) {
			want(0, ioctl(v.fd, PITRACE_IOC_ON));
			want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		}
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		unview(&v);
	}
	over = true;
	pthread_join(toggler, NULL);
	if (begin(&v, plain(), 1000)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		on_cpu(1);
		spin(50);
		on_all_cpus();
		check(page_of(&v, 1)->ticks > 5);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		unview(&v);
	}
	unview(&other);
	no_session_left();
}

/* ---- the last wake-ups ----------------------------------------------------------------------- */

static void *rename_on(void *arg)
{
	on_cpu((unsigned int)(uintptr_t)arg);
	for (int i = 0; !over; i++)
		prctl(PR_SET_NAME, i & 1 ? "one" : "other");
	return NULL;
}

/* A session is closed with something new on both CPUs: each wakes its consumer once more, at one
 * time, while it goes. To meet the moment is a matter of luck; a driver that waits for one of them
 * only crashes in the first turns if its CPU 0 dawdles 20 ms before it wakes. */
void test_wakes_at_close(void)
{
	struct pitrace_session_args args = plain();
	long turns = turns_or(20), i;
	pthread_t renamer[2];
	struct view other;
	int fd;

	if (!begin_other(&other))
		return;
	over = false;
	for (i = 0; i < 2; i++)
		check(!pthread_create(&renamer[i], NULL, rename_on, (void *)i));
	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = getpid();
	for (i = 0; i < turns && !bad; i++) {
		fd = session(&args);
		want(0, ioctl(fd, PITRACE_IOC_ON));
		if (i % 2)
			nap(1);
		close(fd);
	}
	over = true;
	for (i = 0; i < 2; i++)
		pthread_join(renamer[i], NULL);
	unview(&other);
	no_session_left();
}
