/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The handler forks by the bare system call: whoever holds a lock of the C library stays behind,
 * and a child that waits for it is ended by its alarm.
 */
#include "aborted.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 20

static void (*write_log)(const char *why);
static struct sigaction before;

static void in_child(void)
{
	sigset_t only;

	signal(SIGALRM, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	alarm(SECONDS);
	write_log("the VM was aborted");
	_exit(0);
}

static void aborted(int signal_number)
{
	static volatile sig_atomic_t once;
	long child;
	int status = 0;

	if (!once) {
		once = 1;
		child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!child)
			in_child();
		while (child > 0 && waitpid((pid_t)child, &status, __WALL) < 0 && errno == EINTR)
			;
		if (child > 0 && status) {
			static const char words[] =
				"jprof: the VM was aborted, and the log could not be written\n";

			if (write(STDERR_FILENO, words, sizeof(words) - 1) < 0)
				status = 0;
		}
	}
	sigaction(signal_number, &before, NULL);
	raise(signal_number);
}

static __attribute__((destructor)) void at_exit(void)
{
	if (write_log)
		write_log(NULL);
}

void aborted_watch(void (*to)(const char *why))
{
	struct sigaction how = { .sa_handler = aborted, .sa_flags = SA_ONSTACK };

	write_log = to;
	sigemptyset(&how.sa_mask);
	sigaction(SIGABRT, &how, &before);
}
