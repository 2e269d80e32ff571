/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpevt: events listed and counted. The first word names a sub-command, or -l lists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "complain.h"
#include "list.h"
#include "mpevt.h"
#include "next_option.h"
#include "units.h"

static const char usage[] =
	"usage: mpevt -l | -ld [--pmu PMU] [--json | --csv] [WORD]\n"
	"       mpevt run [-e EVENT,...] [-c CPUS] [-o FILE] [--json | --csv] [--] COMMAND [ARG]...\n"
	"       mpevt start [-c CPUS | -p PID | -t TID] EVENT...\n"
	"       mpevt read | stop [--json | --csv]\n\n"
	"  -l, -ld      list events (those with WORD in them); with descriptions\n"
	"  --pmu PMU    those of this PMU: cpu, or kernel, libpfm4\n"
	"  -e EVENT,... count these (default: task-clock, context-switches, cpu-migrations,\n"
	"               page-faults; without what this user may not have)\n"
	"  -c CPUS      on these CPUs (0,2-5, or all), whoever runs there\n"
	"  -p PID       in this process, and in what it creates from now on\n"
	"  -t TID       in this thread\n"
	"  -o FILE      run: write the counts there (default: standard error)\n"
	"  --json, --csv   for programs, for spreadsheets\n"
	"  -h, --help, --version\n\n"
	"start without -c, -p, -t counts on all CPUs, until stop; read tells the counts so far.\n"
	"Counters are never shared or scaled: an event that cannot be had says why.\n\n"
	"Exit code: run: the command's own; read, stop: 1 an event was not counted all the time;\n"
	"125 mpevt failed, 126 the command cannot be executed, 127 it was not found.";

/* ---- what the options say -------------------------------------------------------------------- */

static bool take_cpus(struct mpevt *m, const char *text)
{
	struct cpus online;

	m->on_cpus = true;
	if (!cpus_online("", &online))
		cpus_of("0", &online);
	if (!strcmp(text, "all")) {
		m->cpus = online;
		return true;
	}
	if (!cpus_of(text, &m->cpus))
		return complain("-c: '%s' is no list of CPUs, like 0,2-5 or all", text), false;
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpus_has(&m->cpus, cpu) && !cpus_has(&online, cpu))
			return complain("-c: CPU %u is not online", cpu), false;
	return true;
}

static bool take_id(const char *option, const char *text, long *id)
{
	uint64_t n;

	if (!unit_count(text, &n) || !n || n > 1 << 30)
		return complain("%s: '%s' is no id", option, text), false;
	*id = (long)n;
	return true;
}

/* `allowed`: the letters of the options that this sub-command has. 0, or an exit code + 1. */
static int options(struct mpevt *m, int argc, char **argv, const char *allowed)
{
	static const struct option longs[] = {
		{ "l", no_argument, NULL, 'l' }, { "ld", no_argument, NULL, 'd' },
		{ "pmu", required_argument, NULL, 'P' }, { "e", required_argument, NULL, 'e' },
		{ "c", required_argument, NULL, 'c' }, { "p", required_argument, NULL, 'p' },
		{ "t", required_argument, NULL, 't' }, { "o", required_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' }, { "csv", no_argument, NULL, 's' },
		{ "h", no_argument, NULL, 'h' }, { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' }, { NULL, 0, NULL, 0 }
	};
	int c;

	/* "+": what follows the command's name are its own options. */
	while ((c = next_option(argc, argv, strchr(allowed, '+') ? "+" : "", longs)) != -1) {
		bool ok = true;

		if (c != '?' && c != 'h' && c != 'v' && !strchr(allowed, c)) {
			complain("an option that is not for %s; see mpevt --help",
				 allowed[0] == 'l' ? "lists" : argv[0]);
			return EXIT_MPEVT + 1;
		}
		switch (c) {
		case 'd':
			m->described = true;
			m->list = true;
			break;
		case 'l':
			m->list = true;
			break;
		case 'P':
			m->pmu = optarg;
			break;
		case 'e':
			m->events = optarg;
			break;
		case 'c':
			ok = take_cpus(m, optarg);
			break;
		case 'p':
			ok = take_id("-p", optarg, &m->pid);
			break;
		case 't':
			ok = take_id("-t", optarg, &m->tid);
			break;
		case 'o':
			m->file = optarg;
			break;
		case 'j':
			m->form = FORM_JSON;
			break;
		case 's':
			m->form = FORM_CSV;
			break;
		case 'h':
			puts(usage);
			return 1;
		case 'v':
			printf("mpevt (pitrace) %s\n", PITRACE_VERSION);
			return 1;
		default:
			ok = false;
		}
		if (!ok)
			return EXIT_MPEVT + 1;
	}
	m->words = argv + optind;
	return 0;
}

/* ---- sub-commands ---------------------------------------------------------------------------- */

int cmd_list(const struct mpevt *m)
{
	struct event_list l = {
		.form = m->form == FORM_JSON ? EVENTS_JSON : m->form == FORM_CSV ? EVENTS_CSV :
			m->described ? EVENTS_WORDS : EVENTS_NAMES,
		.word = m->words[0], .pmu = m->pmu,
	};

	event_list_print(&l);
	if (!l.shown && !l.bad)
		complain("no such event");
	else if (l.form == EVENTS_WORDS && event_list_no_hardware())
		puts("Software events are.");
	return !l.shown || l.bad ? EXIT_MPEVT : 0;
}

static int misused(void)
{
	fprintf(stderr, "%s\n", usage);
	return EXIT_MPEVT;
}

static int start(const struct mpevt *m)
{
	if (!m->events && !m->words[0])
		return complain("start: which events? mpevt -l shows them"), EXIT_MPEVT;
	if (m->on_cpus + !!m->pid + !!m->tid > 1)
		return complain("start: one of -c, -p, -t"), EXIT_MPEVT;
	return cmd_start(m);
}

static int dispatch(struct mpevt *m, int argc, char **argv)
{
	bool run = !strcmp(argv[1], "run"), stop = !strcmp(argv[1], "stop");
	int code;

	if (argv[1][0] == '-') {
		code = options(m, argc, argv, "ldPjs");
		if (code)
			return code - 1;
		return m->list && (!m->words[0] || !m->words[1]) ? cmd_list(m) : misused();
	}
	if (!run && !stop && strcmp(argv[1], "start") && strcmp(argv[1], "read"))
		return complain("no sub-command '%s'; see mpevt --help", argv[1]), EXIT_MPEVT;
	code = options(m, argc - 1, argv + 1, run ? "+ecojs" : stop || argv[1][0] == 'r' ? "js" : "ecpt");
	if (code)
		return code - 1;
	if (run)
		return m->words[0] ? cmd_run(m) : misused();
	if (!strcmp(argv[1], "start"))
		return start(m);
	return m->words[0] ? misused() : cmd_ask(m, stop);
}

int main(int argc, char **argv)
{
	struct mpevt m = { .form = FORM_WORDS };
	int code;

	if (argc < 2)
		return misused();
	code = dispatch(&m, argc, argv);
	if (fflush(stdout) || ferror(stdout))
		return complain("standard output cannot be written: %s", strerror(errno)), EXIT_MPEVT;
	return code;
}
