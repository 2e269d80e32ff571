/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run: traces a command and its children (or a process, or the system) from begin to end. The
 * session is in this process, not in a holder. The command waits on a pipe until tracing is on.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/read_all.h"
#include "complain.h"
#include "run.h"
#include "stack_choice.h"

#define GO '\1' /* sent alone, after the variables, each of which ends with NUL */

void run_defaults(struct trace_run *r)
{
	*r = (struct trace_run){ .status = -1, .control = -1, .terminal = -1 };
	tracer_defaults(&r->t);
	r->t.file = TRACE_DEFAULT_NAME;
}

bool run_events(struct trace_run *r, const char *names, uint64_t count)
{
	int n = TraceFindEvents(names, count, r->t.rate, TRACE_PRIV_ANY, r->events);

	if (n < 0) {
		fail_rc(n);
		return false;
	}
	for (int i = 0; i < n; i++)
		if (!TraceCanCount(&r->events[i])) {
			fail("event %s is not counted on this machine, or not for this user; without -e the timer samples (see swtrace check, swtrace event list)",
			     r->events[i].name);
			return false;
		}
	r->t.events = r->events;
	r->t.nevents = (uint32_t)n;
	return true;
}

/* ---- the command ----------------------------------------------------------------------------- */

int run_look_up(const char *name, char *path, size_t room)
{
	const char *p = getenv("PATH");
	int err = ENOENT;

	if (strchr(name, '/')) {
		snprintf(path, room, "%s", name);
		return access(path, F_OK) ? errno : access(path, X_OK) ? errno : 0;
	}
	for (p = p ? p : "/usr/bin:/bin"; *p; p += *p == ':') {
		size_t n = strcspn(p, ":");

		snprintf(path, room, "%.*s/%s", n ? (int)n : 1, n ? p : ".", name);
		p += n;
		if (!access(path, X_OK)) {
			struct stat st;

			if (!stat(path, &st) && S_ISREG(st.st_mode))
				return 0;
		} else if (errno == EACCES) {
			err = EACCES;
		}
	}
	return err;
}

/* Returns whether the missing command is a value of -g, which the user separated by a blank. */
static bool is_word_of_stacks(const char *name)
{
	static const char *const words[] = { "fp", "dwarf", "kernel", "user", "switches" };
	size_t n = strcspn(name, ",");

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], name, n))
			return true;
	return false;
}

static int not_executed(const struct trace_run *r, int err)
{
	const char *name = r->command[0];

	fail("%s: %s", name, err == ENOENT ? "command not found" : strerror(err));
	if (err == ENOENT && r->t.stacks && is_word_of_stacks(name))
		complain("which stacks -g records is given with an equals sign: -g=%s", name);
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT;
}

/* Waits until tracing is on. The pipe carries variables for the environment, each with its NUL,
 * then the byte GO. Returns -ECANCELED if that byte is missing: tracing failed. */
static int wait_at_gate(int gate)
{
	char *text = NULL;
	size_t n;
	int err = read_all(gate, SIZE_MAX, &text, &n);

	if (err)
		return err;
	if (!n || text[n - 1] != GO)
		return -ECANCELED;
	/* The text is not freed: the environment points into it. */
	for (char *v = text; v < text + n - 1; v += strlen(v) + 1)
		if (putenv(v))
			return -errno;
	return 0;
}

static int pass(struct trace_run *r, const char *name, const char *value)
{
	return dprintf(r->gate, "%s%s%s%c", name, *name ? "=" : "", value, 0) < 0 ? -errno : 0;
}

static int open_gate(struct trace_run *r)
{
	const char *hooks = tracer_hooks(r->tracer);
	int err = hooks ? pass(r, TRACER_HOOKS_ENV, hooks) : 0;
	char **variables, go = GO;
	int rc = tracer_environment(r->tracer, &variables);

	for (char **v = variables; v && *v; v++) {
		err = err ? err : pass(r, "", *v);
		free(*v);
	}
	free(variables);
	if (!rc && !err && write(r->gate, &go, 1) != 1)
		err = -errno;
	/* The command may have been killed by Ctrl-C already, which is a regular end. */
	if (!rc && err && err != -EPIPE)
		fail("the command cannot be released: %s", strerror(-err));
	close(r->gate);
	return rc;
}

/* Forks the command, which waits before its exec until the gate is opened. */
static int spawn(struct trace_run *r, int *report)
{
	int gate[2], ends[2], err;
	sigset_t none;

	if (pipe2(gate, O_CLOEXEC) || pipe2(ends, O_CLOEXEC))
		return -errno;
	r->child = fork();
	if (r->child < 0)
		return -errno;
	if (r->child) {
		close(gate[0]);
		close(ends[1]);
		r->gate = gate[1];
		*report = ends[0];
		return 0;
	}
	close(gate[1]);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, r->sigpipe);
	unsetenv(TRACER_HOOKS_ENV);
	err = (r->control >= 0 && setenv("PITRACE_SOCKET", r->control_path, 1)) ||
			      (r->named && setenv("PITRACE_EVENTS", r->named, 1)) ?
		      errno :
		      -wait_at_gate(gate[0]);
	if (err == ECANCELED)
		_exit(EXIT_SWTRACE);
	if (!err)
		err = -caller_run_as(&r->caller);
	if (!err) {
		execvp(r->command[0], r->command);
		err = errno;
	}
	if (write(ends[1], &err, sizeof(err)) < 0)
		_exit(EXIT_SWTRACE);
	_exit(EXIT_CANNOT);
}

