/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpevt: lists and counts events. The first word names a sub-command; -l lists events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "called_as.h"
#include "caller.h"
#include "complain.h"
#include "list.h"
#include "mpevt.h"
#include "option_store.h"

enum { FORM = 1, WHERE };                       /* groups of options that exclude one another */
enum { LIST = 1, RUN = 2, START = 4, ASK = 8 }; /* sub-commands: ASK is read and stop */

/* ---- options --------------------------------------------------------------------------------- */

static bool store_described(const struct option_given *given, void *to)
{
	struct mpevt *m = to;

	(void)given;
	m->list = m->described = true;
	return true;
}

static const struct option_row rows[] = {
	{ { "-l" },
	  NULL,
	  "list events (those with WORD in them)",
	  option_set,
	  OPTION_TO(struct mpevt, list),
	  .commands = LIST },
	{ { "-ld" },
	  NULL,
	  "list events with their descriptions",
	  .store = store_described,
	  .commands = LIST },
	{ { "--pmu" },
	  "PMU",
	  "list events of this PMU: cpu, or kernel, libpfm4",
	  option_text,
	  OPTION_TO(struct mpevt, pmu),
	  .commands = LIST },
	{ { "-e" },
	  "EVENT,...",
	  "count these (default: task-clock, context-switches, "
	  "cpu-migrations, page-faults; without what this user may not count)",
	  option_text,
	  OPTION_TO(struct mpevt, events),
	  .complete = "@events",
	  .commands = RUN | START },
	{ { "-c" },
	  "CPUS",
	  "count on these CPUs (0,2-5, or all), for all processes",
	  option_cpus,
	  OPTION_TO(struct mpevt, cpus),
	  .value = 1,
	  .complete = "@cpus",
	  .group = WHERE,
	  .commands = RUN | START },
	{ { "-p" },
	  "PID",
	  "count in this process and its future descendants",
	  option_number,
	  OPTION_TO(struct mpevt, pid),
	  .least = 1,
	  .most = 1 << 30,
	  .complete = "@process",
	  .group = WHERE,
	  .commands = START },
	{ { "-t" },
	  "TID",
	  "count in this thread",
	  option_number,
	  OPTION_TO(struct mpevt, tid),
	  .least = 1,
	  .most = 1 << 30,
	  .group = WHERE,
	  .commands = START },
	{ { "-o" },
	  "FILE",
	  "run: write the counts to this file (default: standard error)",
	  option_text,
	  OPTION_TO(struct mpevt, file),
	  .complete = "@file",
	  .commands = RUN },
	CALLER_ROOT_ROW(RUN),
	OPTION_JSON_ROW(struct mpevt, FORM, LIST | RUN | ASK),
	OPTION_CSV_ROW(struct mpevt, FORM, LIST | RUN | ASK),
	OPTION_HELP_ROWS,
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };

static const char usage[] =
	"usage: mpevt -l | -ld [--pmu PMU] [--json | --csv] [WORD]\n"
	"       mpevt run [-e EVENT,...] [-c CPUS] [-o FILE] [--json | --csv] [--] COMMAND [ARG]...\n"
	"       mpevt start [-c CPUS | -p PID | -t TID] EVENT...\n"
	"       mpevt read | stop [--json | --csv]\n";
static const char notes[] =
	"start without -c, -p and -t counts on all CPUs until stop; read prints the counts so far.\n"
	"Counters are never shared or scaled: for an event without a counter the reason is given.\n\n"
	"Exit code: run: the command's own; read, stop: 1 an event was not counted all the time;\n"
	"125 mpevt failed, 126 the command cannot be executed, 127 it was not found.";

#define TABLE \
	.program = "mpevt", .parts = parts, .strict = 1 << WHERE, .usage = usage, .notes = notes

static const struct option_table list_table = { TABLE };
static const struct option_table run_table = { TABLE, .operands = "@command", .ends = true };
static const struct option_table start_table = { TABLE, .operands = "@events" };

/* ---- sub-commands ---------------------------------------------------------------------------- */

static int cmd_list(const struct mpevt *m)
{
	struct event_list l = {
		.form = m->form == FORM_JSON ? EVENTS_JSON :
			m->form == FORM_CSV  ? EVENTS_CSV :
			m->described         ? EVENTS_WORDS :
					       EVENTS_NAMES,
		.word = m->words[0],
		.pmu = m->pmu,
	};

	event_list_print(&l);
	if (!l.shown && !l.bad)
		complain("no event matches");
	else if (l.form == EVENTS_WORDS && event_list_no_hardware())
		puts("Software events are.");
	return !l.shown || l.bad ? EXIT_MPEVT : 0;
}

static int misused(const struct mpevt *m)
{
	(void)m;
	if (called_by_front())
		fprintf(stderr, "Try: %s --help\n", called_as(NULL));
	else
		options_help(stderr, &list_table);
	return EXIT_MPEVT;
}

static int list_events(const struct mpevt *m)
{
	return m->list && (!m->words[0] || !m->words[1]) ? cmd_list(m) : misused(m);
}

static int run(const struct mpevt *m)
{
	return m->words[0] ? cmd_run(m) : misused(m);
}

static int start(const struct mpevt *m)
{
	if (m->events || m->words[0])
		return cmd_start(m);
	complain("start: no event is named; mpevt -l lists them");
	return EXIT_MPEVT;
}

static int read_counts(const struct mpevt *m)
{
	return m->words[0] ? misused(m) : cmd_ask(m, false);
}

static int stop(const struct mpevt *m)
{
	return m->words[0] ? misused(m) : cmd_ask(m, true);
}

static const struct mpevt_command {
	const char *name, *what;
	int (*call)(const struct mpevt *m);
	const struct option_table *table;
	unsigned int bit;
} subs[] = {
	{ "run", "count what a command does", run, &run_table, RUN },
	{ "start", "begin to count", start, &start_table, START },
	{ "read", "print the counts so far", read_counts, &list_table, ASK },
	{ "stop", "print the counts and end", stop, &list_table, ASK },
	{ NULL, NULL, list_events, &list_table, LIST },
};
#define SUBS (sizeof(subs) / sizeof(*subs))

static int dispatch(struct mpevt *m, int argc, char **argv)
{
	const struct mpevt_command *sub = subs;
	struct option_rest rest;

	while (sub->name && strcmp(sub->name, argv[1]))
		sub++;
	if (!sub->name && argv[1][0] != '-') {
		complain("no sub-command '%s'; see mpevt --help", argv[1]);
		return EXIT_MPEVT;
	}
	if (!strcmp(argv[1], "--complete")) {
		for (size_t i = 0; i < SUBS - 1; i++)
			options_complete_command(stdout, subs[i].name, subs[i].what);
		options_complete_help(stdout);
	}
	if (sub->name) {
		argc--;
		argv++;
	}
	switch (options_parse(sub->table, sub->bit, m, argc, argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return 0;
	default:
		return EXIT_MPEVT;
	}
	m->words = rest.words;
	m->on_cpus = cpus_number(&m->cpus);
	return sub->call(m);
}

int main(int argc, char **argv)
{
	struct mpevt m = { .form = FORM_WORDS };
	int code;

	if (argc < 2)
		return misused(&m);
	code = dispatch(&m, argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		complain("standard output cannot be written: %s", strerror(errno));
		return EXIT_MPEVT;
	}
	return code;
}
