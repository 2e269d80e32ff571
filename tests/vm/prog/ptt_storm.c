// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ptt_storm DISK: a loop of known length, measured by its thread through PTT: alone; while timers
 * of another process expire 10,000 times a second; the same with interrupts charged; while another
 * process has a disk interrupt. Each line: KIND, the loop's instructions, what PTT says of it and
 * of its interrupts, what the kernel's clock of the thread says, interrupts, dispatches. All are
 * instructions, if one takes a nanosecond and a cycle: under an instruction counter.
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <ptt.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

#define TURNS    75000000
#define TIMERS   3000   /* one for each interrupt: for longer than the loop takes */
#define EVERY    100000 /* ns */
#define REQUESTS 128
#define TIMES    3

static void must(int rc)
{
	if (rc) {
		fprintf(stderr, "ptt_storm: %s\n", TraceLastError());
		exit(1);
	}
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void measure(const char *kind)
{
	struct ptt_thread_data a, b;
	int64_t clock;

	must(PttGetThreadData(0, &a));
	clock = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	turns(TURNS);
	clock = clock_ns(CLOCK_THREAD_CPUTIME_ID) - clock;
	must(PttGetThreadData(0, &b));
	printf("%s loop %lld value %llu interrupt %llu clock %lld interrupts %llu dispatches %llu\n",
	       kind, 2ll * TURNS, (unsigned long long)(b.value[0] - a.value[0]),
	       (unsigned long long)(b.interrupt[0] - a.interrupt[0]), (long long)clock,
	       (unsigned long long)(b.interrupts - a.interrupts),
	       (unsigned long long)(b.dispatches - a.dispatches));
}

/* ---- the other process ----------------------------------------------------------------------- */

/* Nobody waits for them: each expiry is an interrupt and no more. */
static void timers(void)
{
	struct rlimit files = { 2 * TIMERS, 2 * TIMERS };
	struct itimerspec at = { 0 };
	int64_t now;
	int fd[TIMERS];

	if (setrlimit(RLIMIT_NOFILE, &files))
		fail("setrlimit");
	for (int i = 0; i < TIMERS; i++) {
		fd[i] = timerfd_create(CLOCK_MONOTONIC, 0);
		if (fd[i] < 0)
			fail("timerfd_create");
	}
	/* All are set before the first one is due. */
	now = clock_ns(CLOCK_MONOTONIC) + 20000000;
	for (int i = 0; i < TIMERS; i++) {
		int64_t due = now + (int64_t)i * EVERY;

		at.it_value.tv_sec = due / 1000000000;
		at.it_value.tv_nsec = due % 1000000000;
		if (timerfd_settime(fd[i], TFD_TIMER_ABSTIME, &at, NULL))
			fail("timerfd_settime");
	}
	if (clock_ns(CLOCK_MONOTONIC) > now)
		fprintf(stderr, "ptt_storm: setting the timers took too long\n"), exit(1);
}

/* Asynchronous reads, as many as the disk accepts at a time, repeatedly. */
static void disk(const char *path, int ready)
{
	static struct iocb request[REQUESTS], *list[REQUESTS];
	static struct io_event done[REQUESTS];
	static char room[REQUESTS][4096] __attribute__((aligned(4096)));
	struct timespec wait = { .tv_nsec = 2000000 }, none = { 0 };
	int fd = open(path, O_RDONLY | O_DIRECT);
	aio_context_t context = 0;
	long given = 0, free_ones = REQUESTS;

	if (fd < 0 || syscall(SYS_io_setup, REQUESTS, &context))
		fail(path);
	for (int i = 0; i < REQUESTS; i++) {
		request[i].aio_lio_opcode = IOCB_CMD_PREAD;
		request[i].aio_fildes = (uint32_t)fd;
		request[i].aio_buf = (uintptr_t)room[i];
		request[i].aio_nbytes = sizeof(room[i]);
		/* Not adjacent, so that they are not merged. */
		request[i].aio_offset = i * (1ll << 20);
		list[i] = &request[i];
	}
	for (;;) {
		if (free_ones == REQUESTS) {
			given = syscall(SYS_io_submit, context, REQUESTS, list);
			if (given <= 0)
				fail("io_submit");
			free_ones -= given;
			if (ready >= 0 && write(ready, "", 1) == 1)
				ready = -1;
		}
		nanosleep(&wait, NULL);
		free_ones += syscall(SYS_io_getevents, context, 0, REQUESTS, done, &none);
	}
}

static pid_t beside(const char *path)
{
	int ready[2];
	pid_t pid;
	char byte;

	fflush(stdout);
	if (pipe(ready))
		fail("pipe");
	pid = fork();
	if (!pid) {
		if (path)
			disk(path, ready[1]);
		timers();
		if (write(ready[1], "", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		fail("the other process");
	close(ready[0]);
	if (!path)
		usleep(25000); /* the first ones are due */
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	usleep(20000);
}

static void storm(const char *kind, const char *path)
{
	for (int i = 0; i < TIMES; i++) {
		pid_t pid = beside(path);

		measure(kind);
		end(pid);
	}
}

int main(int argc, char **argv)
{
	const char *metric = "tsc";

	if (argc != 2)
		return 2;
	must(PttInit(1, &metric, TRACE_PRIV_ANY));
	must(PttInitThread(0));
	for (int i = 0; i < TIMES; i++)
		measure("quiet");
	storm("timer", NULL);
	must(PttSetCharge(1));
	storm("charged", NULL);
	must(PttSetCharge(0));
	storm("disk", argv[1]);
	must(PttTerminate());
	return 0;
}
