// SPDX-License-Identifier: GPL-3.0-or-later
/* ptt: shows what each thread really used. The first word names a sub-command. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "caller.h"
#include "complain.h"
#include "option_store.h"
#include "tool.h"
#include "units.h"

/* ---- options --------------------------------------------------------------------------------- */

enum { FORM = 1, ORDER, CODE, CHARGE }; /* groups of options that exclude one another */
/* Sub-commands: NONE has only the options that all have. */
enum { NONE = 1, INIT = 2, INFO = 4, DUMP = 8, TOP = 16, RUN = 32 };

/* Splits a list of metrics; messages call the list `what`. */
static bool take_metrics(struct ptt_options *o, const char *what, char *list)
{
	/* Commas within slashes belong to a PMU's event: pmu/term=1,term=2/. */
	for (bool within = false; *list; list++) {
		if (o->metrics == PTT_METRICS) {
			complain("%s: more than %d metrics", what, PTT_METRICS);
			return false;
		}
		o->metric[o->metrics++] = list;
		for (; *list && (*list != ',' || within); list++)
			within ^= *list == '/';
		if (!*list)
			break;
		*list = '\0';
	}
	if (!o->metrics)
		complain("%s: no metric is named", what);
	return o->metrics;
}

static bool store_metrics(const struct option_given *given, void *to)
{
	return take_metrics(to, given->name, given->text);
}

static bool store_pids(const struct option_given *given, void *to)
{
	struct ptt_options *o = to;
	char *list = given->text, *word;

	while ((word = strsep(&list, ","))) {
		uint64_t n;

		if (!unit_count(word, &n) || !n || n > 1 << 30) {
			complain("-p: invalid process id '%s'", word);
			return false;
		}
		if (o->pids == PTTVIEW_HELD_PIDS) {
			complain("-p: more than %d processes", PTTVIEW_HELD_PIDS);
			return false;
		}
		o->pid[o->pids++] = (int)n;
	}
	return true;
}

static bool store_metric_order(const struct option_given *given, void *to)
{
	struct ptt_options *o = to;
	uint64_t n;

	if (!number_of(given->name, given->text, 1, PTT_METRICS, &n))
		return false;
	o->sort = SORT_METRIC;
	o->by = (int)n - 1;
	return true;
}

#define LONGEST    86400000000000 /* ns: a day */
#define IN(member) OPTION_TO(struct ptt_options, member)

