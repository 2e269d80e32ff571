// SPDX-License-Identifier: GPL-3.0-or-later
/* ptt: what each thread really used. The first word names a sub-command. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "complain.h"
#include "next_option.h"
#include "tool.h"
#include "units.h"

static const char usage[] =
	"usage: ptt init [METRIC]... [priv_kernel | priv_user | priv_any] [-p PID,...] [-n THREADS]\n"
	"                [--ints | --noints]\n"
	"       ptt term | info [--json] | ints | noints\n"
	"       ptt dump [-pl PID|NAME,...] [-s SECONDS] [-r N] [-sp | -st | -sd | -si | -sm N] [-cpi]\n"
	"                [--cpus] [-o FILE] [--json | --csv]\n"
	"       ptt top [-d SECONDS] [-r N] [-pl PID|NAME,...] [-sp | -st | -sd | -si | -sm N]\n"
	"               [-m METRIC,...] [-u | -k] [-p PID,...] [-n THREADS]\n"
	"       ptt run [-m METRIC,...] [-u | -k] [-n THREADS] [--ints | --noints] [-cpi]\n"
	"               [--cpus] [-o FILE] [--json | --csv] [--] COMMAND [ARG]...\n\n"
	"init begins to count what each thread uses, of all or of some processes; dump shows it, top\n"
	"what is used at the moment; ints, noints change the charge; term ends it. run is for a command.\n\n"
	"  -m METRIC,...  what is counted, at most eight: tsc (the default: the machine's counter), or\n"
	"               events, as mpevt -l lists them\n"
	"  -u, -k       of events those of user code only, of the kernel only\n"
	"  -p PID,...   these processes, and what they create\n"
	"  -n THREADS   have room for so many at a time (1024, or twice as many as there are)\n"
	"  --noints     interrupts are in a part of their own (the default)\n"
	"  --ints       they are charged to whom they interrupt\n"
	"  -pl PID|NAME,...   show these processes\n"
	"  -s SECONDS   what comes in each such interval, not all since the begin\n"
	"  -r N         so many intervals (until Ctrl-C)\n"
	"  -d SECONDS   a new picture so often (2)\n"
	"  -sp, -st     in the order of processes (dump's default), of threads\n"
	"  -sd, -si     those with most dispatches first, with most interrupts\n"
	"  -sm N        those with most of the Nth metric\n"
	"  -cpi         also cycles per instruction\n"
	"  --cpus       also what else the CPUs did: all of their time\n"
	"  -o FILE      write it there (default: run: standard error)\n"
	"  --json, --csv   for programs, for spreadsheets\n"
	"  -h, --help, --version\n\n"
	"It needs the pitrace module. Exit code: run: the command's own; 1 a CPU's parts do not add up;\n"
	"125 ptt failed, 126 the command cannot be executed, 127 it was not found.";

/* ---- what the options say -------------------------------------------------------------------- */

enum { METRICS, USER, KERNEL, THREADS, INTS, NOINTS, CPUS, OUTPUT, JSON, CSV, PIDS, CHOSEN, SECONDS,
       REPEAT, DELAY, BY_PROCESS, BY_THREAD, BY_DISPATCHES, BY_INTERRUPTS, BY_METRIC, CPI, LETTERS,
       HELP = LETTERS, VERSION };

static const struct option longs[] = {
	{ "m", required_argument, NULL, METRICS }, { "u", no_argument, NULL, USER },
	{ "k", no_argument, NULL, KERNEL }, { "n", required_argument, NULL, THREADS },
	{ "ints", no_argument, NULL, INTS }, { "noints", no_argument, NULL, NOINTS },
	{ "cpus", no_argument, NULL, CPUS }, { "o", required_argument, NULL, OUTPUT },
	{ "json", no_argument, NULL, JSON }, { "csv", no_argument, NULL, CSV },
	{ "p", required_argument, NULL, PIDS }, { "pl", required_argument, NULL, CHOSEN },
	{ "s", required_argument, NULL, SECONDS }, { "r", required_argument, NULL, REPEAT },
	{ "d", required_argument, NULL, DELAY }, { "sp", no_argument, NULL, BY_PROCESS },
	{ "st", no_argument, NULL, BY_THREAD }, { "sd", no_argument, NULL, BY_DISPATCHES },
	{ "si", no_argument, NULL, BY_INTERRUPTS }, { "sm", required_argument, NULL, BY_METRIC },
	{ "cpi", no_argument, NULL, CPI }, { "h", no_argument, NULL, HELP },
	{ "help", no_argument, NULL, HELP }, { "version", no_argument, NULL, VERSION },
	{ NULL, 0, NULL, 0 }
};

