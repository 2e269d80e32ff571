/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace ai, AboveIdle: how idle and busy CPUs are, per interval or in total. */
#include <ai.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "escape.h"
#include "form.h"
#include "json.h"
#include "output.h"
#include "ai_span.h"
#include "swtrace.h"

#define SECOND 1000000000u

enum summary { SUMMARY_AFTER_SAMPLES, SUMMARY_SYSTEM, SUMMARY_CPUS };

struct ai {
	uint64_t interval, samples, run; /* ns, number (0: no limit), ns (0: no limit) */
	bool stamps;
	enum summary summary;
	const char *collector; /* NULL: the first that works */
	enum form form;
	const char *path;
	struct output file; /* of -l */
	FILE *out[2];       /* the second may be NULL */
	struct json json[2];
	struct ai_info info;
	struct span first, last; /* readings */
	uint64_t begun, taken;   /* when they were taken, CLOCK_MONOTONIC ns */
	uint64_t realtime;       /* of the rows being printed, the same in all outputs */
	uint64_t shown;          /* samples printed so far */
};

static uint64_t now_on(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* ---- one row --------------------------------------------------------------------------------- */

static const char *const share_names[SPAN_SHARES] = {
	"idle_percent",
	"busy_percent",
	"interrupt_percent",
};

static void time_of_day(FILE *out, uint64_t realtime)
{
	time_t seconds = (time_t)(realtime / SECOND);
	struct tm tm;

	localtime_r(&seconds, &tm);
	fprintf(out, "%02d:%02d:%02d.%03u ", tm.tm_hour, tm.tm_min, tm.tm_sec,
		(unsigned int)(realtime % SECOND / 1000000));
}

static void a_second(FILE *out, uint64_t number, uint64_t ns)
{
	if (number == AI_UNKNOWN || !ns)
		fprintf(out, " %10s", "-");
	else
		fprintf(out, " %10.0f", (double)number * 1e9 / (double)ns);
}

static void row_words(const struct ai *ai, FILE *out, const struct ai_counters *c, bool all,
		      uint64_t elapsed, uint64_t realtime)
{
	unsigned int share[SPAN_SHARES];
	char room[8];

	if (ai->stamps && realtime)
		time_of_day(out, realtime);
	else if (ai->stamps)
		fprintf(out, "%13s", "");
	if (all)
		fputs(" all", out);
	else
		fprintf(out, "%4u", c->cpu);
	if (!span_shares(c, share)) {
		fputs(" was off line\n", out);
		return;
	}
	for (int i = 0; i < SPAN_SHARES; i++)
		fprintf(out, " %7s", span_percent(room, share[i]));
	a_second(out, c->dispatches, elapsed);
	a_second(out, c->interrupts, elapsed);
	putc('\n', out);
}

static void row_json(struct json *j, const char *key, const struct ai_counters *c, bool all)
{
	unsigned int share[SPAN_SHARES];
	bool any = span_shares(c, share);

	json_object(j, key);
	if (!all) {
		json_uint(j, "cpu", c->cpu);
		json_bool(j, "online", c->online);
	}
	json_uint(j, "current_ns", c->current);
	json_uint(j, "idle_ns", c->idle);
	json_uint(j, "busy_ns", c->busy);
	json_uint(j, "interrupt_ns", c->interrupt);
	json_uint(j, "steal_ns", c->steal);
	for (int i = 0; i < SPAN_SHARES; i++)
		if (any)
			json_fixed(j, share_names[i], share[i] / 100.0, 2);
		else
			json_null(j, share_names[i]);
	if (c->dispatches == AI_UNKNOWN)
		json_null(j, "dispatches");
	else
		json_uint(j, "dispatches", c->dispatches);
	json_uint(j, "interrupts", c->interrupts);
	json_end(j, '}');
}

static void row_csv(FILE *out, const struct ai_counters *c, bool all, uint64_t elapsed,
		    uint64_t realtime)
{
	unsigned int share[SPAN_SHARES];
	bool any = span_shares(c, share);
	char room[8];

	fprintf(out, "%" PRIu64 ".%03u,%" PRIu64 ",", realtime / SECOND,
		(unsigned int)(realtime % SECOND / 1000000), elapsed);
	if (all)
		fputs("all", out);
	else
		fprintf(out, "%u", c->cpu);
	for (int i = 0; i < SPAN_SHARES; i++)
		fprintf(out, ",%s", any ? span_percent(room, share[i]) : "");
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", c->current,
		c->idle, c->busy, c->interrupt, c->steal);
	if (c->dispatches != AI_UNKNOWN)
		fprintf(out, "%" PRIu64, c->dispatches);
	fprintf(out, ",%" PRIu64 "\n", c->interrupts);
}

