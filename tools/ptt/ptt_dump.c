// SPDX-License-Identifier: GPL-3.0-or-later
/* ptt dump: prints the counts so far, or those of each of several intervals. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include "complain.h"
#include "output.h"
#include "monotonic.h"
#include "tool.h"

struct dumping {
	const struct ptt_options *o;
	struct pttview *view;
	struct pttview_held held;
	struct output out;
	int code;
};

static int no_memory(void)
{
	complain("not enough memory");
	return EXIT_PTT;
}

/* ---- one dump -------------------------------------------------------------------------------- */

static void missed(void *arg, const char *name)
{
	(void)arg;
	complain("-pl: %s: No Data", name);
}

static int print(struct dumping *g, struct dump *d)
{
	const struct ptt_options *o = g->o;

	if (o->cpi && !dump_cpi(d))
		return EXIT_PTT;
	if (o->chosen)
		dump_choose(d, o->chosen, d->interval > 1 ? NULL : missed, NULL);
	if (d->interval)
		dump_busy(d);
	dump_sort(d, o->sort, o->by);
	if (o->cgroup && dump_cgroups(d))
		return no_memory();
	show(g->out.file, o, d);
	if (fflush(g->out.file)) {
		complain("%s: %s", o->file ? o->file : "standard output", strerror(errno));
		return EXIT_PTT;
	}
	if (dump_balanced(d))
		return 0;
	complain("the CPUs' parts do not add up to their time: please report this");
	return EXIT_BOOKS;
}

static int take(struct dumping *g, struct dump *d)
{
	if (pttview_update(g->view))
		return ptt_failed();
	return dump_take(d, g->view, g->held.begun) ? no_memory() : 0;
}

static int once(struct dumping *g)
{
	struct dump d = { 0 };
	int code = take(g, &d);

	if (!code && g->o->sort == SORT_METRIC && g->o->by >= (int)d.info.metrics) {
		complain("-sm: this PTT has %u metrics", d.info.metrics);
		code = EXIT_PTT;
	}
	if (!code)
		code = print(g, &d);
	dump_free(&d);
	return code;
}

/* ---- several --------------------------------------------------------------------------------- */

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	ended = number;
}

/* Returns false if a signal or the end of PTT came first. */
static bool sleep_until(const struct dumping *g, uint64_t when)
{
	while (!ended && !pttview_stopped(g->view)) {
		uint64_t now = now_ns(), left = when - now;
		struct timespec t;

		if (when <= now)
			return true;
		/* Sleep in short steps, to notice the end of PTT soon. */
		if (left > 250000000)
			left = 250000000;
		t = (struct timespec){ .tv_nsec = (long)left };
		nanosleep(&t, NULL);
	}
	return false;
}

static int repeatedly(struct dumping *g)
{
	struct sigaction action = { .sa_handler = on_signal };
	uint64_t interval = g->o->interval ? g->o->interval : 1000000000, due;
	struct dump before = { 0 }, now = { 0 };
	int code = take(g, &before);
	bool on = !code;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	due = before.at + interval;
	for (uint64_t n = 1; on && (!g->o->repeat || n <= g->o->repeat); n++) {
		struct dump d = { 0 };

		/* Also print the last, shorter interval. */
		on = sleep_until(g, due);
		code = take(g, &now);
		if (code)
			break;
		code = dump_between(&d, &before, &now) ? no_memory() : 0;
		d.interval = n;
		if (!code)
			code = print(g, &d);
		on &= !code;
		dump_free(&d);
		dump_free(&before);
		before = now;
		now = (struct dump){ .row = NULL };
		due += interval;
		if (due < before.at)
			due = before.at + interval;
	}
	dump_free(&before);
	dump_free(&now);
	if (!code && pttview_stopped(g->view))
		complain("PTT was ended");
	return code;
}

int cmd_dump(const struct ptt_options *o)
{
	struct dumping g = { .o = o, .out.file = stdout };
	int rc, err;

	g.view = pttview_attach(&g.held, &rc);
	if (!g.view)
		return ptt_failed();
	err = o->file ? output_open(&g.out, o->file, 0666) : 0;
	if (!err) {
		g.code = o->interval || o->repeat ? repeatedly(&g) : once(&g);
		if (o->file)
			err = output_close(&g.out);
	}
	pttview_close(g.view);
	if (!err)
		return g.code;
	complain("%s: %s", o->file, output_error(err));
	return EXIT_PTT;
}