static bool take_metrics(struct options *o, const char *what, char *list)
{
	/* Commas within slashes are a PMU's: pmu/term=1,term=2/. */
	for (bool within = false; *list; list++) {
		if (o->metrics == PTT_METRICS)
			return complain("%s: at most %d metrics at a time", what, PTT_METRICS), false;
		o->metric[o->metrics++] = list;
		for (; *list && (*list != ',' || within); list++)
			within ^= *list == '/';
		if (!*list)
			break;
		*list = '\0';
	}
	return o->metrics ? true : (complain("%s: which metrics?", what), false);
}

static bool take_threads(struct options *o, const char *text)
{
	uint64_t n;

	if (!unit_count(text, &n) || !n || n > PITRACE_PTT_SLOTS)
		return complain("-n: '%s' is not 1 to %d threads", text, PITRACE_PTT_SLOTS), false;
	o->threads = (int)n;
	return true;
}

static bool take_pids(struct options *o, char *list)
{
	char *word;

	while ((word = strsep(&list, ","))) {
		uint64_t n;

		if (!unit_count(word, &n) || !n || n > 1 << 30)
			return complain("-p: '%s' is no process", word), false;
		if (o->pids == PTTVIEW_HELD_PIDS)
			return complain("-p: at most %d processes", PTTVIEW_HELD_PIDS), false;
		o->pid[o->pids++] = (int)n;
	}
	return true;
}

static bool take_priv(struct options *o, int priv)
{
	if (o->priv != TRACE_PRIV_ANY)
		return complain("one of -u, -k"), false;
	o->priv = priv;
	return true;
}

static bool take_time(const char *option, const char *text, uint64_t *ns)
{
	if (unit_time(text, ns) && *ns >= 1000000 && *ns <= 86400000000000)
		return true;
	return complain("%s: '%s' is no time from 1ms to a day", option, text), false;
}

static bool take_number(const char *option, const char *text, uint64_t most, uint64_t *n)
{
	if (unit_count(text, n) && *n && *n <= most)
		return true;
	return complain("%s: '%s' is not 1 to %" PRIu64, option, text, most), false;
}

static bool take_one(struct options *o, int which)
{
	uint64_t n;

	switch (which) {
	case METRICS:
		return take_metrics(o, "-m", optarg);
	case USER:
		return take_priv(o, TRACE_PRIV_USER);
	case KERNEL:
		return take_priv(o, TRACE_PRIV_KERNEL);
	case THREADS:
		return take_threads(o, optarg);
	case INTS:
	case NOINTS:
		o->charged = which == INTS;
		break;
	case CPUS:
		o->cpus = true;
		break;
	case OUTPUT:
		o->file = optarg;
		break;
	case JSON:
		o->form = FORM_JSON;
		break;
	case CSV:
		o->form = FORM_CSV;
		break;
	case PIDS:
		return take_pids(o, optarg);
	case CHOSEN:
		o->chosen = optarg;
		break;
	case SECONDS:
		return take_time("-s", optarg, &o->interval);
	case DELAY:
		return take_time("-d", optarg, &o->interval);
	case REPEAT:
		return take_number("-r", optarg, UINT32_MAX, &o->repeat);
	case BY_METRIC:
		if (!take_number("-sm", optarg, PTT_METRICS, &n))
			return false;
		o->by = (int)n - 1;
		/* fall through */
	case BY_PROCESS:
	case BY_THREAD:
	case BY_DISPATCHES:
	case BY_INTERRUPTS:
		o->sort = SORT_PROCESS + which - BY_PROCESS;
		break;
	case CPI:
		o->cpi = true;
		break;
	}
	return true;
}

/* ---- sub-commands ---------------------------------------------------------------------------- */

static int misused(void)
{
	fprintf(stderr, "%s\n", usage);
	return EXIT_PTT;
}

