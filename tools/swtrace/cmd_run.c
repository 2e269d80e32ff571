/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swtrace run: a command and its children (or a process, or the system) from begin to end in one
 * go. It holds the session itself. The command waits behind a pipe until tracing is on.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "swtrace.h"
#include "units.h"

struct run {
	struct tracer_options t;
	struct caller caller;
	bool all, quiet, misused;
	uint64_t duration;		/* ns, 0 none */
	char **command;
	char words[1024];
	struct tracer *tracer;
	pid_t child;
	int gate;			/* closed: the child goes on */
	int status;			/* of the child, -1 while it lives */
	int exec_error;			/* errno, when it could not be executed */
	bool stopped;
	void (*sigpipe)(int);		/* what swtrace was started with: the command's */
};

const char cmd_run_options[] =
	"  -F RATE      ticks a second, 1 to 20000 (997)\n"
	"  -o FILE      trace file (swtrace.nrm2); an older one becomes FILE.old\n"
	"  -a           the whole system, while the command runs\n"
	"  -p PID       this process and its children\n"
	"  -d SECONDS   stop after so long (5, 500ms, 2m)\n"
	"  -t MODE      cont: write while tracing (default); norm: stop when a buffer fills\n"
	"  -s MB, -sm MB, -ss KB   trace buffer (4) and MTE buffer (2) of each CPU, section (64)\n"
	"  -z           compress the trace\n"
	"  --clock C    auto, tsc or monotonic\n"
	"  --no-dither  ticks at equal distances: shows what aliasing does\n"
	"  --seed N     of the dither, to repeat a run\n"
	"  -q           no closing line\n\n"
	"Exit code: the command's own; 125 swtrace failed, 126 the command cannot be executed,\n"
	"127 it was not found, 128 + n it died by signal n.";

static bool clock_of(const char *text, uint32_t *clock)
{
	static const char *const names[] = { "auto", "tsc", "monotonic" };

	for (uint32_t i = 0; i < 3; i++)
		if (!strcmp(text, names[i])) {
			*clock = i;
			return true;
		}
	fail("--clock: '%s' is not auto, tsc or monotonic", text);
	return false;
}

static bool options(struct run *r, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "F", required_argument, NULL, 'F' }, { "o", required_argument, NULL, 'o' },
		{ "a", no_argument, NULL, 'a' }, { "p", required_argument, NULL, 'p' },
		{ "d", required_argument, NULL, 'd' }, { "t", required_argument, NULL, 't' },
		{ "s", required_argument, NULL, 's' }, { "sm", required_argument, NULL, 'm' },
		{ "ss", required_argument, NULL, 'S' }, { "z", no_argument, NULL, 'z' },
		{ "q", no_argument, NULL, 'q' }, { "no-dither", no_argument, NULL, 'D' },
		{ "seed", required_argument, NULL, 'E' }, { "clock", required_argument, NULL, 'C' },
		{ NULL, 0, NULL, 0 }
	};
	long n;
	int c;

	optind = 1;
	/* "+": what follows the command's name are its own options. */
	while ((c = getopt_long_only(argc, argv, "+", longs, NULL)) != -1) {
		bool ok = true;

		switch (c) {
		case 'F':
			ok = number("-F", optarg, 1, TRACE_MAX_RATE, &n);
			r->t.rate = (uint32_t)n;
			break;
		case 'o':
			r->t.file = optarg;
			break;
		case 'a':
			r->all = true;
			break;
		case 'p':
			ok = number("-p", optarg, 1, 1 << 30, &n);
			r->t.pid = (int)n;
			break;
		case 'd':
			ok = unit_time(optarg, &r->duration) && r->duration;
			if (!ok)
				fail("-d: '%s' is no time", optarg);
			break;
		case 't':
			ok = mode_of(optarg, &r->t.mode);
			break;
		case 's':
			ok = size_of("-s", optarg, 1 << 20, &r->t.trace_bytes);
			break;
		case 'm':
			ok = size_of("-sm", optarg, 1 << 20, &r->t.mte_bytes);
			break;
		case 'S':
			ok = size_of("-ss", optarg, 1 << 10, &r->t.section_bytes);
			break;
		case 'z':
			r->t.compression = 1;
			break;
		case 'q':
			r->quiet = true;
			break;
		case 'D':
			r->t.dither = 0;
			break;
		case 'E':
			r->t.seed = strtoull(optarg, NULL, 0);
			break;
		case 'C':
			ok = clock_of(optarg, &r->t.clock);
			break;
		default:
			r->misused = true;
			return false;
		}
		if (!ok)
			return false;
	}
	if (optind < argc)
		r->command = argv + optind;
	if (r->all && r->t.pid)
		return fail("-a and -p exclude each other"), false;
	if (r->t.pid && r->command)
		return fail("-p traces a process that runs; it takes no command"), false;
	if (!r->command && !r->all && !r->t.pid) {
		fail("what shall be traced? give a command, -p PID or -a");
		r->misused = true;
	}
	return !r->misused;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Is there such a program? Asked before the old trace file is renamed. */
