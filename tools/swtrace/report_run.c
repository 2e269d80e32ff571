/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that traces and has post report the trace: run.tprof, run.itrace and run.jprof add what
 * differs.
 * post is run as the user who owns the trace.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "complain.h"
#include "report_run.h"

#define EXIT_POST 2 /* of post: from here on there is no report */

/* Looks for post beside this program, else in PATH. */
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

/* post's exit code, or EXIT_SWTRACE if it made no report. */
static int report(const char *post, const struct trace_run *r, const char *option)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		return fail("%s cannot be started: %s", post, strerror(errno));
	if (!child) {
		sigset_t none;

		/* The run has blocked some signals. */
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		/* The report belongs to the user who owns the trace. */
		errno = -caller_become(&r->caller);
		if (!errno)
			execl(post, "post", "-r", r->t.file, option, NULL);
		fail("%s cannot be started: %s", post, strerror(errno));
		_exit(EXIT_SWTRACE);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return fail("waiting for %s: %s", post, strerror(errno));
	if (WIFSIGNALED(status))
		return fail("%s died by signal %d", post, WTERMSIG(status));
	return WEXITSTATUS(status) < EXIT_POST ? WEXITSTATUS(status) : EXIT_SWTRACE;
}

static int trace_and_report(struct report_run *p)
{
	struct trace_run *r = &p->run;
	char post[4096];
	int code;

	if (p->what != TRACE_ONLY && !find_post(post, sizeof(post)))
		return fail("no program 'post' beside %s or in PATH; with -t no report is made",
			    p->program->name);
	if (p->what == POST_ONLY) {
		if (!caller_get(&r->caller))
			return EXIT_SWTRACE;
		return report(post, r, p->program->post_option);
	}
	code = run_go(r);
	if (code)
		return code;
	if (r->paused)
		fail("the command ended before -s was over: there are no samples");
	if (p->what == TRACE_AND_POST)
		code = report(post, r, p->program->post_option);
	return r->command && code != EXIT_SWTRACE ? run_code(r) : code;
}

const struct option_row report_run_rows[] = {
	{ { "-a" },
	  NULL,
	  "trace and report (default)",
	  option_assign,
	  OPTION_TO(struct report_run, what),
	  .value = TRACE_AND_POST,
	  .group = PART },
	{ { "-t" },
	  NULL,
	  "trace only",
	  option_assign,
	  OPTION_TO(struct report_run, what),
	  .value = TRACE_ONLY,
	  .group = PART },
	{ { "-p" },
	  NULL,
	  "report only what was traced before",
	  option_assign,
	  OPTION_TO(struct report_run, what),
	  .value = POST_ONLY,
	  .group = PART },
	{ { "-b" },
	  "MB",
	  "trace buffer of each CPU (4)",
	  option_size,
	  OPTION_TO(struct report_run, run.t.trace_bytes),
	  .value = 1 << 20 },
	{ { "-r" },
	  "SECONDS",
	  "trace for so long; the command continues untraced",
	  option_duration,
	  OPTION_TO(struct report_run, run.duration),
	  .least = 1 },
	{ { "--jit" },
	  NULL,
	  "have Java, node and Python report the code that they make while they run",
	  option_set,
	  OPTION_TO(struct report_run, run.jit) },
	OPTION_ROWS_END
};

bool report_run_until_enter(struct report_run *p)
{
	if (!isatty(STDIN_FILENO)) {
		complain(
			"standard input is not a terminal, on which to ask when to stop: give -r SECONDS or a command");
		return false;
	}
	p->run.terminal = STDIN_FILENO;
	return true;
}

int report_run_main(const struct report_program *program, int argc, char **argv)
{
	struct report_run p = { .program = program, .what = TRACE_AND_POST };
	struct option_rest rest;

	run_defaults(&p.run);
	if (program->begin)
		program->begin(&p);
	switch (options_parse(program->options, 0, &p, argc, argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return 0;
	case OPTIONS_UNKNOWN:
		fprintf(stderr, "Try: %s --help\n", program->name);
		return EXIT_SWTRACE;
	default:
		return EXIT_SWTRACE;
	}
	if (rest.count)
		p.run.command = rest.words;
	if (p.what == POST_ONLY && (rest.given > 1 || rest.count))
		return fail("-p traces nothing: no other option and no command can be given");
	if (p.what != POST_ONLY && !program->check(&p))
		return EXIT_SWTRACE;
	return trace_and_report(&p);
}