/* Ends the waiting child, and reports why it could not have been executed. */
static void give_up(struct trace_run *r, int report)
{
	int err;

	if (r->child <= 0)
		return;
	close(r->gate);
	waitpid(r->child, NULL, 0);
	if (read(report, &err, sizeof(err)) == (ssize_t)sizeof(err))
		complain("%s: %s", r->command[0], strerror(err));
}

/* ---- the run --------------------------------------------------------------------------------- */

static int session(struct trace_run *r, int signals)
{
	int report = -1, target = -1, rc, err;

	if (r->command) {
		err = spawn(r, &report);
		if (err)
			return fail("the command cannot be started: %s", strerror(-err));
	}
	r->t.scope = r->all ? TRACE_SYSTEM : TRACE_PROCESS;
	if (r->command && !r->all)
		r->t.pid = r->child;
	if (r->t.pid && !r->command) {
		target = (int)syscall(SYS_pidfd_open, r->t.pid, 0);
		if (target < 0)
			return fail("process %d: %s", r->t.pid, strerror(errno));
	}
	r->tracer = tracer_open(&r->t, &rc);
	if (!r->tracer) {
		give_up(r, report);
		return fail_rc(rc);
	}
	if (!r->command && !run_hold(r, signals))
		return fail("nothing was traced");
	rc = tracer_on(r->tracer);
	/* Follow the command from its first instruction on, so that all its code has names. */
	r->paused = !rc && r->command && r->delay;
	if (r->paused)
		rc = tracer_suspend(r->tracer, true);
	if (rc) {
		give_up(r, report);
		return fail_rc(rc);
	}
	run_itrace_show(r, false);
	if (r->terminal >= 0)
		complain("tracing; press Enter to stop");
	if (r->command) {
		rc = open_gate(r);
		if (rc) {
			waitpid(r->child, NULL, 0);
			return fail_rc(rc);
		}
		if (read(report, &r->exec_error, sizeof(int)) != (ssize_t)sizeof(int))
			r->exec_error = 0;
	}
	rc = run_wait(r, signals, target);
	run_itrace_show(r, true);
	/* In normal mode, nothing has been written yet. */
	if (!rc && r->t.mode == TRACE_NORMAL) {
		rc = tracer_write(r->tracer, NULL);
		if (rc)
			fail_rc(rc);
	}
	run_closing_line(r);
	return rc ? EXIT_SWTRACE : 0;
}

static void join_words(char **words, char *out, size_t room)
{
	size_t n = 0;

	for (*out = 0; *words && n < room; words++)
		n += (size_t)snprintf(out + n, room - n, "%s%s", n ? " " : "", *words);
}

int run_go(struct trace_run *r)
{
	char path[4096];
	struct stat st;
	sigset_t set;
	int signals, err, code;

	if (r->jit && !r->command)
		return fail(
			"--jit is for a command; a Java VM that runs takes the agent by jcmd, see libpijit(1)");
	if (r->calls && !r->command)
		return fail(
			"--calls is for a command; for a compiled program that runs there is swtrace calls -p PID, and a Java VM takes the agent by jcmd, see libjprof(1)");
	if (r->calls && !run_calls_right(r->functions, r->not_functions, r->arguments))
		return EXIT_SWTRACE;
	if (!caller_get(&r->caller))
		return EXIT_SWTRACE;
	stacks_settle(&r->t, r->all);
	r->t.owner = r->caller.uid;
	r->t.group = r->caller.gid;
	if (r->command) {
		join_words(r->command, r->words, sizeof(r->words));
		r->t.command = r->words;
		/* Fail before the old trace file is renamed. */
		err = run_look_up(r->command[0], path, sizeof(path));
		if (err)
			return not_executed(r, err);
		r->t.program = path;
	}
	if (r->t.itrace && !run_itrace_places(r, r->t.program))
		return EXIT_SWTRACE;
	if ((r->jit || r->calls) && !run_jit(r))
		return EXIT_SWTRACE;
	r->sigpipe = signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		return fail("signals: %s", strerror(errno));

	/* A missing socket is not fatal: only TraceOff and similar calls fail in the command. */
	if (r->command)
		r->control = tracer_socket(r->caller.uid, r->control_path, sizeof(r->control_path));
	code = session(r, signals);
	if (r->control >= 0 && !lstat(r->control_path, &st) && S_ISSOCK(st.st_mode))
		unlink(r->control_path);
	if (r->tracer) {
		/* After a second Ctrl-C the command may still run: its exit code is unknown. */
		run_ended(r);
		tracer_close(r->tracer);
	}
	if (code)
		return code;
	if (r->exec_error)
		return not_executed(r, r->exec_error);
	run_calls_show(r);
	return 0;
}

int run_code(const struct trace_run *r)
{
	if (r->status < 0)
		return 0;
	return WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
}