static int look_up(const char *name, char *path, size_t room)
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

static int not_executed(const char *name, int err)
{
	fail("%s: %s", name, err == ENOENT ? "command not found" : strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT;
}

/* Fork the command up to its exec, which waits until the gate is closed. */
static int spawn(struct run *r, int *report)
{
	int gate[2], ends[2], err;
	sigset_t none;
	char c;

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
	/* A byte: go. The end of the file: swtrace gave up. */
	if (read(gate[0], &c, 1) != 1)
		_exit(EXIT_SWTRACE);
	err = -caller_become(&r->caller);
	if (!err) {
		execvp(r->command[0], r->command);
		err = errno;
	}
	if (write(ends[1], &err, sizeof(err)) < 0)
		_exit(EXIT_SWTRACE);
	_exit(EXIT_CANNOT);
}

static void give_up(struct run *r)
{
	if (r->child > 0) {
		close(r->gate);
		waitpid(r->child, NULL, 0);
	}
}

/* ---- the run --------------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int stop(struct run *r)
{
	int rc = 0;

	if (!r->stopped)
		rc = tracer_off(r->tracer);
	r->stopped = true;
	return rc;
}

static bool ended(struct run *r)
{
	int status;

	if (r->child > 0 && r->status < 0 && waitpid(r->child, &status, WNOHANG) == r->child)
		r->status = status;
	return r->child > 0 && r->status >= 0;
}

/* Wait for what ends the run: the command, the process, the time, a signal, a full buffer. */
static int wait_for_end(struct run *r, int signals, int target)
{
	int64_t end = r->duration ? now_ns() + (int64_t)r->duration : 0;
	struct pollfd p[3] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = tracer_fd(r->tracer), .events = POLLIN },
		{ .fd = target, .events = POLLIN },
	};
	bool asked = false;
	int rc = 0;

	while (!ended(r)) {
		struct signalfd_siginfo s;
		int64_t left = end && !r->stopped ? (end - now_ns()) / 1000000 + 1 : -1;
		int n;

		if (end && !r->stopped && left <= 0) {
			rc = stop(r);
			/* The command goes on; its exit code is still ours. */
			if (r->child <= 0 || rc)
				return rc;
			continue;
		}
		n = poll(p, 3, (int)(left > 3600000 ? 3600000 : left));
		if (n < 0 && errno != EINTR)
			return fail("poll: %s", strerror(errno));
		if (n <= 0)
			continue;
		if (p[1].revents) {
			rc = stop(r);
			p[1].fd = -1;
			if (r->child <= 0)
				return rc;
			if (rc)
				fail("%s; the command goes on untraced", TraceLastError());
		}
		if (p[2].revents)
			return rc;
		if (p[0].revents && read(signals, &s, sizeof(s)) == (ssize_t)sizeof(s) &&
		    s.ssi_signo != SIGCHLD) {
			/* The terminal sends Ctrl-C to the command too: it ends, and so do we. A
			 * second one ends tracing whatever the command does. */
			if (r->child <= 0 || asked)
				return rc;
			asked = true;
			if (s.ssi_signo == SIGTERM || s.ssi_signo == SIGHUP)
				kill(r->child, (int)s.ssi_signo);
		}
	}
	return rc;
}

