/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace run: what it shall do, and its exit code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "next_option.h"
#include "run.h"
#include "units.h"

const char cmd_run_options[] =
	"  -M MAJOR[,MAJOR]...   what to record: names or numbers, see swtrace maj (tprof)\n"
	"  -F RATE      ticks a second, 1 to 20000 (997)\n"
	"  -o FILE      trace file (swtrace.nrm2); an older one becomes FILE.old\n"
	"  -a           the whole system, while the command runs\n"
	"  -p PID       this process and its children\n"
	"  -d SECONDS   stop after so long (5, 500ms, 2m)\n"
	"  -t MODE      cont: write while tracing (default); norm: stop when a buffer fills;\n"
	"               wrap: keep the newest and write that at TraceOff, SIGUSR2, a crash, the end\n"
	"  --no-crash   wrap: a crash of one of the command's processes is not the end\n"
	"  --rotate-size MB, --rotate-time TIME, --rotate-keep N\n"
	"               cont: begin a new file by size or time; older ones are FILE.1, FILE.2 ...\n"
	"  -s MB, -sm MB, -ss KB   trace buffer (4) and MTE buffer (2) of each CPU, section (64)\n"
	"  -g[=HOW]     call stacks too: fp (default), dwarf[,BYTES], kernel, user, switches\n"
	"  --stack-depth N   at most so many addresses of the kernel, and of user code (127)\n"
	"  -e EVENT[,EVENT]   sample by these events (swtrace event list shows them), or by the\n"
	"               timer; default: cycles where they are counted, else the timer\n"
	"  -c COUNT     a sample each so many events (default: -F samples a second)\n"
	"  --jit        Java, node and Python tell of the code that they make while they run\n"
	"  --itrace     every taken branch: what was executed, instruction by instruction\n"
	"  -n COUNT     --itrace: no more instructions of each thread (10M; all: no limit)\n"
	"  --from PLACE, --until PLACE   --itrace: begin, stop where this is reached: a symbol\n"
	"               or address of the program, or FILE:PLACE of another file\n"
	"  --skip COUNT --itrace: these instructions of each thread are not recorded\n"
	"  --kernel     --itrace: the kernel's side of system calls too; --kernel-only: it alone\n"
	"  --ls         --itrace: the addresses that are read and written, where it can (ppc64le)\n"
	"  --lossy      --itrace: drop records, counted, when the file is behind; never wait\n"
	"  --no-threads --itrace: not the threads that traced ones begin\n"
	"  --no-children, --no-follow   --itrace: not the processes that they begin\n"
	"  --steps      --itrace: a record of each instruction\n"
	"  -B COLLECTOR take this one: driver, perf, timer or ptrace (default: the first that\n"
	"               works)\n"
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

static bool seed_of(const char *text, uint64_t *seed)
{
	char *end;

	errno = 0;
	*seed = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno || !*seed)
		return fail("--seed: '%s' is not a number from 1 to 2^64 - 1", text), false;
	return true;
}

/* tprof is what is recorded if nothing is said. */
static bool samples(const uint64_t majors[PITRACE_MAJORS / 64])
{
	uint64_t any = 0;

	for (unsigned int i = 0; i < PITRACE_MAJORS / 64; i++)
		any |= majors[i];
	return !any || majors[PITRACE_TPROF / 64] >> (PITRACE_TPROF % 64) & 1;
}

