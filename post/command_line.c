/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line, and what of it does not go together. */
#include "command_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complain.h"
#include "export/writer.h"
#include "input/readers.h"
#include "next_option.h"
#include "record/tracepoints.h"
#include "units.h"

static const char usage[] =
"Usage: post [OPTION]... [FILE]...\n"
"Report where the time of a trace went (default: swtrace.nrm2): a screenful on\n"
"stdout, all of it in a file. Several traces are read as one, with what tells their\n"
"names apart before the names of their processes.\n"
"\n"
"  -tprof            samples by process, module and symbol: the default (tprof.out)\n"
"  -sched            time of threads and CPUs, latencies, who woke whom (sched.out)\n"
"  -offcpu           why threads were off their CPUs (offcpu.out); with -calltree,\n"
"                    -callers or -folded: where in the code they left them\n"
"  -irq              time in interrupts by source (irq.out)\n"
"  -syscalls         system calls: number, errors, time (syscalls.out)\n"
"  -faults           page faults by thread and symbol (faults.out)\n"
"  -marks            what programs wrote themselves, times of pairs (marks.out)\n"
"  -arc              every run of instructions that was traced, a line each (arc.out;\n"
"                    with -json, as -flow, -disasm and -verify: JSON lines)\n"
"  -c, -ck, -cp      of it: a line a function, one for the kernel, none for the plt\n"
"  -flow             the calls among them, nested (flow.out)\n"
"  -functions        calls of each function and their times, of XRay logs\n"
"                    (functions.out)\n"
"  -disasm           every instruction that was executed (disasm.out)\n"
"  -verify           whether the runs make sense, by libopcodes, on stdout\n"
"  -tree             their number by who called whom (calltree.out); with -callers,\n"
"                    -callees or -folded: these, of instructions\n"
"  -calltree         who called whom, to calltree.out\n"
"  -callers[=SYMBOL], -callees[=SYMBOL]\n"
"                    each symbol with its callers, what it called, to callers.out\n"
"  -folded           a line a call stack, for flame graphs, on stdout\n"
"  -annotate SYMBOL[@MODULE]\n"
"                    its instructions and source lines with their ticks, on stdout\n"
"  -explain PID:ADDRESS:TIME\n"
"                    all that the address ever meant, who told, and which it was then,\n"
"                    on stdout\n"
"  -info             what the file says of itself, on stdout\n"
"  -stats            how many records of each kind it has, on stdout\n"
"  -validate         each fault of the file with its place, on stdout\n"
"  -show             every record in words, to post.show (with -json: JSON lines)\n"
"  -format FORMAT    no report: the trace in another format, to -o FILE or a file of the\n"
"                    format's name; -format list: which there are\n"
"\n"
"  -r, -i, -in FILE  the trace: swtrace's, perf.data or its folder; - is stdin\n"
"  -o, -out FILE     where the report goes; - is stdout, and nothing else there\n"
"  -e, -event EVENT  reports of this event, by name or number (default: the first)\n"
"  -pid, -tid, -cpus LIST\n"
"                    only what is of these processes, threads, CPUs: 4242,5000-5010\n"
"  -comm LIST        … of threads with these names; * and ? stand for others\n"
"  -symbol LIST      … samples in these symbols\n"
"  -time FROM-TO     … of this stretch, in seconds, as -show has them; one may be missing\n"
"  -json             the reports as one JSON object on stdout\n"
"  -csv              the report as a table on stdout\n"
"  -clip PERCENT     leave out lines below\n"
"  -cpu              add the reports for each CPU\n"
"  -off              add offsets within symbols\n"
"  -nsf              add offsets within modules where no symbol was found\n"
"  -pnm, -tnm        count processes, threads of one name together\n"
"  -line             add source lines: file and line of each address\n"
"  -inline           show functions that are inlined in others as functions\n"
"  -debuginfod[=SECONDS]\n"
"                    ask the servers of DEBUGINFOD_URLS for debug files that are not\n"
"                    here, so long for each (30)\n"
"  -program FILE     the program that an XRay log is of: its functions' names\n"
"  -k FILE           kernel symbols from this vmlinux, moved to where the kernel ran\n"
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
	OPT_K, OPT_KMAP, OPT_NSF, OPT_PROGRAM, OPT_SYMPATH, OPT_JDIR, OPT_CALLERS, OPT_CALLEES,
	OPT_ANNOTATE,
	OPT_LINE, OPT_INLINE, OPT_DEBUGINFOD, OPT_EXPLAIN,
	OPT_TREE, OPT_C, OPT_CK, OPT_CP,
	OPT_FORMAT, OPT_PID, OPT_TID, OPT_COMM, OPT_CPUS, OPT_TIME, OPT_SYMBOL,
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
	{ "info", no_argument, NULL, OPT_REPORT + REPORT_INFO },
	{ "stats", no_argument, NULL, OPT_REPORT + REPORT_STATS },
	{ "validate", no_argument, NULL, OPT_REPORT + REPORT_VALIDATE },
	{ "show", no_argument, NULL, OPT_REPORT + REPORT_SHOW },
	{ "arc", no_argument, NULL, OPT_REPORT + REPORT_ARC },
	{ "c", no_argument, NULL, OPT_C },
	{ "ck", no_argument, NULL, OPT_CK },
	{ "cp", no_argument, NULL, OPT_CP },
	{ "flow", no_argument, NULL, OPT_REPORT + REPORT_FLOW },
	{ "functions", no_argument, NULL, OPT_REPORT + REPORT_FUNCTIONS },
	{ "disasm", no_argument, NULL, OPT_REPORT + REPORT_INSTRUCTIONS },
	{ "verify", no_argument, NULL, OPT_REPORT + REPORT_VERIFY },
	{ "tree", no_argument, NULL, OPT_TREE },
	{ "calltree", no_argument, NULL, OPT_REPORT + REPORT_CALLTREE },
	{ "callers", optional_argument, NULL, OPT_CALLERS },
	{ "callees", optional_argument, NULL, OPT_CALLEES },
	{ "folded", no_argument, NULL, OPT_REPORT + REPORT_FOLDED },
	{ "annotate", required_argument, NULL, OPT_ANNOTATE },
	{ "explain", required_argument, NULL, OPT_EXPLAIN },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "pid", required_argument, NULL, OPT_PID },
	{ "tid", required_argument, NULL, OPT_TID },
	{ "comm", required_argument, NULL, OPT_COMM },
	{ "cpus", required_argument, NULL, OPT_CPUS },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "symbol", required_argument, NULL, OPT_SYMBOL },
	{ "event", required_argument, NULL, 'e' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "clip", required_argument, NULL, OPT_CLIP },
	{ "cpu", no_argument, NULL, OPT_CPU },
	{ "off", no_argument, NULL, OPT_OFF },
	{ "nsf", no_argument, NULL, OPT_NSF },
	{ "pnm", no_argument, NULL, OPT_PNM },
	{ "tnm", no_argument, NULL, OPT_TNM },
	{ "line", no_argument, NULL, OPT_LINE },
	{ "inline", no_argument, NULL, OPT_INLINE },
	{ "debuginfod", optional_argument, NULL, OPT_DEBUGINFOD },
	{ "k", required_argument, NULL, OPT_K },
	{ "kmap", required_argument, NULL, OPT_KMAP },
	{ "program", required_argument, NULL, OPT_PROGRAM },
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