static void closing_line(struct run *r)
{
	struct trace_info i;
	uint64_t lost = 0;

	tracer_info(r->tracer, &i);
	for (int k = 0; k < PITRACE_LOST_KINDS; k++)
		lost += i.lost[k];
	if (r->quiet)
		return;
	if (i.stopped)
		fprintf(stderr, "swtrace: stopped early: the %s buffer of CPU %u filled (-s and -sm make them larger, -t cont writes while tracing)\n",
			ring_name((int)i.stop_ring), i.stop_cpu);
	fprintf(stderr, "swtrace: %s: %.1f MB, %llu records, %llu ticks", i.file, (double)i.written / 1e6,
		(unsigned long long)i.records, (unsigned long long)(i.ticks + i.idle_ticks));
	if (lost)
		fprintf(stderr, ", LOST %llu (mte %llu, tprof %llu, overruns %llu)\n",
			(unsigned long long)lost, (unsigned long long)i.lost[PITRACE_LOST_MTE],
			(unsigned long long)i.lost[PITRACE_LOST_TPROF],
			(unsigned long long)i.lost[PITRACE_LOST_OVERRUN]);
	else
		fprintf(stderr, ", none lost (collector %s)\n", i.collector);
}

/* A place that cannot be written is refused before anything runs. */
static int check_place(const char *file)
{
	char folder[4096];
	const char *slash = strrchr(file, '/');
	struct stat st;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - file + 1), file);
	else
		snprintf(folder, sizeof(folder), ".");
	if (access(folder, W_OK))
		return fail("%s: cannot be written: %s: %s", file, folder, strerror(errno));
	if (!stat(file, &st) && !S_ISREG(st.st_mode))
		return fail("%s: is not a regular file", file);
	return 0;
}

static int session(struct run *r, int signals)
{
	int report = -1, target = -1, rc, err;

	if (r->command) {
		err = spawn(r, &report);
		if (err)
			return fail("starting the command: %s", strerror(-err));
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
	if (!r->tracer || (rc = tracer_on(r->tracer))) {
		give_up(r);
		return fail_rc(rc);
	}
	if (r->command) {
		char go = 1;

		/* It may be dead already, by Ctrl-C: then it ended, as any other command does. */
		if (write(r->gate, &go, 1) != 1 && errno != EPIPE)
			fail("the command did not wait: %s", strerror(errno));
		close(r->gate);
		if (read(report, &r->exec_error, sizeof(int)) != (ssize_t)sizeof(int))
			r->exec_error = 0;
	}
	rc = wait_for_end(r, signals, target);
	if (!r->stopped)
		rc = stop(r);
	/* In normal mode nothing was written yet. */
	if (!rc && r->t.mode == TRACE_NORMAL)
		rc = tracer_write(r->tracer, NULL);
	if (rc)
		fail_rc(rc);
	closing_line(r);
	return rc ? EXIT_SWTRACE : 0;
}

static void join_words(char **words, char *out, size_t room)
{
	size_t n = 0;

	for (*out = 0; *words && n < room; words++)
		n += (size_t)snprintf(out + n, room - n, "%s%s", n ? " " : "", *words);
}

int cmd_run(int argc, char **argv)
{
	struct run r = { .status = -1 };
	char path[4096];
	sigset_t set;
	int signals, err, code;

	tracer_defaults(&r.t);
	r.t.file = TRACE_DEFAULT_NAME;
	if (!options(&r, argc, argv))
		return r.misused ? USAGE : EXIT_SWTRACE;
	caller_get(&r.caller);
	r.t.owner = r.caller.uid;
	r.t.group = r.caller.gid;
	if (r.command) {
		join_words(r.command, r.words, sizeof(r.words));
		r.t.command = r.words;
		err = look_up(r.command[0], path, sizeof(path));
		if (err)
			return not_executed(r.command[0], err);
	}
	if (check_place(r.t.file))
		return EXIT_SWTRACE;
	r.sigpipe = signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		return fail("signals: %s", strerror(errno));

	code = session(&r, signals);
	if (r.tracer) {
		/* Ctrl-C twice: the command may live on; its code is not known then. */
		ended(&r);
		tracer_close(r.tracer);
	}
	if (code)
		return code;
	if (r.exec_error)
		return not_executed(r.command[0], r.exec_error);
	if (r.status >= 0)
		return WIFSIGNALED(r.status) ? 128 + WTERMSIG(r.status) : WEXITSTATUS(r.status);
	return 0;
}