static bool options(struct run *r, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "M", required_argument, NULL, 'M' },
		{ "F", required_argument, NULL, 'F' }, { "o", required_argument, NULL, 'o' },
		{ "a", no_argument, NULL, 'a' }, { "p", required_argument, NULL, 'p' },
		{ "d", required_argument, NULL, 'd' }, { "t", required_argument, NULL, 't' },
		{ "s", required_argument, NULL, 's' }, { "sm", required_argument, NULL, 'm' },
		{ "ss", required_argument, NULL, 'S' }, { "z", no_argument, NULL, 'z' },
		{ "q", no_argument, NULL, 'q' }, { "no-dither", no_argument, NULL, 'D' },
		{ "g", optional_argument, NULL, 'g' },
		{ "stack-depth", required_argument, NULL, 'G' },
		{ "seed", required_argument, NULL, 'E' }, { "clock", required_argument, NULL, 'C' },
		{ "no-crash", no_argument, NULL, 'K' },
		{ "rotate-size", required_argument, NULL, 'R' },
		{ "rotate-time", required_argument, NULL, 'T' },
		{ "rotate-keep", required_argument, NULL, 'N' },
		{ "jit", no_argument, NULL, 'J' },
		{ "itrace", no_argument, NULL, 'I' }, { "n", required_argument, NULL, 'n' },
		{ "from", required_argument, NULL, 'f' }, { "until", required_argument, NULL, 'u' },
		{ "skip", required_argument, NULL, 'P' }, { "kernel", no_argument, NULL, 'k' },
		{ "kernel-only", no_argument, NULL, 'O' },
		{ "ls", no_argument, NULL, 'y' },
		{ "lossy", no_argument, NULL, 'l' }, { "no-follow", no_argument, NULL, 'L' },
		{ "no-children", no_argument, NULL, 'L' }, { "no-threads", no_argument, NULL, 'j' },
		{ "steps", no_argument, NULL, 'x' },
		{ "e", required_argument, NULL, 'e' }, { "c", required_argument, NULL, 'c' },
		{ "B", required_argument, NULL, 'B' },
		{ NULL, 0, NULL, 0 }
	};
	const char *events = NULL;
	bool timer = false;		/* by what is its alone */
	uint64_t count = 0;
	long n;
	int c;

	optind = 1;
	/* "+": what follows the command's name are its own options. */
	while ((c = next_option(argc, argv, "+", longs)) != -1) {
		bool ok = true;

		switch (c) {
		case 'M':
			ok = majors_of(optarg, r->t.majors);
			break;
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
		case 'g':
			ok = stacks_of(optarg, &r->t.stacks, &r->t.copy);
			break;
		case 'G':
			ok = number("--stack-depth", optarg, 1, PITRACE_STACK_MAX, &n);
			r->t.depth = (uint32_t)n;
			break;
		case 'e':
			events = optarg;
			break;
		case 'c':
			ok = unit_count(optarg, &count) && count;
			if (!ok)
				fail("-c: '%s' is no number of events", optarg);
			break;
		case 'B':
			r->t.collector = optarg;
			break;
		case 'z':
			r->t.compression = 1;
			break;
		case 'q':
			r->quiet = true;
			break;
		case 'D':
			r->t.dither = 0;
			timer = true;
			break;
		case 'E':
			ok = seed_of(optarg, &r->t.seed);
			timer = true;
			break;
		case 'K':
			r->no_crash = true;
			break;
		case 'I':
			run_itrace(r);
			break;
		case 'n':
			ok = run_itrace_count("-n", optarg, &r->itrace.limit);
			break;
		case 'P':
			ok = run_itrace_count("--skip", optarg, &r->itrace.skip);
			break;
		case 'f':
			r->from = optarg;
			break;
		case 'u':
			r->until = optarg;
			break;
		case 'k':
			r->kernel = true;
			break;
		case 'O':
			r->kernel_only = true;
			break;
		case 'y':
			r->accesses = true;
			break;
		case 'l':
			r->itrace.flags |= PITRACE_ITRACE_LOSSY;
			break;
		case 'L':
			r->no_follow = true;
			break;
		case 'j':
			r->no_threads = true;
			break;
		case 'x':
			r->itrace.flags |= PITRACE_ITRACE_STEPS;
			break;
		case 'J':
			r->jit = true;
			break;
		case 'R':
			ok = size_of("--rotate-size", optarg, 1 << 20, &r->t.rotate_bytes);
			break;
		case 'T':
			ok = rotate_time(optarg, &r->t.rotate_ns);
			break;
		case 'N':
			ok = number("--rotate-keep", optarg, 1, 1000000, &n);
			r->t.rotate_keep = (uint32_t)n;
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
	if (events && !strcmp(events, "timer")) {
		events = NULL;
		timer = true;
	}
	if (count && !events)
		return fail("-c counts the events of -e"), false;
	if (events && !run_events(r, events, count))
		return false;
	if (r->t.itrace && !run_itrace_majors(r))
		return false;
	r->t.prefer_cycles = !events && !timer && samples(r->t.majors);
	if (optind < argc)
		r->command = argv + optind;
	if (!run_itrace_agrees(r))
		return false;
	r->t.stop_on_crash = r->t.mode == TRACE_WRAP && !r->no_crash;
	if (!rotation_of(&r->t))
		return false;
	if (r->all && r->t.pid)
		return fail("-a and -p exclude each other"), false;
	if (r->t.depth && !(r->t.stacks & (PITRACE_WANT_KERNEL | PITRACE_WANT_USER)))
		return fail("--stack-depth goes with -g"), false;
	if (r->t.pid && r->command)
		return fail("-p traces a process that runs; it takes no command"), false;
	if (!r->command && !r->all && !r->t.pid) {
		fail("what shall be traced? give a command, -p PID or -a");
		r->misused = true;
	}
	return !r->misused;
}

int cmd_run(int argc, char **argv)
{
	struct run r;
	int code;

	run_defaults(&r);
	if (!options(&r, argc, argv))
		return r.misused ? USAGE : EXIT_SWTRACE;
	code = run_go(&r);
	return code ? code : run_code(&r);
}