/* Of samples; with -tree and -offcpu those of call stacks are not. */
#define SAMPLE_REPORTS \
	(STACK_REPORTS | REPORT_BIT(REPORT_TPROF) | REPORT_BIT(REPORT_ANNOTATE) | \
	 REPORT_BIT(REPORT_CONVERT))

#define CODE_REPORTS (REPORT_BIT(REPORT_INSTRUCTIONS) | REPORT_BIT(REPORT_VERIFY))
#define FILE_REPORTS \
	(REPORT_BIT(REPORT_STATS) | REPORT_BIT(REPORT_INFO) | REPORT_BIT(REPORT_VALIDATE))
/* They tell of records as they stand in a file. */
#define ONE_REPORTS \
	(REPORT_BIT(REPORT_SHOW) | REPORT_BIT(REPORT_STATS) | REPORT_BIT(REPORT_VERIFY) | \
	 REPORT_BIT(REPORT_EXPLAIN))
#define RUN_REPORTS (REPORT_BIT(REPORT_ARC) | REPORT_BIT(REPORT_FLOW) | CODE_REPORTS)

/* The same of instruction traces. */
static const char *run_contradiction(const struct options *o, bool several)
{
	bool runs = o->reports & RUN_REPORTS, arc = o->reports & REPORT_BIT(REPORT_ARC);

	if (runs && (several || o->per_cpu))
		return "a report of runs of instructions goes with no other, nor with -cpu";
	if ((o->by_function || o->kernel_once) && !arc)
		return "-c and -ck are of -arc";
	if (o->plt_once && (!runs || o->reports & CODE_REPORTS))
		return "-cp is of -arc and -flow";
	if (o->names.inlined && runs)
		return "-inline goes with no report of runs: -tree knows what is inlined";
	if (o->names.by_line && runs && !arc)
		return "of the reports of runs -arc alone has source lines";
	if (o->reports & REPORT_BIT(REPORT_FUNCTIONS) && (several || o->per_cpu))
		return "-functions goes with no other report, nor with -cpu";
	if (o->instructions && (o->away || o->reports & ~STACK_REPORTS))
		return "-tree goes with no report but those of call stacks";
	return NULL;
}

