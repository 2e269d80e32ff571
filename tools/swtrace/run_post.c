/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run_post.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beside.h"
#include "complain.h"

#define EXIT_POST 2 /* post's exit codes from here on mean that there is no report */
#define PAGE      "post.html"

bool run_post_find(char *path, size_t room)
{
	return program_beside("post", path, room) || !run_look_up("post", path, room);
}

/* In a child: becomes the user who owns the trace, and undoes the run's settings. Returns false
 * after a message. */
static bool become_owner(const struct trace_run *r, const char *program)
{
	sigset_t none;
	int rc;

	/* Unblock the signals that the run has blocked. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	rc = caller_become(&r->caller);
	if (rc)
		fail("%s cannot be started: %s", program, strerror(-rc));
	return !rc;
}

static int wait_for(pid_t child, const char *program)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return fail("waiting for %s: %s", program, strerror(errno));
	if (WIFSIGNALED(status))
		return fail("%s died by signal %d", program, WTERMSIG(status));
	return WEXITSTATUS(status);
}

int run_post(const char *post, const struct trace_run *r, const char *option)
{
	pid_t child = fork();
	int code;

	if (child < 0)
		return fail("%s cannot be started: %s", post, strerror(errno));
	if (!child) {
		if (become_owner(r, post)) {
			execl(post, "post", "-r", r->t.file, option, NULL);
			fail("%s cannot be started: %s", post, strerror(errno));
		}
		_exit(EXIT_SWTRACE);
	}
	code = wait_for(child, post);
	return code < EXIT_POST ? code : EXIT_SWTRACE;
}

void run_wants_stacks(struct trace_run *r)
{
	if (!r->t.stacks)
		r->t.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_USER | PITRACE_WANT_COPY;
}

int run_post_page(const char *post, const struct trace_run *r)
{
	return run_post(post, r, "-html");
}

static bool has_desktop(void)
{
	const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return (display && *display) || (wayland && *wayland);
}

/* Double-forks, so that the browser outlives the run and needs no wait. */
static void start_browser(const struct trace_run *r, const char *program)
{
	int nothing;

	if (!become_owner(r, program))
		_exit(EXIT_SWTRACE);
	if (fork())
		_exit(0);
	setsid();
	nothing = open("/dev/null", O_RDWR);
	if (nothing >= 0) {
		dup2(nothing, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
		dup2(nothing, STDERR_FILENO);
	}
	execl(program, "xdg-open", PAGE, NULL);
	_exit(EXIT_SWTRACE);
}

void run_post_open(const struct trace_run *r)
{
	char program[4096];
	pid_t child;

	if (!has_desktop() || run_look_up("xdg-open", program, sizeof(program))) {
		complain("there is no desktop to show the page on: open " PAGE " in a browser");
		return;
	}
	child = fork();
	if (!child)
		start_browser(r, program);
	if (child < 0 || wait_for(child, program))
		complain("the browser cannot be started: open " PAGE " in one");
}
