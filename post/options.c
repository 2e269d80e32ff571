/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line, and what of it does not go together. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

static const char usage[] =
"Usage: post [OPTION]... [FILE]\n"
"Report where the time of a trace went (default: swtrace.nrm2): a screenful on\n"
"stdout, all of it in a file.\n"
"\n"
"  -tprof            samples by process, module and symbol: the default (tprof.out)\n"
"  -sched            time of threads and CPUs, latencies, who woke whom (sched.out)\n"
"  -offcpu           why threads were off their CPUs (offcpu.out); with -calltree,\n"
"                    -callers or -folded: where in the code they left them\n"
"  -irq              time in interrupts by source (irq.out)\n"
"  -syscalls         system calls: number, errors, time (syscalls.out)\n"
"  -faults           page faults by thread and symbol (faults.out)\n"
"  -marks            what programs wrote themselves, times of pairs (marks.out)\n"
"  -calltree         who called whom, to calltree.out\n"
"  -callers[=SYMBOL], -callees[=SYMBOL]\n"
"                    each symbol with its callers, what it called, to callers.out\n"
"  -folded           a line a call stack, for flame graphs, on stdout\n"
"  -annotate SYMBOL[@MODULE]\n"
"                    its instructions and source lines with their ticks, on stdout\n"
"  -explain PID:ADDRESS:TIME\n"
"                    all that the address ever meant, who told, and which it was then,\n"
"                    on stdout\n"
"  -show             every record in words, to post.show (with -json: JSON lines)\n"
"\n"
"  -r, -i, -in FILE  the trace\n"
"  -o, -out FILE     where the report goes; - is stdout, and nothing else there\n"
"  -e, -event EVENT  reports of this event, by name or number (default: the first)\n"
"  -json             the reports as one JSON object on stdout\n"
"  -csv              the report as a table on stdout\n"
"  -clip PERCENT     leave out lines below\n"
"  -cpu              add the reports for each CPU\n"
"  -off              add offsets within symbols\n"
"  -pnm, -tnm        count processes, threads of one name together\n"
"  -line             add source lines: file and line of each address\n"
"  -inline           show functions that are inlined in others as functions\n"
"  -debuginfod[=SECONDS]\n"
"                    ask the servers of DEBUGINFOD_URLS for debug files that are not\n"
"                    here, so long for each (30)\n"
"  -kmap FILE        kernel symbols from this copy of /proc/kallsyms\n"
"  -jdir PATH        look for jitdumps, logs, perf maps in these folders first\n"
"  -sympath PATH     look for programs and libraries in these folders first\n"
"  -v, -verbose      more about what could not be named\n"
"  -q, -quiet        only errors\n"
"  -h, -help         this text\n"
"  -V, -version      the version\n"
"\n"
"Options may begin with one or two dashes. Exit code: 0 clean, 1 damaged or\n"
"records lost but read, 2 unreadable or wrong usage.\n";

enum {
	OPT_REPORT = 256,		/* + enum report_id */
	OPT_JSON = OPT_REPORT + REPORTS, OPT_CSV, OPT_CLIP, OPT_CPU, OPT_OFF, OPT_PNM, OPT_TNM,
	OPT_KMAP, OPT_SYMPATH, OPT_JDIR, OPT_CALLERS, OPT_CALLEES, OPT_ANNOTATE,
	OPT_LINE, OPT_INLINE, OPT_DEBUGINFOD, OPT_EXPLAIN,
};

