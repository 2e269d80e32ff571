/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace of the period, runs the separate program post on it, and returns its output. */
#include "top_code.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/read_all.h"
#include "run_post.h"
#include "top_write.h"

#define MOST_TEXT (4u << 20)

/* Makes a pattern for post that matches only this name: escapes its * and ?. */
static void exactly(char *pattern, size_t room, const char *name)
{
	bool marks = strpbrk(name, "*?");
	size_t n = 0;

	for (; *name && n + 3 < room; name++) {
		if (marks && strchr("*?\\", *name))
			pattern[n++] = '\\';
		pattern[n++] = *name;
	}
	/* The view truncates names at this length: any rest matches. */
	if (*name || n >= TOP_NAME_BYTES)
		pattern[n++] = '*';
	pattern[n] = 0;
}

static void run(const char *post, const char *function, const char *trace, int out)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (nothing >= 0) {
		dup2(nothing, STDIN_FILENO);
		dup2(out, STDOUT_FILENO);
		dup2(out, STDERR_FILENO);
		execl(post, "post", "-annotate", function, "-i", trace, "-o", "-", NULL);
	}
	_exit(EXIT_NOT_FOUND);
}

static char *ask(const char *post, const char *function, const char *trace, char *why, size_t room)
{
	char *text = NULL;
	int ends[2], rc;
	pid_t child;
	size_t n;

	if (pipe2(ends, O_CLOEXEC)) {
		snprintf(why, room, "%s", strerror(errno));
		return NULL;
	}
	child = fork();
	if (!child)
		run(post, function, trace, ends[1]);
	close(ends[1]);
	rc = child < 0 ? -errno : read_all(ends[0], MOST_TEXT, &text, &n);
	close(ends[0]);
	/* If its output was longer than MOST_TEXT, post gets SIGPIPE now. */
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (!rc && n)
		return text;
	free(text);
	snprintf(why, room, "post: %s", rc ? strerror(-rc) : "said nothing");
	return NULL;
}

char *top_code(struct top_session *s, const struct top_period *p, const char *function, char *why,
	       size_t room)
{
	char post[PATH_MAX], trace[PATH_MAX], pattern[2 * TOP_NAME_BYTES + 8], *text;

	if (!run_post_find(post, sizeof(post))) {
		snprintf(why, room, "post is neither beside swtrace nor in PATH");
		return NULL;
	}
	snprintf(trace, sizeof(trace), "%s/code.nrm2", s->folder);
	if (!top_write(s, p, trace, why, room))
		return NULL;
	exactly(pattern, sizeof(pattern), function);
	text = ask(post, pattern, trace, why, room);
	unlink(trace);
	return text;
}
