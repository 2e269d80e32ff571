// SPDX-License-Identifier: GPL-3.0-or-later
/* ptt top: shows which threads use the CPUs at the moment, from the held PTT or one of its own. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "complain.h"
#include "escape.h"
#include "monotonic.h"
#include "terminal.h"
#include "tool.h"

#define INTERVAL 2000000000ull
#define FIRST    500000000ull /* the first screen is drawn sooner */

struct top {
	const struct ptt_options *o;
	struct pttview *view;
	uint64_t begun, interval;
	bool drawn; /* on a terminal */
	struct dump before, between;
	uint64_t pictures;
	int tsc; /* index of the metric that is the machine's counter; -1: none */
	enum sort sort;
	int by;
};

/* ---- a picture ------------------------------------------------------------------------------- */

/* Takes the time over which threads were counted from the CPUs' counters; without the right to read
 * them, uses the time between two readings. */
static void find_ticks(struct top *t)
{
	struct dump *d = &t->between;
	uint64_t most = 0;

	for (int c = 0; c < d->cpus && t->tsc >= 0; c++)
		if (d->cpu[c].wall[t->tsc] > most)
			most = d->cpu[c].wall[t->tsc];
	if (most)
		d->ticks = most;
}

static double share(const struct top *t, uint64_t cycles)
{
	return t->between.ticks ? 100 * (double)cycles / (double)t->between.ticks : 0;
}

static double rate(const struct top *t, uint64_t n)
{
	return t->between.elapsed ? (double)n * 1e9 / (double)t->between.elapsed : 0;
}

static const char *sorted_by(const struct top *t)
{
	switch (t->sort) {
	case SORT_PROCESS:
		return "process";
	case SORT_THREAD:
		return "thread";
	case SORT_DISPATCHES:
		return "dispatches";
	case SORT_INTERRUPTS:
		return "interrupts";
	case SORT_METRIC:
		break;
	}
	return t->by == t->tsc ? "CPU" : t->between.info.metric[t->by];
}

static void cpus(FILE *out, const struct top *t)
{
	const struct dump *d = &t->between;
	uint64_t bucket[PTTVIEW_BUCKETS] = { 0 }, wall = 0;
	int counting = 0;

	for (int c = 0; c < d->cpus; c++) {
		counting += !!d->cpu[c].online;
		wall += d->cpu[c].wall[t->tsc];
		for (int b = 0; b < PTTVIEW_BUCKETS; b++)
			bucket[b] += d->cpu[c].bucket[b][t->tsc];
	}
	fprintf(out, "%d CPUs: ", counting);
	for (int b = 0; b < PTTVIEW_BUCKETS && wall; b++)
		fprintf(out, " %s %.2f %%", bucket_names[b],
			100 * (double)bucket[b] / (double)wall);
	putc('\n', out);
}

static void head(FILE *out, const struct top *t)
{
	const struct dump *d = &t->between;
	time_t now = time(NULL);
	char when[16];

	strftime(when, sizeof(when), "%T", localtime(&now));
	fprintf(out, "ptt top %s: in %" PRIu64 ".%02" PRIu64 " s %d threads ran, by ", when,
		d->elapsed / 1000000000, d->elapsed / 10000000 % 100, d->rows);
	escape_print(out, sorted_by(t));
	if (d->gone.threads && !d->partly)
		fprintf(out, "; %" PRIu64 " more ended", d->gone.threads);
	if (d->gone.unwatched)
		fprintf(out, "; %" PRIu64 " had no room (-n)", d->gone.unwatched);
	putc('\n', out);
	if (d->cpus && t->tsc >= 0)
		cpus(out, t);
	if (d->charged)
		fputs("interrupts are charged to the threads that they interrupt\n", out);
	if (*d->info.note)
		escape_printf(out, "%s\n", d->info.note);
	fputs("     PID      TID    %CPU  %INTR    DISP/S    INTR/S", out);
	for (uint32_t i = 0; i < d->info.metrics; i++) {
		char name[15];

		if ((int)i != t->tsc)
			fprintf(out, " %14s", escape_into(name, sizeof(name), d->info.metric[i]));
	}
	fputs("  NAME\n", out);
}

static void row(FILE *out, const struct top *t, const struct ptt_thread_data *r)
{
	fprintf(out, "%8d %8d", r->pid, r->tid);
	if (t->tsc >= 0)
		fprintf(out, " %7.2f %6.2f", share(t, r->value[t->tsc]),
			share(t, r->interrupt[t->tsc]));
	else
		fprintf(out, " %7s %6s", "-", "-");
	fprintf(out, " %9.1f %9.1f", rate(t, r->dispatches), rate(t, r->interrupts));
	for (uint32_t i = 0; i < t->between.info.metrics; i++)
		if ((int)i != t->tsc)
			fprintf(out, " %14.0f", rate(t, r->value[i]));
	fputs("  ", out);
	escape_print(out, r->name);
	if (r->ended)
		fputs(" (ended)", out);
	putc('\n', out);
}