static const struct option long_options[] = {
	{ "in", required_argument, NULL, 'r' },
	{ "out", required_argument, NULL, 'o' },
	{ "tprof", no_argument, NULL, OPT_REPORT + REPORT_TPROF },
	{ "sched", no_argument, NULL, OPT_REPORT + REPORT_SCHED },
	{ "offcpu", no_argument, NULL, OPT_REPORT + REPORT_OFFCPU },
	{ "irq", no_argument, NULL, OPT_REPORT + REPORT_IRQ },
	{ "syscalls", no_argument, NULL, OPT_REPORT + REPORT_SYSCALLS },
	{ "faults", no_argument, NULL, OPT_REPORT + REPORT_FAULTS },
	{ "marks", no_argument, NULL, OPT_REPORT + REPORT_MARKS },
	{ "show", no_argument, NULL, OPT_REPORT + REPORT_SHOW },
	{ "calltree", no_argument, NULL, OPT_REPORT + REPORT_CALLTREE },
	{ "callers", optional_argument, NULL, OPT_CALLERS },
	{ "callees", optional_argument, NULL, OPT_CALLEES },
	{ "folded", no_argument, NULL, OPT_REPORT + REPORT_FOLDED },
	{ "annotate", required_argument, NULL, OPT_ANNOTATE },
	{ "explain", required_argument, NULL, OPT_EXPLAIN },
	{ "event", required_argument, NULL, 'e' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "clip", required_argument, NULL, OPT_CLIP },
	{ "cpu", no_argument, NULL, OPT_CPU },
	{ "off", no_argument, NULL, OPT_OFF },
	{ "pnm", no_argument, NULL, OPT_PNM },
	{ "tnm", no_argument, NULL, OPT_TNM },
	{ "line", no_argument, NULL, OPT_LINE },
	{ "inline", no_argument, NULL, OPT_INLINE },
	{ "debuginfod", optional_argument, NULL, OPT_DEBUGINFOD },
	{ "kmap", required_argument, NULL, OPT_KMAP },
	{ "sympath", required_argument, NULL, OPT_SYMPATH },
	{ "jdir", required_argument, NULL, OPT_JDIR },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

#define STACK_REPORTS \
	(REPORT_BIT(REPORT_CALLTREE) | REPORT_BIT(REPORT_CALLERS) | REPORT_BIT(REPORT_FOLDED))

/* What doesn't go together, in words; NULL: all does. */
static const char *contradiction(const struct options *o)
{
	bool several = o->reports & (o->reports - 1), show = o->reports & REPORT_BIT(REPORT_SHOW);
	bool lines = o->names.by_line || o->names.inlined;

	if (o->csv && (o->json || show))
		return "-csv goes with neither -json nor -show";
	if (show && several)
		return "-show goes with no other report";
	if (o->csv && several)
		return "-csv is of one report at a time";
	if (o->names.annotate && (several || o->per_cpu))
		return "-annotate goes with no other report, nor with -cpu";
	if (lines && o->names.annotate)
		return "-annotate has lines anyway: it goes with neither -line nor -inline";
	if (lines && show)
		return "-show resolves nothing: it goes with neither -line nor -inline";
	if (o->reports & REPORT_BIT(REPORT_EXPLAIN) && (several || lines || o->per_cpu))
		return "-explain goes with no other report, nor with -line, -inline, -cpu";
	if (o->reports & STACK_REPORTS && several)
		return "one report of call stacks at a time, and no other with it";
	if (o->reports & STACK_REPORTS && o->per_cpu)
		return "-cpu goes with no report of call stacks";
	if (o->reports & REPORT_BIT(REPORT_FOLDED) && (o->json || o->csv))
		return "-folded has no other form: -calltree has";
	if (o->calls == (CALLS_CALLERS | CALLS_CALLEES) && o->csv)
		return "-csv: either -callers or -callees";
	return NULL;
}

/* A number of this base up to a character, which is passed. No sign, no blank before it. */
static bool number_to(const char **text, int base, char end, uint64_t *value)
{
	char *stop;

	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(*text, &stop, base);
	if (errno || *stop != end)
		return false;
	*text = stop + (end != '\0');
	return true;
}

/* PID:ADDRESS:TIME, as -show has them: 4242:0x7f0012340010:25758.5 */
static bool parse_explain(const char *text, struct explain_wanted *w)
{
	uint64_t pid, seconds, unit = 100000000;

	if (!number_to(&text, 10, ':', &pid) || pid > INT32_MAX ||
	    !number_to(&text, 16, ':', &w->address))
		return false;
	if (!number_to(&text, 10, strchr(text, '.') ? '.' : '\0', &seconds) ||
	    seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	for (w->time = seconds * 1000000000; *text; text++, unit /= 10) {
		if (*text < '0' || *text > '9' || !unit)
			return false;
		w->time += (uint64_t)(*text - '0') * unit;
	}
	w->pid = (uint32_t)pid;
	w->wanted = true;
	return true;
}

int parse_options(struct options *o, int argc, char **argv)
{
	const char *wrong;
	int c;

	*o = (struct options){ 0 };
	while ((c = getopt_long_only(argc, argv, "r:i:o:e:vqhV", long_options, NULL)) != -1) {
		switch (c) {
		case 'r':
		case 'i':
			o->input = optarg;
			break;
		case 'o':
			o->output = optarg;
			break;
		case 'e':
			o->event = optarg;
			break;
		case OPT_CALLERS:
		case OPT_CALLEES:
			o->reports |= REPORT_BIT(REPORT_CALLERS);
			o->calls |= c == OPT_CALLERS ? CALLS_CALLERS : CALLS_CALLEES;
			if (optarg)
				o->symbol = optarg;
			break;
		case OPT_ANNOTATE:
			o->reports |= REPORT_BIT(REPORT_ANNOTATE);
			o->names.annotate = optarg;
			break;
		case OPT_EXPLAIN:
			o->reports |= REPORT_BIT(REPORT_EXPLAIN);
			if (parse_explain(optarg, &o->names.explain))
				break;
			fprintf(stderr, "post: -explain: %s is no PID:ADDRESS:TIME: the address in hexadecimal, the time in seconds, as -show has them: 4242:0x7f0012340010:25758.5\n",
				optarg);
			return EXIT_UNREADABLE;
		case OPT_JSON:
			o->json = true;
			break;
		case OPT_CSV:
			o->csv = true;
			break;
		case OPT_CLIP:
			if (unit_percent(optarg, &o->clip))
				break;
			fprintf(stderr, "post: -clip: %s is no percentage from 0 to 100\n", optarg);
			return EXIT_UNREADABLE;
		case OPT_CPU:
			o->per_cpu = true;
			break;
		case OPT_OFF:
			o->offsets = true;
			break;
		case OPT_PNM:
			o->names.by_process_name = true;
			break;
		case OPT_TNM:
			o->names.by_thread_name = true;
			break;
		case OPT_LINE:
			o->names.by_line = true;
			break;
		case OPT_INLINE:
			o->names.inlined = true;
			break;
		case OPT_DEBUGINFOD:
			o->names.debuginfod = optarg ? (uint32_t)strtoul(optarg, NULL, 10) : 30;
			if (o->names.debuginfod && o->names.debuginfod <= 3600)
				break;
			fprintf(stderr, "post: -debuginfod: %s are no seconds from 1 to 3600\n", optarg);
			return EXIT_UNREADABLE;
		case OPT_KMAP:
			o->kernel_map = optarg;
			break;
		case OPT_JDIR:
			o->names.jitdumps = optarg;
			break;
		case OPT_SYMPATH:
			o->names.sympath = optarg;
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'q':
			o->quiet = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_CLEAN;
		case 'V':
			printf("post (pitrace) %s\n", PITRACE_VERSION);
			return EXIT_CLEAN;
		default:
			if (c >= OPT_REPORT && c < OPT_REPORT + REPORTS) {
				o->reports |= REPORT_BIT(c - OPT_REPORT);
				break;
			}
			fputs("Try: post -help\n", stderr);
			return EXIT_UNREADABLE;
		}
	}
	if (optind < argc && !o->input)
		o->input = argv[optind++];
	if (optind < argc) {
		fprintf(stderr, "post: one trace at a time: what is %s?\n", argv[optind]);
		return EXIT_UNREADABLE;
	}
	if (!o->reports)
		o->reports = REPORT_BIT(REPORT_TPROF);
	/* Together with a report of call stacks it says of what that is. */
	if (o->reports & REPORT_BIT(REPORT_OFFCPU) && o->reports & STACK_REPORTS) {
		o->reports &= ~REPORT_BIT(REPORT_OFFCPU);
		o->away = true;
	}
	wrong = contradiction(o);
	if (wrong) {
		fprintf(stderr, "post: %s\n", wrong);
		return EXIT_UNREADABLE;
	}
	if (!o->input) {
		o->input = "swtrace.nrm2";
		o->default_input = true;
	}
	return -1;
}
