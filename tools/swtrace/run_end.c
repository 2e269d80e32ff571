/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events that a run waits for. Enter or a delay begins it. The end of the command or process,
 * the time, Enter, a signal or a full buffer ends it; in wrap mode these freeze the newest records:
 * TraceOff in the traced program, SIGUSR2, a crash.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "complain.h"
#include "escape.h"
#include "fit.h"
#include "monotonic.h"
#include "run.h"

#define SHOW_NS 500000000 /* between progress lines of an instruction trace */

/* Stops tracing because of `trigger`, unless it stopped itself. The command continues. */
static int stop(struct trace_run *r, const char *trigger)
{
	struct trace_info i;
	int rc;

	if (r->stopped)
		return 0;
	r->stopped = true;
	rc = tracer_off(r->tracer);
	if (rc)
		fail("%s", TraceLastError());
	tracer_info(r->tracer, &i);
	if (i.stopped)
		stop_reason(&i, r->trigger, sizeof(r->trigger));
	else
		snprintf(r->trigger, sizeof(r->trigger), "%s", trigger);
	return rc;
}

bool run_ended(struct trace_run *r)
{
	int status;

	if (r->child > 0 && r->status < 0 && tracer_ended(r->tracer, r->child, &status))
		r->status = status;
	return r->child > 0 && r->status >= 0;
}

/* Answers a request of the command, which may turn tracing off. */
static int serve(struct trace_run *r)
{
	struct trace_info i;

	tracer_serve(r->tracer, r->control, r->caller.uid);
	tracer_info(r->tracer, &i);
	if (r->stopped || i.state != PITRACE_STATE_OFF)
		return 0;
	r->stopped = true;
	snprintf(r->trigger, sizeof(r->trigger), "TraceOff");
	return i.file_error ? fail("%s: %s", i.file, strerror((int)i.file_error)) : 0;
}

/* Returns true if the run ends. */
static bool signalled(struct trace_run *r, const struct signalfd_siginfo *s, bool *asked, int *rc)
{
	if (s->ssi_signo == SIGCHLD)
		return false;
	if (s->ssi_signo == SIGUSR2) {
		*rc = stop(r, "SIGUSR2");
		return r->child <= 0;
	}
	/* The terminal also sends Ctrl-C to the command: the run ends when the command does. A
	 * second one ends tracing whatever the command does. */
	if (r->child <= 0 || *asked)
		return true;
	*asked = true;
	if (s->ssi_signo == SIGTERM || s->ssi_signo == SIGHUP)
		kill(r->child, (int)s->ssi_signo);
	return false;
}

/* Polls until `when`, 0: without a limit. May return early. */
static int poll_until(int64_t when, struct pollfd *p, nfds_t n)
{
	int64_t left = (when - (int64_t)now_ns()) / 1000000 + 1;

	if (!when)
		return poll(p, n, -1);
	return poll(p, n, left < 0 ? 0 : left > 3600000 ? 3600000 : (int)left);
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a && a < b ? a : b;
}

/* Reads a line. Returns false at the end of the input. */
static bool read_line(int terminal)
{
	char text[256];
	ssize_t n = read(terminal, text, sizeof(text));

	return n > 0 && text[n - 1] == '\n';
}

bool run_hold(const struct trace_run *r, int signals)
{
	int64_t when = !r->ask && r->delay ? (int64_t)now_ns() + (int64_t)r->delay : 0;
	struct pollfd p[2] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = r->ask ? r->terminal : -1, .events = POLLIN },
	};

	if (!r->ask && !when)
		return true;
	if (r->ask)
		complain("press Enter to start");
	do {
		int n = poll_until(when, p, 2);

		if ((n < 0 && errno != EINTR) || (n > 0 && p[0].revents))
			return false;
		if (n > 0 && p[1].revents)
			return read_line(r->terminal);
	} while (!when || (int64_t)now_ns() < when);
	return true;
}