/* ---- samples, summary ------------------------------------------------------------------------ */

static void head(struct ai *ai)
{
	for (int k = 0; k < 2 && ai->out[k]; k++) {
		FILE *out = ai->out[k];
		struct json *j = &ai->json[k];

		switch (ai->form) {
		case FORM_WORDS:
			if (*ai->info.note)
				escape_printf(out, "by %s: %s\n", ai->info.collector,
					      ai->info.note);
			fprintf(out, "%s CPU  IDLE %%  BUSY %%  INTR %%     DISP/S     INTR/S\n",
				ai->stamps ? "TIME         " : "");
			break;
		case FORM_CSV:
			fputs("time,elapsed_ns,cpu,idle_percent,busy_percent,interrupt_percent,"
			      "current_ns,idle_ns,busy_ns,interrupt_ns,steal_ns,dispatches,interrupts\n",
			      out);
			break;
		case FORM_JSON:
			json_document(j, out, true);
			json_string(j, "collector", ai->info.collector);
			json_bool(j, "exact", ai->info.exact);
			json_string(j, "note", ai->info.note);
			json_array(j, "samples");
			break;
		}
	}
}

static void show(struct ai *ai, int k, const struct span *s, bool cpus, bool is_summary,
		 uint64_t elapsed)
{
	uint64_t realtime = ai->realtime;
	struct json *j = &ai->json[k];
	FILE *out = ai->out[k];

	if (ai->form == FORM_JSON) {
		json_object(j, is_summary ? "summary" : NULL);
		json_uint(j, "realtime_ns", realtime);
		json_uint(j, "elapsed_ns", elapsed);
		if (cpus)
			json_array(j, "cpus");
	}
	for (int i = 0; i < s->cpus; i++) {
		if (!cpus)
			continue;
		if (ai->form == FORM_WORDS)
			row_words(ai, out, &s->cpu[i], false, elapsed, is_summary ? 0 : realtime);
		else if (ai->form == FORM_CSV)
			row_csv(out, &s->cpu[i], false, elapsed, realtime);
		else
			row_json(j, NULL, &s->cpu[i], false);
	}
	if (ai->form == FORM_JSON) {
		if (cpus)
			json_end(j, ']');
		row_json(j, "all", &s->all, true);
		json_end(j, '}');
	} else if (ai->form == FORM_CSV) {
		row_csv(out, &s->all, true, elapsed, realtime);
	} else if (s->cpus > 1 || !cpus) {
		row_words(ai, out, &s->all, true, elapsed, is_summary ? 0 : realtime);
	}
	fflush(out);
}

static int sample(struct ai *ai)
{
	struct span now, s;
	uint64_t taken = now_on(CLOCK_MONOTONIC);
	int rc = span_read(&now);

	if (rc)
		return rc;
	ai->realtime = now_on(CLOCK_REALTIME);
	rc = span_between(&s, &ai->last, &now);
	for (int k = 0; k < 2 && ai->out[k] && !rc; k++)
		show(ai, k, &s, true, false, taken - ai->taken);
	span_free(&s);
	span_free(&ai->last);
	ai->last = now;
	ai->taken = taken;
	ai->shown++;
	return rc;
}

