/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for the end of an interval, keys and signals; reads each interval, then shows it. */
#include "top_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "complain.h"
#include "monotonic.h"
#include "swtrace.h"
#include "top_code.h"
#include "top_keys.h"
#include "top_ptt.h"
#include "top_screen.h"
#include "top_text.h"
#include "top_watch.h"
#include "top_write.h"

/* A running view. */
struct top_running {
	struct top_run *run;
	struct top_session session;
	struct top_ptt *ptt;
	struct top_metrics metrics;
	struct top_list list;
	struct top_model frozen; /* the model that is shown while view.frozen */
	struct top_ui ui;
	int signals, target; /* a signalfd; the pidfd of the process, -1: none */
	bool screen, reset, ended;
	bool reading;  /* an interval is being read in pieces, and the model is incomplete */
	char why[512]; /* why the view ended */
};

static const struct top_model *shown(const struct top_running *r)
{
	return r->run->view.frozen ? &r->frozen : &r->session.model;
}

/* ---- showing --------------------------------------------------------------------------------- */

static bool show_words(struct top_running *r)
{
	struct top_run *o = r->run;

	if (top_list_make(&r->list, &o->view, shown(r), o->rows ? o->rows : UINT32_MAX)) {
		snprintf(r->why, sizeof(r->why), "no memory");
		return false;
	}
	if (o->json)
		top_json_interval(stdout, &o->view, shown(r), &r->list);
	else
		top_text_interval(stdout, &o->view, shown(r), &r->list);
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	/* EPIPE: the reader is gone, which is a regular end. */
	if (errno != EPIPE)
		snprintf(r->why, sizeof(r->why), "stdout: %s", strerror(errno));
	return false;
}