static int init(struct options *o)
{
	static const struct {
		const char *word;
		int priv;
	} privs[] = {
		{ "priv_any", TRACE_PRIV_ANY }, { "priv_user", TRACE_PRIV_USER },
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

static int run(struct options *o)
{
	return o->words[0] ? cmd_run(o) : misused();
}

static int term(struct options *o)
{
	return cmd_term(o);
}

static int info(struct options *o)
{
	return cmd_info(o);
}

static int ints(struct options *o)
{
	(void)o;
	return cmd_charge(true);
}

static int noints(struct options *o)
{
	(void)o;
	return cmd_charge(false);
}

static int dump(struct options *o)
{
	return cmd_dump(o);
}

static int top(struct options *o)
{
	return cmd_top(o);
}

#define BIT(which)	(1u << (which))
#define SORTS		(BIT(BY_PROCESS) | BIT(BY_THREAD) | BIT(BY_DISPATCHES) | \
			 BIT(BY_INTERRUPTS) | BIT(BY_METRIC))
static const struct sub {
	const char *name;
	int (*call)(struct options *o);
	unsigned int options;
	bool words;			/* may stand there */
} subs[] = {
	{ "init", init, BIT(PIDS) | BIT(THREADS) | BIT(INTS) | BIT(NOINTS), true },
	{ "term", term, 0, false },
	{ "info", info, BIT(JSON), false },
	{ "dump", dump, SORTS | BIT(CHOSEN) | BIT(SECONDS) | BIT(REPEAT) | BIT(CPI) | BIT(CPUS) |
	  BIT(OUTPUT) | BIT(JSON) | BIT(CSV), false },
	{ "ints", ints, 0, false },
	{ "noints", noints, 0, false },
	{ "top", top, SORTS | BIT(DELAY) | BIT(REPEAT) | BIT(CHOSEN) | BIT(METRICS) | BIT(USER) |
	  BIT(KERNEL) | BIT(PIDS) | BIT(THREADS), false },
	{ "run", run, BIT(METRICS) | BIT(USER) | BIT(KERNEL) | BIT(THREADS) | BIT(INTS) |
	  BIT(NOINTS) | BIT(CPI) | BIT(CPUS) | BIT(OUTPUT) | BIT(JSON) | BIT(CSV), true },
};

/* Those of a sub-command, NULL: of none. 0, or an exit code + 1. */
static int take(struct options *o, int argc, char **argv, const struct sub *sub)
{
	/* "+": what follows a command's name are its own options. */
	const char *shorts = sub && sub->call == run ? "+" : "";
	int c;

	while ((c = next_option(argc, argv, shorts, longs)) != -1) {
		switch (c) {
		case HELP:
			puts(usage);
			return 1;
		case VERSION:
			printf("ptt (pitrace) %s\n", PITRACE_VERSION);
			return 1;
		case '?':
			return EXIT_PTT + 1;
		}
		if (!sub || !(sub->options & BIT(c))) {
			complain("an option that is not for %s; see ptt --help", sub ? sub->name : "ptt");
			return EXIT_PTT + 1;
		}
		if (!take_one(o, c))
			return EXIT_PTT + 1;
	}
	o->words = argv + optind;
	return 0;
}

static int dispatch(int argc, char **argv)
{
	struct options o = { .priv = TRACE_PRIV_ANY };
	const struct sub *sub = NULL;
	int code;

	for (size_t i = 0; i < sizeof(subs) / sizeof(*subs); i++)
		if (!strcmp(argv[1], subs[i].name))
			sub = &subs[i];
	if (!sub && argv[1][0] != '-')
		return complain("no sub-command '%s'; see ptt --help", argv[1]), EXIT_PTT;
	if (sub && sub->call == top) {
		o.sort = SORT_METRIC;
		o.by = -1;		/* the machine's counter, whichever metric that is */
	}
	argv[!!sub] = program_invocation_short_name;
	code = take(&o, argc - !!sub, argv + !!sub, sub);
	if (code)
		return code - 1;
	if (!sub || (o.words[0] && !sub->words))
		return misused();
	return sub->call(&o);
}

int main(int argc, char **argv)
{
	int code = argc < 2 ? misused() : dispatch(argc, argv);

	if (fflush(stdout) || ferror(stdout))
		return complain("standard output cannot be written: %s", strerror(errno)), EXIT_PTT;
	return code;
}
