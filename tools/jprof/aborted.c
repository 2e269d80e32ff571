/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The handler forks by the raw system call. Another thread may hold a lock of the C library, and
 * the child does not have that thread: if it blocks on the lock, its alarm ends it.
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

#include "vm_image.h"

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

static void write_once(void)
{
	static const char words[] = "jprof: the VM was aborted, and the log could not be written\n";
	static volatile sig_atomic_t once;
	long child;
	int status = 0;

	if (once)
		return;
	once = 1;
	child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child)
		in_child();
	while (child > 0 && waitpid((pid_t)child, &status, __WALL) < 0 && errno == EINTR)
		;
	if (child > 0 && status && write(STDERR_FILENO, words, sizeof(words) - 1) < 0)
		status = 0;
}

static void aborted(int signal_number)
{
	write_once();
	sigaction(signal_number, &before, NULL);
	raise(signal_number);
}

/* The VM calls this hook before it aborts, even if it then exits by _exit() or blocks the signal,
 * as newer VMs do. The launcher may have set a hook before: on_abort() calls it afterwards. */
#define HOOK "_ZN9Arguments11_abort_hookE"
static void (*next_hook)(void);

static void on_abort(void)
{
	write_once();
	if (next_hook)
		next_hook();
}

static void take_hook(JavaVM *java)
{
	struct vm_image image;
	void (**hook)(void);
	size_t room;

	if (vm_image_open(&image, (const void *)(*java)->GetEnv))
		return;
	hook = vm_image_symbol(&image, HOOK, &room);
	if (hook) {
		next_hook = *hook;
		*hook = on_abort;
	}
	vm_image_close(&image);
}

static __attribute__((destructor)) void at_exit(void)
{
	if (write_log)
		write_log(NULL);
}

void aborted_watch(void (*to)(const char *why), JavaVM *java)
{
	struct sigaction how = { .sa_handler = aborted, .sa_flags = SA_ONSTACK };

	write_log = to;
	sigemptyset(&how.sa_mask);
	sigaction(SIGABRT, &how, &before);
	take_hook(java);
}
