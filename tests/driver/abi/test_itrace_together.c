// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Sessions that go on and off over programs that are probed, refused by seccomp, debugged, that
 * begin set-user-ID programs and many short threads, while a CPU goes off and on: each part goes on
 * for ever, and ends with a status of its own as soon as something is not as it is without a trace.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "itrace.h"

#ifdef TRACED_HERE

static void part_gains(void)
{
	int status;
	pid_t pid;

	if (setgid(1000) || setuid(1000))
		_exit(5);
	for (;;) {
		pid = fork();
		if (!pid) {
			execl(GAINS, "abi", "spin", "1", (char *)NULL);
			_exit(127);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			_exit(6);
	}
}

#define STEPS 20

static void part_debugger(void)
{
	int status, i;
	pid_t pid;

	for (;;) {
		pid = fork();
		if (!pid)
			part_spin();
		usleep(2000);
		if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) ||
		    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid ||
		    !WIFSTOPPED(status))
			_exit(7);
		for (i = 0; i < STEPS; i++)
			if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) ||
			    waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
			    WSTOPSIG(status) != SIGTRAP)
				_exit(8);
		if (ptrace(PTRACE_DETACH, pid, NULL, NULL))
			_exit(9);
		usleep(2000);
		if (waitpid(pid, &status, WNOHANG) != 0)
			_exit(10);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
}

static void part_cpu(void)
{
	for (;;) {
		if (!cpu1("0"))
			pause();
		usleep(50000);
		cpu1("1");
		usleep(50000);
	}
}

void test_itrace_together(void)
{
	static void (*const parts[])(void) = {
		part_steps_probe, part_refused, part_churn, part_gains, part_debugger, part_cpu,
	};
	enum { PARTS = sizeof(parts) / sizeof(*parts) };
	struct pitrace_itrace_args it;
	long i = 0, turns = turns_or(12);
	int32_t pids[PARTS];
	struct gate g[PARTS];
	bool probes = probe_on();
	uint64_t told = 0;
	struct view v, keep;
	int k, status;

	check(copy_self(GAINS) && chmod(GAINS, 04755) == 0);
	for (k = 0; k < PARTS; k++) {
		pids[k] = child_of(&g[k], parts[k]);
		setpgid(pids[k], pids[k]);
	}
	it = itrace_of(pids);
	it.listed = PARTS;
	it.flags = PITRACE_ITRACE_LOSSY | PITRACE_ITRACE_FOLLOW;
	if (keep_hooks(&keep) && begin_itrace(&v, itrace_plain(), &it)) {
		for (k = 0; k < PARTS; k++)
			let_go(&g[k]);
		for (i = 0; i < turns && !bad; i++) {
			want(0, ioctl(v.fd, PITRACE_IOC_ON));
			usleep(1000 + rand() % 4000);
			want(0, ioctl(v.fd, PITRACE_IOC_OFF));
			told += instructions(&v);
			usleep(rand() % 4000);
			for (k = 0; k < PARTS; k++)
				if (waitpid(pids[k], &status, WNOHANG) != 0)
					wrong("turn %ld: part %d ended, status %#x", i, k, status);
		}
		unview(&v);
		unview(&keep);
	}
	printf("# %ld turns, %lu instructions\n", i, (long)told);
	check(told > 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (k = 0; k < PARTS; k++) {
		kill(-pids[k], SIGKILL);
		done(&g[k]);
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	cpu1("1");
	if (probes)
		probe_off();
	unlink(GAINS);
	no_session_left();
}

#endif