static int wait_for_end(struct trace_run *r, int signals, int target)
{
	int64_t begin = r->paused ? (int64_t)now_ns() + (int64_t)r->delay : 0;
	int64_t end = r->duration ? (begin ? begin : (int64_t)now_ns()) + (int64_t)r->duration : 0;
	struct pollfd p[5] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = tracer_fd(r->tracer), .events = POLLIN },
		{ .fd = target, .events = POLLIN },
		{ .fd = r->control, .events = POLLIN },
		{ .fd = r->terminal, .events = POLLIN },
	};
	bool asked = false;
	int rc = 0;

	while (!run_ended(r)) {
		struct signalfd_siginfo s;
		int64_t next = r->stopped ? 0 : r->paused ? begin : end;
		bool due = next && (int64_t)now_ns() >= next;
		int n;

		if (due && r->paused) {
			r->paused = false;
			rc = tracer_suspend(r->tracer, false);
			if (rc)
				return fail_rc(rc);
			continue;
		}
		if (due) {
			rc = stop(r, "");
			/* The command continues: wait, because its exit code becomes ours. */
			if (r->child <= 0 || rc)
				return rc;
			continue;
		}
		if (r->t.itrace && !r->stopped) {
			run_itrace_show(r, false);
			next = sooner(next, (int64_t)now_ns() + SHOW_NS);
		}
		n = poll_until(next, p, 5);
		if (n < 0 && errno != EINTR)
			return fail("poll: %s", strerror(errno));
		if (n <= 0)
			continue;
		if (p[3].revents && !rc)
			rc = serve(r);
		if (p[1].revents) {
			p[1].fd = -1;
			rc = stop(r, "");
			if (r->child <= 0)
				return rc;
			if (rc)
				fail("the command continues untraced");
		}
		if (p[4].revents)
			read_line(r->terminal);
		if (p[2].revents || p[4].revents)
			return rc;
		if (p[0].revents && read(signals, &s, sizeof(s)) == (ssize_t)sizeof(s) &&
		    signalled(r, &s, &asked, &rc))
			return rc;
	}
	return rc;
}

int run_wait(struct trace_run *r, int signals, int target)
{
	int rc = wait_for_end(r, signals, target), err;
	char died[64] = "";

	if (r->status > 0 && WIFSIGNALED(r->status) && r->t.mode == TRACE_WRAP) {
		const char *name = sigabbrev_np(WTERMSIG(r->status));

		snprintf(died, sizeof(died), "the command died (SIG%s)", name ? name : "?");
	}
	err = stop(r, died);
	return rc ? rc : err;
}

void run_closing_line(struct trace_run *r)
{
	struct trace_info i;
	char program[64];
	struct fit line;
	uint64_t lost;
	FILE *out;

	tracer_info(r->tracer, &i);
	lost = i.unwritten;
	for (int k = 0; k < PITRACE_LOST_KINDS; k++)
		lost += i.lost[k];
	if (r->quiet)
		return;
	if (i.stopped && i.stop_ring != PITRACE_STOP_CRASH)
		complain("stopped early: %s (-s and -sm make them larger, -t cont writes while tracing)",
			 r->trigger);
	else if (r->t.mode == TRACE_WRAP)
		complain("wrote the newest records: %s", *r->trigger  ? r->trigger :
							 r->child > 0 ? "the command ended" :
									"tracing ended");
	else if (*r->trigger)
		complain("stopped: %s", r->trigger);
	out = fit_begin(&line, stderr);
	escape_printf(out, "%s: %s: ", program_invocation_short_name, i.file);
	if (i.files)
		fprintf(out, "with %u older file%s ", i.files, i.files == 1 ? "" : "s");
	/* In normal mode the file was written on request, at the end. */
	fprintf(out, "%.1f MB, %llu records",
		(double)(r->t.mode == TRACE_NORMAL ? i.got : i.written) / 1e6,
		(unsigned long long)(r->t.mode == TRACE_NORMAL ? i.got_records : i.records));
	if (r->t.itrace)
		fprintf(out, ", %llu instructions, %llu taken branches",
			(unsigned long long)i.instructions, (unsigned long long)i.branches);
	if (i.taken)
		fprintf(out, ", %llu thread%s left out that another session traces",
			(unsigned long long)i.taken, i.taken == 1 ? "" : "s");
	if (i.majors[PITRACE_TPROF / 64] >> PITRACE_TPROF % 64 & 1 || !r->t.itrace)
		escape_printf(out, ", %llu ticks by %s",
			      (unsigned long long)(i.ticks + i.idle_ticks), i.sampler);
	if (lost) {
		fprintf(out, ", LOST %llu (", (unsigned long long)lost);
		print_lost(out, &i);
		putc(')', out);
	} else {
		fputs(", none lost", out);
	}
	escape_printf(out, " (collector %s%s%s)\n", i.collector, *i.note ? ", " : "", i.note);
	fit_end(&line);
	if (!r->all)
		left_running(r);
	snprintf(program, sizeof(program), "%s: ", program_invocation_short_name);
	print_refused(stderr, program, &i);
}