static const struct option_row rows[] = {
	{ { "-m" },
	  "METRIC,...",
	  "count these, at most eight: tsc (the default: the machine's counter), "
	  "or events, as mpevt -l lists them",
	  .store = store_metrics,
	  .complete = "@metrics",
	  .commands = TOP | RUN },
	{ { "-u" },
	  NULL,
	  "count events of user code only",
	  option_assign,
	  IN(priv),
	  .value = TRACE_PRIV_USER,
	  .group = CODE,
	  .commands = TOP | RUN },
	{ { "-k" },
	  NULL,
	  "count events of the kernel only",
	  option_assign,
	  IN(priv),
	  .value = TRACE_PRIV_KERNEL,
	  .group = CODE,
	  .commands = TOP | RUN },
	{ { "-p" },
	  "PID,...",
	  "count in these processes and their descendants",
	  .store = store_pids,
	  .complete = "@process",
	  .commands = INIT | TOP,
	  .repeats = true },
	{ { "-n" },
	  "THREADS",
	  "have room for so many threads at a time (1024, or twice as many as "
	  "there are)",
	  option_number,
	  IN(threads),
	  .least = 1,
	  .most = PITRACE_PTT_SLOTS,
	  .commands = INIT | TOP | RUN },
	{ { "--noints" },
	  NULL,
	  "count interrupts separately (the default)",
	  option_assign,
	  IN(charged),
	  .value = false,
	  .group = CHARGE,
	  .commands = INIT | RUN },
	{ { "--ints" },
	  NULL,
	  "charge interrupts to the threads that they interrupt",
	  option_assign,
	  IN(charged),
	  .value = true,
	  .group = CHARGE,
	  .commands = INIT | RUN },
	{ { "-pl" },
	  "PID|NAME,...",
	  "show these processes",
	  option_text,
	  IN(chosen),
	  .complete = "@process",
	  .commands = DUMP | TOP },
	{ { "-s" },
	  "SECONDS",
	  "show the counts of each such interval, not all since the begin",
	  option_duration,
	  IN(interval),
	  .least = 1000000,
	  .most = LONGEST,
	  .commands = DUMP },
	{ { "-r" },
	  "N",
	  "show so many intervals (default: until Ctrl-C)",
	  option_number,
	  IN(repeat),
	  .least = 1,
	  .most = UINT32_MAX,
	  .commands = DUMP | TOP },
	{ { "-d" },
	  "SECONDS",
	  "redraw so often (2)",
	  option_duration,
	  IN(interval),
	  .least = 1000000,
	  .most = LONGEST,
	  .commands = TOP },
	{ { "-sp" },
	  NULL,
	  "sort by process (dump's default)",
	  option_assign,
	  IN(sort),
	  .value = SORT_PROCESS,
	  .group = ORDER,
	  .commands = DUMP | TOP },
	{ { "-st" },
	  NULL,
	  "sort by thread",
	  option_assign,
	  IN(sort),
	  .value = SORT_THREAD,
	  .group = ORDER,
	  .commands = DUMP | TOP },
	{ { "-sd" },
	  NULL,
	  "sort by dispatches, most first",
	  option_assign,
	  IN(sort),
	  .value = SORT_DISPATCHES,
	  .group = ORDER,
	  .commands = DUMP | TOP },
	{ { "-si" },
	  NULL,
	  "sort by interrupts, most first",
	  option_assign,
	  IN(sort),
	  .value = SORT_INTERRUPTS,
	  .group = ORDER,
	  .commands = DUMP | TOP },
	{ { "-sm" },
	  "N",
	  "sort by the Nth metric, most first",
	  .store = store_metric_order,
	  .complete = "1 2 3 4 5 6 7 8",
	  .group = ORDER,
	  .commands = DUMP | TOP },
	{ { "-cpi" },
	  NULL,
	  "also show cycles per instruction",
	  option_set,
	  IN(cpi),
	  .commands = DUMP | RUN },
	{ { "-cgroup" },
	  NULL,
	  "also show the cgroup of each thread that exists: its container or unit",
	  option_set,
	  IN(cgroup),
	  .commands = DUMP },
	{ { "--cpus" },
	  NULL,
	  "also show what else the CPUs did: all of their time",
	  option_set,
	  IN(cpus),
	  .commands = DUMP | RUN },
	{ { "-o" },
	  "FILE",
	  "write to this file (default: dump: standard output; run: standard error)",
	  option_text,
	  IN(file),
	  .complete = "@file",
	  .commands = DUMP | RUN },
	CALLER_ROOT_ROW(RUN),
	OPTION_JSON_ROW(struct ptt_options, FORM, INFO | DUMP | RUN),
	OPTION_CSV_ROW(struct ptt_options, FORM, DUMP | RUN),
	OPTION_HELP_ROWS,
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };

static const char usage[] =
	"usage: ptt init [METRIC]... [priv_kernel | priv_user | priv_any] [-p PID,...] [-n THREADS]\n"
	"                [--ints | --noints]\n"
	"       ptt term | info [--json] | ints | noints\n"
	"       ptt dump [-pl PID|NAME,...] [-s SECONDS] [-r N] [-sp | -st | -sd | -si | -sm N] [-cpi]\n"
	"                [-cgroup] [--cpus] [-o FILE] [--json | --csv]\n"
	"       ptt top [-d SECONDS] [-r N] [-pl PID|NAME,...] [-sp | -st | -sd | -si | -sm N]\n"
	"               [-m METRIC,...] [-u | -k] [-p PID,...] [-n THREADS]\n"
	"       ptt run [-m METRIC,...] [-u | -k] [-n THREADS] [--ints | --noints] [-cpi]\n"
	"               [--cpus] [-o FILE] [--json | --csv] [--] COMMAND [ARG]...\n\n"
	"init begins to count what each thread uses, of all or of some processes; dump prints it; top\n"
	"shows current use; ints and noints change how interrupts are charged; term ends the counting.\n"
	"run counts what a command uses.\n";
static const char notes[] =
	"The pitrace module is needed. Exit code: run: the command's own; 1 a CPU's parts do not add up;\n"
	"125 ptt failed, 126 the command cannot be executed, 127 it was not found.";

