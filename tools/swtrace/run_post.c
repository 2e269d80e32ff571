/* SPDX-License-Identifier: GPL-3.0-or-later */
/* post is found and run as whom the trace belongs to. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run_post.h"

#define EXIT_POST	2	/* post's: from here on it has made no report */

/* It lies beside this program, or where the shell would find it. */
static bool find_post(char *path, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", path, room);
	char *slash;

	if (n > 0 && (size_t)n + sizeof("post") < room) {
		path[n] = 0;
		slash = strrchr(path, '/');
		strcpy(slash + 1, "post");
		if (!access(path, X_OK))
			return true;
	}
	return !run_look_up("post", path, room);
}

/* Its exit code, or EXIT_SWTRACE when it made no report. */
static int report(const char *post, const struct run *r, const char *option)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		return fail("starting %s: %s", post, strerror(errno));
	if (!child) {
		sigset_t none;

		/* A run has blocked some. */
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		/* The report belongs to whom the trace belongs to. */
		errno = -caller_become(&r->caller);
		if (!errno)
			execl(post, "post", "-r", r->t.file, option, NULL);
		fail("starting %s: %s", post, strerror(errno));
		_exit(EXIT_SWTRACE);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return fail("waiting for %s: %s", post, strerror(errno));
	if (WIFSIGNALED(status))
		return fail("%s died by signal %d", post, WTERMSIG(status));
	return WEXITSTATUS(status) < EXIT_POST ? WEXITSTATUS(status) : EXIT_SWTRACE;
}

int run_and_report(struct run *r, enum run_what what, const char *name, const char *option)
{
	char post[4096];
	int code;

	if (what != TRACE_ONLY && !find_post(post, sizeof(post)))
		return fail("no program 'post', neither beside %s nor in PATH; -t only traces", name);
	if (what == POST_ONLY) {
		if (!caller_get(&r->caller))
			return EXIT_SWTRACE;
		return report(post, r, option);
	}
	code = run_go(r);
	if (code)
		return code;
	if (r->paused)
		fail("the command ended before -s was over: there are no samples");
	if (what == TRACE_AND_POST)
		code = report(post, r, option);
	return r->command && code != EXIT_SWTRACE ? run_code(r) : code;
}
