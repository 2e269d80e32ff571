// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads that wait for a session which nobody drains: only the creator's own, never another
 * user's, never init. */
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "itrace.h"

#ifdef TRACED_HERE

/* A process of this user that loops for some time when a byte comes. */
static pid_t worker(const int *gate, uid_t uid)
{
	pid_t pid = fork();
	volatile int i;
	char c;

	if (pid)
		return pid;
	if (uid && (setgid(uid) || setuid(uid) || prctl(PR_SET_DUMPABLE, 1)))
		_exit(1);
	if (read(gate[0], &c, 1) != 1)
		_exit(2);
	for (i = 0; i < 20000; i++)
		;
	_exit(0);
}

/* A tracer with only CAP_PERFMON: traces it, and reads nothing until it is killed. */
static pid_t tracer(int32_t pid, int ready)
{
	struct pitrace_itrace_args it = itrace_of(&pid);
	struct group *g = getgrnam("pitrace");
	pid_t self = fork();
	struct view v;

	if (self)
		return self;
	bad = 0;
	if (!g || setgroups(1, &g->gr_gid))
		_exit(1);
	perfmon_only();
	if (!begin_itrace(&v, plain(), &it) || ioctl(v.fd, PITRACE_IOC_ON) || bad ||
	    write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Returns whether it exits with success within so many tenths of a second. */
static bool ends(pid_t pid, int tenths, int *status)
{
	while (waitpid(pid, status, WNOHANG) != pid) {
		if (!tenths--)
			return false;
		nap(100);
	}
	return true;
}

static void halt(uid_t uid, bool waits)
{
	int gate[2], ready[2], status = -1;
	pid_t loop, who;
	char c;

	fflush(stdout);
	check(!pipe(gate));
	loop = worker(gate, uid);
	nap(50);
	/* The tracer holds the only write end: if it fails, the reader must not wait. */
	check(!pipe(ready));
	who = tracer(loop, ready[1]);
	close(ready[1]);
	check(read(ready[0], &c, 1) == 1);
	check(write(gate[1], "", 1) == 1);
	/* An emulated machine may take long for the loop. */
	if (ends(loop, waits ? 50 : 900, &status)) {
		check(!waits);
	} else {
		check(waits);
		kill(who, SIGKILL);
		check(ends(loop, 900, &status));
	}
	check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	kill(who, SIGKILL);
	waitpid(who, &status, 0);
	close(gate[0]);
	close(gate[1]);
	close(ready[0]);
	no_session_left();
}

/* Its parent is gone when it ends: init reaps it. */
static void orphan(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		fork(), _exit(0);
	waitpid(pid, &status, 0);
}

/* Root traces init, which reaps orphans, and reads nothing: what finds no room is lost. */
static void halt_init(void)
{
	int32_t init = 1;
	struct pitrace_itrace_args it = itrace_of(&init);
	struct view v;
	int i;

	if (!begin_itrace(&v, plain(), &it))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	for (i = 0; i < 20000 && !lost(&v, PITRACE_LOST_BRANCH); i++)
		orphan();
	printf("# %d orphans, %lu branches lost\n", i, (long)lost(&v, PITRACE_LOST_BRANCH));
	check(lost(&v, PITRACE_LOST_BRANCH) > 0);
	unview(&v);
	/* The last orphans have the session open, too, until they have run. */
	for (i = 0; i < 600 && info().sessions; i++)
		nap(50);
	no_session_left();
}

void test_itrace_halt(void)
{
	halt_init();
	halt(0, false);
	halt(1001, false);
	halt(1000, true);
}

#endif