/* What doesn't go together, in words; NULL: all does. */
static const char *contradiction(const struct options *o)
{
	bool several = o->reports & (o->reports - 1), show = o->reports & REPORT_BIT(REPORT_SHOW);
	bool lines = o->names.by_line || o->names.inlined;

	if (o->convert && (several || o->json || o->csv || o->per_cpu || o->offsets))
		return "-format goes with no report, nor with -json, -csv, -cpu, -off, -nsf";
	if (o->more && o->reports & ONE_REPORTS)
		return "-show, -stats, -verify and -explain are of one trace";
	if (o->filter.comm && show)
		return "-show resolves nothing: -comm does not go with it";
	if (filter_threads(&o->filter) && o->reports & REPORT_BIT(REPORT_IRQ))
		return "interrupts are of no thread: -irq goes with none of -pid, -tid, -comm";
	if (filter_threads(&o->filter) && o->away)
		return "-offcpu with a report of call stacks goes with none of -pid, -tid, -comm";
	if (o->filter.symbol && o->reports & ~SAMPLE_REPORTS)
		return "-symbol is of reports of samples";
	if (o->csv && (o->json || show))
		return "-csv goes with neither -json nor -show";
	if (o->reports & FILE_REPORTS && (several || o->per_cpu))
		return "-stats, -info, -validate go with no other report, nor with -cpu";
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
	return run_contradiction(o, several);
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

/* A colon list of folders: none of it is something else. One that is not there is no mistake: lists
 * serve for several machines. */
static bool folders(const char *option, const char *list)
{
	char path[4096];
	struct stat st;

	for (; *list; list += list[0] == ':') {
		size_t n = strcspn(list, ":");

		if (n && snprintf(path, sizeof(path), "%.*s", (int)n, list) < (int)sizeof(path) &&
		    !stat(path, &st) && !S_ISDIR(st.st_mode)) {
			complain("%s: %s is no folder", option, path);
			return false;
		}
		list += n;
	}
	return true;
}

/* Those that are read only come first. */
static void list_formats(FILE *out)
{
	static const char line[] = "  %-12s%-6s%-7s%s\n";
	const struct reader *r;
	const struct writer *w;
	size_t i;

	for (i = 0; (r = reader_at(i)); i++) {
		if (!writer_named(r->name))
			fprintf(out, line, r->name, "reads", "-", r->what);
	}
	for (i = 0; (w = writer_at(i)); i++)
		fprintf(out, line, w->name, reader_named(w->name) ? "reads" : "-", "writes", w->what);
}

/* A format that can be written; false: the list was told instead. */
static bool parse_format(struct options *o, const char *name)
{
	const struct writer *w = writer_named(name);
	bool list = !strcmp(name, "list");

	if (w) {
		o->convert = w;
		o->reports |= REPORT_BIT(REPORT_CONVERT);
		o->names.places = w->needs & NEED_PLACES;
		return true;
	}
	if (!list)
		complain(reader_named(name) ? "-format: %s is read only; there are" :
			 "-format: there is no %s; there are", name);
	list_formats(list ? stdout : stderr);
	return false;
}

int parse_options(struct options *o, int argc, char **argv)
{
	bool all_offsets = false;
	const char *wrong;
	int c;

	*o = (struct options){ 0 };
	while ((c = next_option(argc, argv, "r:i:o:e:vqhV", long_options)) != -1) {
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
			complain("-explain: %s is no PID:ADDRESS:TIME: the address in hexadecimal, the time in seconds, as -show has them: 4242:0x7f0012340010:25758.5",
				 optarg);
			return EXIT_UNREADABLE;
		case OPT_FORMAT:
			if (!parse_format(o, optarg))
				return strcmp(optarg, "list") ? EXIT_UNREADABLE : EXIT_CLEAN;
			break;
		case OPT_PID:
		case OPT_TID:
		case OPT_CPUS:
			if (filter_numbers(optarg, c == OPT_PID ? &o->filter.pid :
					   c == OPT_TID ? &o->filter.tid : &o->filter.cpu))
				break;
			complain("%s: these are no numbers as in 4242,5000-5010", optarg);
			return EXIT_UNREADABLE;
		case OPT_COMM:
			o->filter.comm = optarg;
			break;
		case OPT_SYMBOL:
			o->filter.symbol = optarg;
			break;
		case OPT_TIME:
			if (filter_time(optarg, &o->filter))
				break;
			complain("-time: %s is no FROM-TO in seconds, as 25758.5-25760",
				 optarg);
			return EXIT_UNREADABLE;
		case OPT_TREE:
			o->instructions = true;
			break;
		case OPT_C:
			o->by_function = true;
			break;
		case OPT_CK:
			o->kernel_once = true;
			break;
		case OPT_CP:
			o->plt_once = true;
			break;
		case OPT_JSON:
			o->json = true;
			break;
		case OPT_CSV:
			o->csv = true;
			break;
		case OPT_CLIP:
			if (unit_percent(optarg, &o->clip))
				break;
			complain("-clip: %s is no percentage from 0 to 100", optarg);
			return EXIT_UNREADABLE;
		case OPT_CPU:
			o->per_cpu = true;
			break;
		case OPT_OFF:
			all_offsets = true;
			break;
		case OPT_NSF:
			o->unnamed_offsets = true;
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
			complain("-debuginfod: %s are no seconds from 1 to 3600", optarg);
			return EXIT_UNREADABLE;
		case OPT_PROGRAM:
			o->program = optarg;
			break;
		case OPT_K:
			o->kernel_image = optarg;
			break;
		case OPT_KMAP:
			o->kernel_map = optarg;
			break;
		case OPT_JDIR:
			if (!folders("-jdir", optarg))
				return EXIT_UNREADABLE;
			o->names.jitdumps = optarg;
			break;
		case OPT_SYMPATH:
			if (!folders("-sympath", optarg))
				return EXIT_UNREADABLE;
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
			if (!TRACEPOINTS_READ)
				puts("built without libtraceevent: data of tracepoints stay numbers, "
				     "tell no dispatches");
#ifndef HAVE_LIBIPT
			puts("built without libipt: Intel PT is not decoded");
#endif
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
	if (optind < argc && o->input) {
		complain("several traces go without -r: what is %s?", argv[optind]);
		return EXIT_UNREADABLE;
	}
	if (argc - optind > ORIGINS) {
		complain("at most %d traces are read as one", ORIGINS);
		return EXIT_UNREADABLE;
	}
	if (argc - optind > 1) {
		o->more = (const char *const *)&argv[optind];
		o->inputs = (uint32_t)(argc - optind);
	}
	if (optind < argc)
		o->input = argv[optind];
	o->offsets = all_offsets || o->unnamed_offsets;
	o->unnamed_offsets &= !all_offsets;
	if (o->instructions && !(o->reports & STACK_REPORTS))
		o->reports |= REPORT_BIT(REPORT_CALLTREE);
	if (o->convert && o->convert->lines)
		o->names.by_line = o->names.inlined = true;
	o->names.all_code = o->reports & CODE_REPORTS;
	if (!o->reports)
		o->reports = REPORT_BIT(REPORT_TPROF);
	/* Together with a report of call stacks it says of what that is. */
	if (o->reports & REPORT_BIT(REPORT_OFFCPU) && o->reports & STACK_REPORTS) {
		o->reports &= ~REPORT_BIT(REPORT_OFFCPU);
		o->away = true;
	}
	wrong = contradiction(o);
	if (wrong) {
		complain("%s", wrong);
		return EXIT_UNREADABLE;
	}
	if (!o->input) {
		o->input = "swtrace.nrm2";
		o->default_input = true;
	}
	return -1;
}