#define TABLE .program = "ptt", .parts = parts, .strict = 1 << CODE, .usage = usage, .notes = notes

static const struct option_table plain_table = { TABLE };
static const struct option_table init_table = { TABLE, .operands = "@metrics_and_code" };
static const struct option_table run_table = { TABLE, .operands = "@command", .ends = true };

/* ---- sub-commands ---------------------------------------------------------------------------- */

static int misused(void)
{
	options_help(stderr, &plain_table);
	return EXIT_PTT;
}

static int init(struct ptt_options *o)
{
	static const struct {
		const char *word;
		int priv;
	} privs[] = {
		{ "priv_any", TRACE_PRIV_ANY },
		{ "priv_user", TRACE_PRIV_USER },
		{ "priv_kernel", TRACE_PRIV_KERNEL },
	};

	for (char **word = o->words; *word; word++) {
		size_t i = 0;

		while (i < 3 && strcmp(*word, privs[i].word))
			i++;
		if (i < 3)
			o->priv = privs[i].priv;
		else if (!take_metrics(o, "init", *word))
			return EXIT_PTT;
	}
	return cmd_init(o);
}

static int run(struct ptt_options *o)
{
	return o->words[0] ? cmd_run(o) : misused();
}

static int term(struct ptt_options *o)
{
	return cmd_term(o);
}

static int info(struct ptt_options *o)
{
	return cmd_info(o);
}

static int ints(struct ptt_options *o)
{
	(void)o;
	return cmd_charge(true);
}

static int noints(struct ptt_options *o)
{
	(void)o;
	return cmd_charge(false);
}

static int dump(struct ptt_options *o)
{
	return cmd_dump(o);
}

static int top(struct ptt_options *o)
{
	return cmd_top(o);
}

static const struct ptt_command {
	const char *name, *what;
	int (*call)(struct ptt_options *o);
	const struct option_table *table;
	unsigned int bit;
	bool words; /* accepts operands */
} subs[] = {
	{ "init", "begin to count", init, &init_table, INIT, true },
	{ "term", "end the counting", term, &plain_table, NONE, false },
	{ "info", "show what is counted", info, &plain_table, INFO, false },
	{ "dump", "print what threads used", dump, &plain_table, DUMP, false },
	{ "ints", "charge interrupts to threads", ints, &plain_table, NONE, false },
	{ "noints", "count interrupts separately", noints, &plain_table, NONE, false },
	{ "top", "show what threads use now", top, &plain_table, TOP, false },
	{ "run", "count what each thread of a command uses", run, &run_table, RUN, true },
};
#define SUBS (sizeof(subs) / sizeof(*subs))

static int dispatch(int argc, char **argv)
{
	struct ptt_options o = { .priv = TRACE_PRIV_ANY };
	const struct ptt_command *sub = NULL;
	struct option_rest rest;

	for (size_t i = 0; i < SUBS; i++)
		if (!strcmp(argv[1], subs[i].name))
			sub = &subs[i];
	if (!sub && argv[1][0] != '-') {
		complain("no sub-command '%s'; see ptt --help", argv[1]);
		return EXIT_PTT;
	}
	if (!strcmp(argv[1], "--complete")) {
		for (size_t i = 0; i < SUBS; i++)
			options_complete_command(stdout, subs[i].name, subs[i].what);
		options_complete_help(stdout);
	}
	if (sub && sub->call == top) {
		o.sort = SORT_METRIC;
		o.by = -1; /* the machine's counter, whichever metric that is */
	}
	if (sub) {
		argc--;
		argv++;
	}
	switch (options_parse(sub ? sub->table : &plain_table, sub ? sub->bit : NONE, &o, argc,
			      argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return 0;
	default:
		return EXIT_PTT;
	}
	o.words = rest.words;
	if (!sub || (o.words[0] && !sub->words))
		return misused();
	return sub->call(&o);
}

int main(int argc, char **argv)
{
	int code = argc < 2 ? misused() : dispatch(argc, argv);

	if (fflush(stdout) || ferror(stdout)) {
		complain("standard output cannot be written: %s", strerror(errno));
		return EXIT_PTT;
	}
	return code;
}