static void summary_words(FILE *out, const struct span *s, uint64_t elapsed)
{
	double steal = 100.0 * (double)s->all.steal / (double)(s->all.current ? s->all.current : 1);

	fprintf(out, "in %" PRIu64 ".%03" PRIu64 " s", elapsed / SECOND, elapsed / 1000000 % 1000);
	if (steal >= 0.005)
		fprintf(out, ", %.2f %% of which the hypervisor ran other guests", steal);
	putc('\n', out);
	fflush(out);
}

/* Prints the summary of -s and -sp, or the one after samples; --csv has none after samples. */
static int summarize(struct ai *ai)
{
	bool only = ai->summary != SUMMARY_AFTER_SAMPLES;
	struct span now, s;
	uint64_t elapsed = now_on(CLOCK_MONOTONIC) - ai->begun;
	int rc = only ? span_read(&now) : PI_OK;

	if (rc)
		return rc;
	if (!only)
		elapsed = ai->taken - ai->begun;
	ai->realtime = now_on(CLOCK_REALTIME);
	rc = span_between(&s, &ai->first, only ? &now : &ai->last);
	for (int k = 0; k < 2 && ai->out[k] && !rc; k++) {
		FILE *out = ai->out[k];

		if (ai->form == FORM_JSON)
			json_end(&ai->json[k], ']');
		if (ai->form == FORM_WORDS && (only || ai->shown > 1)) {
			if (!only)
				fputs("all in all:\n", out);
			show(ai, k, &s, ai->summary != SUMMARY_SYSTEM, true, elapsed);
		} else if (ai->form == FORM_JSON || only) {
			show(ai, k, &s, ai->summary != SUMMARY_SYSTEM, true, elapsed);
		}
		if (ai->form == FORM_WORDS)
			summary_words(out, &s, elapsed);
		if (ai->form == FORM_JSON)
			json_end(&ai->json[k], '}');
	}
	span_free(&s);
	if (only)
		span_free(&now);
	return rc;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Returns true if a signal ended the wait. */
static bool wait_until(uint64_t when, const sigset_t *ends)
{
	uint64_t now;

	while ((now = now_on(CLOCK_MONOTONIC)) < when) {
		struct timespec t = {
			.tv_sec = (time_t)((when - now) / SECOND),
			.tv_nsec = (long)((when - now) % SECOND),
		};

		if (sigtimedwait(ends, NULL, &t) > 0)
			return true;
	}
	return false;
}

static bool written(const struct ai *ai)
{
	return !ferror(ai->out[0]) && (!ai->out[1] || !ferror(ai->out[1]));
}

/* Takes a requested number of samples in full, however late; otherwise ends at the end time. */
static int run(struct ai *ai, const sigset_t *ends)
{
	bool counted = ai->samples && ai->summary == SUMMARY_AFTER_SAMPLES, ended = false;
	uint64_t run_ns = ai->run ? ai->run : ai->samples * ai->interval, next = ai->begun;
	uint64_t end = run_ns && !counted ? ai->begun + run_ns : UINT64_MAX;
	int rc = PI_OK;

	while (!rc && !ended && (counted ? ai->shown < ai->samples : next < end) && written(ai)) {
		/* A sample that is late is skipped in favour of the next one, so that two are never
		 * taken at once. */
		do
			next += ai->interval;
		while (next < now_on(CLOCK_MONOTONIC));
		next = next < end ? next : end;
		ended = wait_until(next, ends);
		if (ai->summary == SUMMARY_AFTER_SAMPLES)
			rc = sample(ai);
	}
	return rc ? rc : summarize(ai);
}

static int begin(struct ai *ai, const char *collector)
{
	int rc = collector ? AiSetCollector(collector) : PI_OK;

	if (!rc)
		rc = AiInit();
	if (!rc)
		rc = AiGetInfo(&ai->info);
	ai->begun = ai->taken = now_on(CLOCK_MONOTONIC);
	if (!rc)
		rc = span_read(&ai->first);
	return rc ? rc : span_between(&ai->last, &(struct span){ 0 }, &ai->first);
}

static int above_idle(struct ai *ai, const char *collector)
{
	sigset_t ends;
	int rc, err = 0;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	rc = begin(ai, collector);
	if (rc)
		return fail_rc(rc);
	if (ai->path)
		err = output_open(&ai->file, ai->path, 0666);
	if (err)
		return fail("%s: %s", ai->path, output_error(err));
	sigprocmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	ai->out[0] = stdout;
	ai->out[1] = ai->file.file;
	head(ai);
	rc = run(ai, &ends);
	if (rc)
		fail_rc(rc);
	if (ferror(stdout))
		rc = fail("standard output cannot be written");
	if (ai->path)
		err = output_close(&ai->file);
	if (err)
		rc = fail("%s: %s", ai->path, output_error(err));
	AiTerminate();
	span_free(&ai->first);
	span_free(&ai->last);
	return rc ? EXIT_SWTRACE : 0;
}

enum { FORM = 1, SUMMARY };
#define SHORTEST 10000000u /* ns */
#define LONGEST  (1000000ull * SECOND)

static const struct option_row rows[] = {
	{ { "-r" },
	  "TIME",
	  "run for so long (default: so many SAMPLES, or until Ctrl-C)",
	  option_duration,
	  OPTION_TO(struct ai, run),
	  .least = SHORTEST,
	  .most = LONGEST },
	{ { "-t" },
	  NULL,
	  "print the time of day with each sample",
	  option_set,
	  OPTION_TO(struct ai, stamps) },
	{ { "-s" },
	  NULL,
	  "print no samples but a summary of the system at the end",
	  option_assign,
	  OPTION_TO(struct ai, summary),
	  .value = SUMMARY_SYSTEM,
	  .group = SUMMARY },
	{ { "-sp" },
	  NULL,
	  "print no samples but a summary of the system and of each CPU at the end",
	  option_assign,
	  OPTION_TO(struct ai, summary),
	  .value = SUMMARY_CPUS,
	  .group = SUMMARY },
	{ { "-l" },
	  "FILE",
	  "also write the output to this file",
	  option_text,
	  OPTION_TO(struct ai, path),
	  .complete = "@file" },
	{ { "-B" },
	  "COLLECTOR",
	  "use this collector: %s (default: the first that works)",
	  option_text,
	  OPTION_TO(struct ai, collector),
	  .complete = "driver proc" },
	OPTION_JSON_ROW(struct ai, FORM, 0),
	OPTION_CSV_ROW(struct ai, FORM, 0),
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
const struct option_table cmd_ai_table = {
	.parts = parts,
	.notes =
		"A sample each INTERVAL (5ms, 1.5s, 2m; without a unit seconds; default 1 s): what share of its\n"
		"time each CPU, and all together, were idle, busy, and serving interrupts; dispatches and\n"
		"interrupts a second. Ctrl-C ends the run; what was seen until then is printed.",
};

int cmd_ai(int argc, char **argv)
{
	struct ai ai = { .interval = SECOND };
	struct option_rest rest;
	int code;

	if (!take_options(&cmd_ai_table, &ai, argc, argv, &rest, &code))
		return code;
	argc = rest.count;
	argv = rest.words;
	if (argc > 2 || (argc > 1 && ai.run))
		return USAGE;
	if (argc > 0 && !duration_of("interval", argv[0], SHORTEST, LONGEST, &ai.interval))
		return EXIT_SWTRACE;
	if (argc > 1 && !number_of("samples", argv[1], 1, 1000000000, &ai.samples))
		return EXIT_SWTRACE;
	return above_idle(&ai, ai.collector);
}