static void draw(struct top_running *r)
{
	if (top_list_make(&r->list, &r->run->view, shown(r), UINT32_MAX))
		snprintf(r->ui.said, sizeof(r->ui.said), "no memory for the list");
	top_screen_draw(&r->ui, shown(r), &r->list);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void freeze(struct top_running *r)
{
	struct top_view *v = &r->run->view;

	if (v->frozen) {
		top_model_free(&r->frozen);
		v->frozen = false;
	} else if (!top_model_copy(&r->frozen, &r->session.model)) {
		v->frozen = true;
	} else {
		snprintf(r->ui.said, sizeof(r->ui.said), "no memory to freeze it");
	}
}

static void show_code(struct top_running *r)
{
	const struct top_row *row = top_keys_row(&r->ui, &r->list);
	const struct top_view *v = &r->run->view;
	char why[sizeof(r->ui.said)], *code;

	if (!row || !row->name || (v->by != TOP_BY_FUNCTION && v->by != TOP_BY_CALLER)) {
		snprintf(r->ui.said, sizeof(r->ui.said), "choose a function to see its code (f)");
		return;
	}
	code = top_code(&r->session, &shown(r)->period[v->span], row->name, why, sizeof(why));
	if (code)
		top_keys_text(&r->ui, code);
	else
		memcpy(r->ui.said, why, sizeof(why));
}

/* Returns false to quit. */
static bool press(struct top_running *r, int key)
{
	const struct top_period *p = &shown(r)->period[r->run->view.span];

	enum top_todo todo = top_keys_press(&r->ui, &r->list, key);

	/* These actions need a whole interval, such as a frozen one. */
	if (r->reading && !r->run->view.frozen &&
	    (todo == TOP_FREEZE || todo == TOP_WRITE || todo == TOP_CODE)) {
		snprintf(r->ui.said, sizeof(r->ui.said),
			 "not while an interval is read: press it again");
		return true;
	}
	switch (todo) {
	case TOP_QUIT:
		top_watch_ending();
		return false;
	case TOP_RESET:
		r->reset = true;
		snprintf(r->ui.said, sizeof(r->ui.said),
			 "reset: what comes after this interval is counted");
		break;
	case TOP_FREEZE:
		freeze(r);
		break;
	case TOP_WRITE:
		top_write(&r->session, p, r->ui.line, r->ui.said, sizeof(r->ui.said));
		break;
	case TOP_CODE:
		show_code(r);
		break;
	case TOP_DRAW:
		break;
	}
	return true;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static int signals_open(void)
{
	static const int numbers[] = { SIGTSTP, SIGCONT, SIGWINCH };
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	for (size_t i = 0; i < sizeof(top_watch_signals) / sizeof(*top_watch_signals); i++)
		sigaddset(&set, top_watch_signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void stop_here(const struct top_running *r)
{
	sigset_t stop;

	if (r->screen) {
		top_screen_stop();
		return;
	}
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, NULL);
	sigprocmask(SIG_BLOCK, &stop, NULL);
}

/* Returns false if the view must end. */
static bool signalled(struct top_running *r)
{
	struct signalfd_siginfo s;

	while (read(r->signals, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
		switch (s.ssi_signo) {
		case SIGTSTP:
			stop_here(r);
			break;
		case SIGWINCH:
		case SIGCONT:
			if (r->screen)
				top_screen_resized();
			break;
		default:
			top_watch_ending();
			return false;
		}
	}
	return true;
}

static bool pressed(struct top_running *r)
{
	int key;

	while ((key = top_screen_key()) != TOP_KEY_NONE)
		if (!press(r, key))
			return false;
	return true;
}

/* Handles keys and signals while an interval is read. Returns false if the view must end. */
static bool look(struct top_running *r)
{
	struct pollfd p[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->screen ? STDIN_FILENO : -1, .events = POLLIN },
	};

	if (poll(p, sizeof(p) / sizeof(*p), 0) <= 0)
		return true;
	if (p[0].revents && !signalled(r))
		return false;
	if (p[1].revents & (POLLHUP | POLLERR))
		return false;
	if (!r->screen)
		return true;
	/* Rows have moved since the list was made: redraw before a key refers to one of them. */
	draw(r);
	if (p[1].revents && !pressed(r))
		return false;
	draw(r);
	return true;
}

/* Waits until that time. Returns false if the view must end. */
static bool wait_until(struct top_running *r, uint64_t due)
{
	struct pollfd p[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->screen ? STDIN_FILENO : -1, .events = POLLIN },
		{ .fd = r->target, .events = POLLIN },
		{ .fd = tracer_fd(r->session.tracer), .events = POLLIN },
	};

	for (;;) {
		uint64_t now = now_ns(), left = due > now ? due - now : 0;
		struct timespec t = { .tv_sec = (time_t)(left / 1000000000),
				      .tv_nsec = (long)(left % 1000000000) };
		int n = left ? ppoll(p, sizeof(p) / sizeof(*p), &t, NULL) : 0;

		if (n < 0 && errno != EINTR)
			return false;
		if (!n)
			return true;
		if (p[0].revents && !signalled(r))
			return false;
		/* A terminal that has hung up is readable, but has no data. */
		if (p[1].revents & (POLLHUP | POLLERR))
			return false;
		if (p[1].revents && !pressed(r))
			return false;
		if (p[2].revents) {
			r->ended = true;
			snprintf(r->why, sizeof(r->why), "process %d has ended", r->run->t.pid);
			return true;
		}
		if (p[3].revents)
			return true;
		if (r->screen)
			draw(r);
	}
}

/* ---- all intervals --------------------------------------------------------------------------- */

/* Reads what was recorded up to now, for at most the length of an interval. Returns false if the
 * view must end, or cannot continue: then r->why says why. */
static bool read_interval(struct top_running *r)
{
	int rc = top_session_step(&r->session, r->run->delay, r->why, sizeof(r->why));

	r->reading = true;
	while (!rc && (rc = top_session_read(&r->session, r->why, sizeof(r->why))) > 0)
		rc = look(r) ? 0 : -ECANCELED;
	r->reading = false;
	return !rc;
}

/* Reads an interval and PTT's metrics. Returns as read_interval() does. */
static bool step(struct top_running *r)
{
	struct top_view *v = &r->run->view;
	uint32_t number;
	struct pifile *f;

	top_session_next(&r->session, r->reset);
	r->reset = false;
	if (!read_interval(r))
		return false;
	if (r->ptt && top_ptt_step(r->ptt, &r->session.model)) {
		snprintf(r->why, sizeof(r->why), "%s", TraceLastError());
		return false;
	}
	f = top_feed_file(r->session.feed, &number);
	v->wrong = f ? (uint32_t)pifile_faults(f, NULL) : 0;
	if (r->session.full)
		snprintf(r->why, sizeof(r->why),
			 "its file has reached 1 GB, and this collector cannot begin another one");
	return !r->session.full;
}

static void run(struct top_running *r)
{
	struct top_run *o = r->run;
	uint64_t due;

	/* Read what exists at the start before the first interval. */
	if (!read_interval(r))
		return;
	due = now_ns();
	for (uint64_t n = 0; !r->ended && (!o->intervals || n < o->intervals); n++) {
		uint64_t now = now_ns();

		/* After SIGSTOP, missed intervals are not made up for. */
		due = due + o->delay > now ? due + o->delay : now + o->delay;
		if (!wait_until(r, due) || !step(r) || (!r->screen && !show_words(r)))
			return;
		if (r->screen)
			draw(r);
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Called in the watching thread while the main one is busy: removes the session's files and
 * restores the terminal. */
static void abandon(void *arg)
{
	const struct top_running *r = arg;

	if (r->screen)
		top_screen_end();
	top_session_abandon(&r->session);
}

static int open_target(struct top_running *r)
{
	r->target = -1;
	if (!r->run->t.pid)
		return 0;
	r->target = (int)syscall(SYS_pidfd_open, r->run->t.pid, 0);
	return r->target < 0 ? fail("process %d: %s", r->run->t.pid, strerror(errno)) : 0;
}

static int begin(struct top_running *r)
{
	struct top_run *o = r->run;
	struct trace_info info;
	const char *why;
	int code = open_target(r);

	r->signals = signals_open();
	if (!code) {
		int err = r->signals < 0 ? -errno : top_watch_begin(abandon, r);

		code = err ? fail("top: signals: %s", strerror(-err)) : 0;
	}
	if (!code && o->metrics) {
		r->ptt = top_ptt_open(o->metrics, o->t.pid, &r->metrics);
		code = r->ptt ? 0 : EXIT_SWTRACE;
		o->view.metrics = &r->metrics;
	}
	if (!code)
		code = top_session_begin(&r->session, &o->t);
	if (code)
		return code;
	tracer_info(r->session.tracer, &info);
	snprintf(o->view.sampler, sizeof(o->view.sampler), "%s (%s)", info.sampler, info.collector);
	r->screen = !o->json && top_screen_there(&why) && top_screen_begin();
	if (!r->screen && !o->json && why)
		complain("top: %s: intervals in words", why);
	return 0;
}

int top_run(struct top_run *o)
{
	static struct top_running r;
	int code;

	r = (struct top_running){ .run = o, .ui.view = &o->view, .signals = -1 };
	r.session.folder_fd = -1;
	code = begin(&r);
	if (!code) {
		run(&r);
		top_screen_end();
		if (*r.why && r.ended)
			complain("top: %s", r.why);
		else if (*r.why)
			code = fail("top: %s", r.why);
	}
	if (o->view.frozen)
		top_model_free(&r.frozen);
	top_session_end(&r.session);
	top_ptt_close(r.ptt);
	top_list_free(&r.list);
	free(r.ui.text);
	if (r.target >= 0)
		close(r.target);
	if (r.signals >= 0)
		close(r.signals);
	return code;
}