static void picture(struct top *t)
{
	static const char keys[] =
		"q quit, sort by: c CPU, d dispatches, i interrupts, p process, t thread, m metric";
	char *text = NULL;
	size_t size = 0;
	FILE *out = t->drawn ? open_memstream(&text, &size) : stdout;
	int rows = t->drawn ? screen_rows() - 7 : INT32_MAX;

	if (!out)
		return;
	dump_sort(&t->between, t->sort, t->by);
	if (!t->drawn && t->pictures++)
		putc('\n', out);
	head(out, t);
	for (int i = 0; i < t->between.rows && i < (rows < 1 ? 1 : rows); i++)
		row(out, t, &t->between.row[i].t);
	if (!t->drawn) {
		fflush(out);
		return;
	}
	fputs(keys, out);
	if (!fclose(out) && text)
		screen_draw(text, size);
	free(text);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void sort_by_metric(struct top *t, int metric)
{
	if (metric < 0 || metric >= (int)t->before.info.metrics)
		return;
	t->sort = SORT_METRIC;
	t->by = metric;
}

/* Returns false to quit. */
static bool press(struct top *t, int key)
{
	switch (key) {
	case 'q':
	case 'Q':
		return false;
	case 'c':
		sort_by_metric(t, t->tsc >= 0 ? t->tsc : 0);
		break;
	case 'd':
		t->sort = SORT_DISPATCHES;
		break;
	case 'i':
		t->sort = SORT_INTERRUPTS;
		break;
	case 'p':
		t->sort = SORT_PROCESS;
		break;
	case 't':
		t->sort = SORT_THREAD;
		break;
	case 'm':
		sort_by_metric(t, (t->by + 1) % (int)t->before.info.metrics);
		break;
	default:
		sort_by_metric(t, key - '1');
	}
	return true;
}

/* Waits until that time. Returns false if the view must end. */
static bool wait_until(struct top *t, uint64_t due)
{
	for (;;) {
		int key = screen_wait(due);

		if (key == SCREEN_TIME)
			return true;
		if (key == SCREEN_ENDED || (key != SCREEN_RESIZED && !press(t, key)))
			return false;
		if (t->drawn && t->pictures)
			picture(t);
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The cause of a failure, or 0. The message is printed after the terminal is restored. */
enum { NO_MEMORY = 1, NO_UPDATE, NO_METRIC };

static int take(const struct top *t, struct dump *d)
{
	if (pttview_update(t->view))
		return NO_UPDATE;
	return dump_take(d, t->view, t->begun) ? NO_MEMORY : 0;
}

static int step(struct top *t)
{
	struct dump now = { 0 };
	int failed = take(t, &now);

	dump_free(&t->between);
	if (!failed && dump_between(&t->between, &t->before, &now))
		failed = NO_MEMORY;
	dump_free(&t->before);
	t->before = now;
	if (failed)
		return failed;
	find_ticks(t);
	if (t->o->chosen)
		dump_choose(&t->between, t->o->chosen, NULL, NULL);
	dump_busy(&t->between);
	picture(t);
	t->pictures += t->drawn;
	return 0;
}

/* Takes the first reading. */
static int begin(struct top *t)
{
	int failed = take(t, &t->before);

	t->tsc = -1;
	for (int i = (int)t->before.info.metrics - 1; i >= 0; i--)
		if (!strcmp(t->before.info.unit[i], "cycles"))
			t->tsc = i;
	t->sort = t->o->sort;
	t->by = t->o->by;
	if (t->sort == SORT_METRIC && t->by < 0)
		t->by = t->tsc < 0 ? 0 : t->tsc;
	if (!failed && t->sort == SORT_METRIC && t->by >= (int)t->before.info.metrics)
		failed = NO_METRIC;
	return failed;
}

static int run(struct top *t)
{
	uint64_t due, repeat = t->o->repeat;
	int failed;

	t->drawn = screen_there();
	screen_begin(t->drawn);
	failed = begin(t);
	due = t->before.at + (t->drawn && t->interval > FIRST ? FIRST : t->interval);
	for (uint64_t n = 0; !failed && (!repeat || n < repeat); n++) {
		if (!wait_until(t, due) || pttview_stopped(t->view))
			break;
		failed = step(t);
		due = t->before.at + t->interval;
	}
	screen_end();
	switch (failed) {
	case NO_UPDATE:
		return ptt_failed();
	case NO_MEMORY:
		complain("not enough memory");
		return EXIT_PTT;
	case NO_METRIC:
		complain("-sm: this PTT has %u metrics", t->before.info.metrics);
		return EXIT_PTT;
	}
	if (pttview_stopped(t->view))
		complain("PTT was ended");
	return 0;
}

/* Uses the PTT that ptt init began, unless options request another one or there is none. */
static struct pttview *view_of(const struct ptt_options *o, uint64_t *begun)
{
	static const char *const tsc[] = { "tsc" };
	struct pttview_options with = {
		.count = o->metrics ? o->metrics : 1,
		.metrics = o->metrics ? o->metric : tsc,
		.priv = o->priv,
		.threads = ptt_room(o),
	};
	struct pttview_held held;
	struct pttview *v;
	int rc;

	if (!o->metrics && !o->pids && !o->threads) {
		v = pttview_attach(&held, &rc);
		*begun = v ? held.begun : 0;
		if (v || (rc != PI_NOT_INITIALIZED && rc != PI_HOLDER_GONE))
			return v;
	}
	v = pttview_open(&with, &rc);
	if (!v)
		return NULL;
	*begun = now_ns();
	rc = o->pids ? 0 : pttview_add(v, PTTVIEW_ALL, 0);
	for (int i = 0; i < o->pids && rc >= 0; i++)
		rc = pttview_add(v, PTTVIEW_CHILDREN, o->pid[i]);
	if (rc >= 0)
		return v;
	pttview_close(v);
	return NULL;
}

int cmd_top(const struct ptt_options *o)
{
	struct top t = { .o = o, .interval = o->interval ? o->interval : INTERVAL };
	int code;

	t.view = view_of(o, &t.begun);
	if (!t.view)
		return ptt_failed();
	code = run(&t);
	dump_free(&t.before);
	dump_free(&t.between);
	pttview_close(t.view);
	return code;
}
