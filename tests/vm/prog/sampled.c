// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Cases of a sampled program; each prints what it saw.
 *	sampled shares MS     spin_a three parts of the time, spin_b one
 *	sampled threads N     N short-lived threads, then two long ones with names
 *	sampled children N    N children, each of which works a little
 *	sampled signals       owns SIGPROF, resets and blocks all signals, waits in poll and sleep
 *	sampled sandbox       by a filter that kills: no system calls but write and exit
 *	sampled strict        the same by seccomp's strict mode
 *	sampled crash         works, then dies by SIGSEGV
 *	sampled forever       works until it is killed
 *	sampled fixed N       N times the same work: tells its CPU time
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

WORKER(spin_a)
WORKER(spin_b)
WORKER(spin_blocked)
WORKER(spin_first)
WORKER(spin_second)
WORKER(spin_child)

static void shares(long ms)
{
	for (long done = 0; done < ms; done += 40) {
		spin_a(30);
		spin_b(10);
	}
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *short_thread(void *arg)
{
	return arg;
}

static void *first(void *arg)
{
	prctl(PR_SET_NAME, "first");
	spin_first(300);
	return arg;
}

static void *second(void *arg)
{
	prctl(PR_SET_NAME, "second");
	spin_second(300);
	pthread_exit(arg);
}

static int threads(int n)
{
	pthread_t a, b;
	void *end;

	for (int i = 0; i < n; i++)
		if (pthread_create(&a, NULL, short_thread, &n) || pthread_join(a, &end) ||
		    end != &n)
			return 1;
	if (pthread_create(&a, NULL, first, &n) || pthread_create(&b, NULL, second, &n) ||
	    pthread_join(a, &end) || end != &n || pthread_join(b, &end) || end != &n)
		return 1;
	printf("threads %d\n", n);
	return 0;
}

static int children(int n)
{
	int status, good = 0;

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			spin_child(1);
			exit(7);
		}
		good += pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
			WEXITSTATUS(status) == 7;
	}
	printf("children %d\n", good);
	return good != n;
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t profiles;

static void on_profile(int number)
{
	(void)number;
	profiles++;
}

static void *blocked(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	spin_blocked(300);
	return arg;
}

/* Threads that wait while another one is sampled: nothing may wake them early. */
static void *waits(void *early)
{
	struct timespec sleep = { 0, 5000000 };

	for (int i = 0; i < 100; i++)
		*(int *)early += poll(NULL, 0, 5) != 0 || nanosleep(&sleep, NULL) != 0;
	return NULL;
}

static int signals(void)
{
	struct itimerval often = { { 0, 10000 }, { 0, 10000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction profile = { .sa_handler = on_profile, .sa_flags = SA_RESTART }, seen;
	struct sigaction quiet = { .sa_handler = SIG_IGN };
	int early = 0, wrong = 0, number;
	pthread_t a, b;

	/* As daemons do it when they begin. */
	for (number = 1; number <= SIGRTMAX; number++)
		if (number != SIGKILL && number != SIGSTOP)
			signal(number, SIG_DFL);
	spin_a(50);
	for (number = SIGRTMIN; number <= SIGRTMAX; number++) {
		wrong += sigaction(number, &quiet, NULL) != 0;
		wrong += sigaction(number, NULL, &seen) != 0 || seen.sa_handler != SIG_IGN;
		wrong += signal(number, SIG_DFL) != SIG_IGN;
	}
	sigaction(SIGPROF, &profile, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	if (pthread_create(&a, NULL, blocked, NULL) || pthread_create(&b, NULL, waits, &early))
		return 1;
	spin_a(300);
	pthread_join(a, NULL);
	setitimer(ITIMER_PROF, &never, NULL);
	pthread_join(b, NULL);
	printf("signals: profiled %s, woken early %d, wrong %d\n", profiles > 10 ? "yes" : "no",
	       early, wrong);
	return 0;
}

/* ---- sandboxes ------------------------------------------------------------------------------- */

#define ALLOW(call)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static __attribute__((noinline)) void spin_boxed(void)
{
	for (int i = 0; i < 800; i++)
		turns(1000000);
}

static int sandbox(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(write),
		ALLOW(exit_group),
		ALLOW(rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog filter = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter))
		return 1;
	spin_boxed();
	/* Including the whole exit: code that runs at exit must comply with the filter. */
	return write(1, "alive\n", 6) != 6;
}

static int strict(void)
{
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		return 1;
	spin_boxed();
	if (write(1, "alive\n", 6) == 6)
		syscall(SYS_exit, 0);
	return 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "shares"))
		shares(n);
	else if (!strcmp(what, "threads"))
		return threads(n);
	else if (!strcmp(what, "children"))
		return children(n);
	else if (!strcmp(what, "signals"))
		return signals();
	else if (!strcmp(what, "sandbox"))
		return sandbox();
	else if (!strcmp(what, "strict"))
		return strict();
	else if (!strcmp(what, "crash")) {
		spin_a(300);
		raise(SIGSEGV);
	} else if (!strcmp(what, "forever"))
		for (;;)
			spin_a(100);
	else if (!strcmp(what, "fixed")) {
		for (int i = 0; i < n; i++)
			turns(1000000);
		printf("%lld\n", (long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	} else
		return 2;
	return 0;
}
