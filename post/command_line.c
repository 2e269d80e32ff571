/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line, and which options exclude each other. It does not use the option tables of
 * tools/common: -r and -o accept an attached argument where -c and -k do not, and one line of -help
 * may cover several options.
 */
#include "command_line.h"

#include <inttypes.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "called_as.h"
#include "complain.h"
#include "export/writer.h"
#include "fit.h"
#include "input/readers.h"
#include "next_option.h"
#include "record/tracepoints.h"
#include "reports.h"
#include "units.h"

static const char usage_head[] =
	"Usage: post [OPTION]... [FILE]...\n"
	"Report where the time of a trace went (default: swtrace.nrm2): a screenful on\n"
	"stdout, all of it in a file. Several traces are read as one; labels before the names\n"
	"of processes show the trace of each.\n"
	"\n";

static const char usage_rest[] =
	"  -diff             no report: the second trace against the first, by function, each\n"
	"                    line with a test; with -calltree: by call\n"
	"  -format FORMAT    no report: the trace in another format, to -o FILE or a file of the\n"
	"                    format's default name; -format list: lists the formats\n"
	"\n"
	"  -r, -i, -in FILE  the trace: swtrace's, perf.data or its folder; - is stdin\n"
	"  -o, -out FILE     write the report to FILE; - is stdout, and nothing else is printed\n"
	"  -e, -event EVENT  report this event, by name or number (default: the first)\n"
	"  -pid, -tid, -cpus LIST\n"
	"                    only these processes, threads, CPUs: 4242,5000-5010\n"
	"  -comm LIST        only threads with these names; * and ? are wildcards\n"
	"  -cgroup[=LIST]    by cgroup; only these: paths, containers, units; wildcards as above\n"
	"  -symbol LIST      only samples in these symbols\n"
	"  -time FROM-TO     only this interval, in seconds as in -show; one may be missing\n"
	"  -reltime          times of -show and -time count from when tracing began\n"
	"  -json             the reports as one JSON object on stdout\n"
	"  -csv              the report as a table on stdout\n"
	"  -color[=WHEN]     colours: always, never, or auto: on a terminal (the default)\n"
	"  -clip PERCENT     omit lines below PERCENT of the total\n"
	"  -cpu              add the reports for each CPU\n"
	"  -off              add offsets within symbols\n"
	"  -nsf              add offsets within modules where no symbol was found\n"
	"  -pnm, -tnm        count processes, threads of one name together\n"
	"  -line             add source lines: file and line of each address\n"
	"  -inline           show functions that are inlined in others as functions\n"
	"  -debuginfod[=SECONDS]\n"
	"                    query the servers in DEBUGINFOD_URLS for missing debug files, with\n"
	"                    this timeout for each (30)\n"
	"  -own              in instruction traces also show the code of ITraceOn, ITraceOff and\n"
	"                    the like\n"
	"  -descriptors      show Java names in the VM's form, package/Class.method(IJ)V, for logs\n"
	"                    that have both\n"
	"  -program FILE     the program of an XRay log, which has the functions' names\n"
	"  -k FILE           kernel symbols from this vmlinux, relocated to where the kernel ran\n"
	"  -kmap FILE        kernel symbols from this copy of /proc/kallsyms\n"
	"  -jdir PATH        look for jitdumps, logs, perf maps in these folders first\n"
	"  -sympath PATH     look for programs and libraries in these folders first\n"
	"  -v, -verbose      more about unresolved names and faults\n"
	"  -q, -quiet        only errors\n"
	"  -h, -help         this text\n"
	"  -V, -version      the version\n"
	"\n"
	"Options may begin with one or two dashes. Exit code: 0 clean, 1 damaged or\n"
	"records lost but read, 2 unreadable or wrong usage.\n";

enum {
	OPT_JSON = 256,
	OPT_CSV,
	OPT_CLIP,
	OPT_CPU,
	OPT_OFF,
	OPT_PNM,
	OPT_TNM,
	OPT_K,
	OPT_KMAP,
	OPT_NSF,
	OPT_PROGRAM,
	OPT_DESCRIPTORS,
	OPT_SYMPATH,
	OPT_JDIR,
	OPT_LINE,
	OPT_INLINE,
	OPT_DEBUGINFOD,
	OPT_TREE,
	OPT_C,
	OPT_CK,
	OPT_CP,
	OPT_OWN,
	OPT_FORMAT,
	OPT_DIFF,
	OPT_PID,
	OPT_TID,
	OPT_COMM,
	OPT_CGROUP,
	OPT_COLOUR,
	OPT_RELTIME,
	OPT_CPUS,
	OPT_TIME,
	OPT_SYMBOL,
	OPT_REPORT, /* plus its index in the list */
	OPT_ALSO = OPT_REPORT + REPORT_COUNT,
};

static const struct option file_options[] = {
	{ "in", required_argument, NULL, 'r' },
	{ "out", required_argument, NULL, 'o' },
};
static const struct option own_options[] = {
	{ "c", no_argument, NULL, OPT_C },
	{ "ck", no_argument, NULL, OPT_CK },
	{ "cp", no_argument, NULL, OPT_CP },
	{ "own", no_argument, NULL, OPT_OWN },
	{ "tree", no_argument, NULL, OPT_TREE },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "diff", no_argument, NULL, OPT_DIFF },
	{ "pid", required_argument, NULL, OPT_PID },
	{ "tid", required_argument, NULL, OPT_TID },
	{ "comm", required_argument, NULL, OPT_COMM },
	{ "cgroup", optional_argument, NULL, OPT_CGROUP },
	{ "cpus", required_argument, NULL, OPT_CPUS },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "reltime", no_argument, NULL, OPT_RELTIME },
	{ "symbol", required_argument, NULL, OPT_SYMBOL },
	{ "event", required_argument, NULL, 'e' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "color", optional_argument, NULL, OPT_COLOUR },
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
	{ "descriptors", no_argument, NULL, OPT_DESCRIPTORS },
	{ "sympath", required_argument, NULL, OPT_SYMPATH },
	{ "jdir", required_argument, NULL, OPT_JDIR },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
};
#define OPTIONS \
	((sizeof(file_options) + sizeof(own_options)) / sizeof(own_options[0]) + 2 * REPORT_COUNT)

/* Lists the general options with those of the reports between them. */
static void list_options(struct option list[OPTIONS + 1])
{
	size_t n = sizeof(file_options) / sizeof(file_options[0]);
	const struct report *r;
	int i;

	memcpy(list, file_options, sizeof(file_options));
	for (i = 0; i < REPORT_COUNT; i++) {
		r = report_at(i);
		if (r->name)
			list[n++] = (struct option){ r->name, r->argument, NULL, OPT_REPORT + i };
		if (r->also)
			list[n++] = (struct option){ r->also, r->argument, NULL, OPT_ALSO + i };
	}
	memcpy(list + n, own_options, sizeof(own_options));
	n += sizeof(own_options) / sizeof(own_options[0]);
	list[n] = (struct option){ NULL, 0, NULL, 0 };
}

static void print_usage(void)
{
	struct fit lines;
	FILE *out = fit_begin(&lines, stdout);
	unsigned int i;

	fputs(usage_head, out);
	for (i = 0; i < REPORT_COUNT; i++) {
		if (report_at(i)->usage)
			fputs(report_at(i)->usage, out);
	}
	fputs(usage_rest, out);
	fit_end(&lines);
}

/* The same for reports of instruction traces. */
static const char *run_contradiction(const struct options *o, bool several)
{
	bool runs = o->kinds & REPORT_OF_RUNS, arc = o->kinds & REPORT_BY_RUN;

	if (runs && (several || o->per_cpu))
		return "reports of instruction runs cannot be combined with other reports or -cpu";
	if ((o->by_function || o->kernel_once) && !arc)
		return "-c and -ck require -arc";
	if (o->plt_once && (!runs || o->kinds & REPORT_OF_CODE))
		return "-cp requires -arc or -flow";
	if (o->own_runs && !runs && !o->instructions && !o->convert)
		return "-own requires a report of an instruction trace";
	if (o->names.inlined && runs)
		return "-inline cannot be combined with reports of runs: -tree shows inlined functions";
	if (o->names.by_line && runs && !arc)
		return "-line: of the reports of runs only -arc has source lines";
	if (o->kinds & REPORT_OF_CALLS && (several || o->per_cpu))
		return "-functions and -calls cannot be combined with other reports or -cpu";
	if (o->instructions && (o->offcpu || !(o->all_kinds & REPORT_OF_STACKS)))
		return "-tree can only be combined with reports of call stacks";
	return NULL;
}

/* The same for -diff, which replaces the reports. */
static const char *diff_contradiction(const struct options *o)
{
	unsigned int page = report_bit(&report_html);
	unsigned int calls = report_bit(&report_calltree) | report_bit(&report_folded) | page;

	if (o->inputs != 2)
		return "-diff takes two traces, the older one first";
	if (o->convert || o->offcpu || o->per_cpu || o->offsets || o->names.by_line ||
	    o->names.inlined || o->reports & ~(calls | report_bit(&report_tprof)))
		return "-diff can be combined with -calltree, -folded or -html, but not with other reports, -format, -cpu, -off, -nsf, -line, -inline";
	if (o->reports & page && (o->json || o->csv || o->reports & (calls & ~page)))
		return "-diff -html cannot be combined with -json, -csv or another report";
	if (o->json && o->csv)
		return "-csv goes with neither -json nor -show";
	return NULL;
}

/* Returns a message that names the options that exclude each other; NULL: none do. */
static const char *contradiction(const struct options *o)
{
	bool several = o->reports & (o->reports - 1), show = o->kinds & REPORT_OF_RECORDS;
	bool lines = o->names.by_line || o->names.inlined;

	if (o->diff)
		return diff_contradiction(o);
	if (o->convert && (several || o->json || o->csv || o->per_cpu || o->offsets))
		return "-format cannot be combined with reports, -json, -csv, -cpu, -off, -nsf";
	if (o->more && o->kinds & REPORT_OF_ONE)
		return "-show, -stats, -verify and -explain accept a single trace only";
	if ((o->filter.comm || o->by_cgroup) && show)
		return "-show resolves no names: it cannot be combined with -comm or -cgroup";
	if (o->filter.relative && !o->filter.timed && !show)
		return "-reltime requires -show or -time";
	if (filter_threads(&o->filter) && o->kinds & REPORT_OF_CPUS)
		return "interrupts belong to no thread: -irq cannot be combined with -pid, -tid, -comm, -cgroup";
	if (o->filter.symbol && !(o->all_kinds & REPORT_OF_SAMPLES))
		return "-symbol requires a report of samples";
	if (o->csv && (o->json || show))
		return "-csv goes with neither -json nor -show";
	if (o->kinds & REPORT_OF_FILE && (several || o->per_cpu))
		return "-stats, -info, -validate cannot be combined with other reports or -cpu";
	if (show && several)
		return "-show cannot be combined with other reports";
	if (o->csv && several)
		return "-csv supports one report at a time";
	if (o->names.annotate && (several || o->per_cpu))
		return "-annotate cannot be combined with other reports or -cpu";
	if (lines && o->names.annotate)
		return "-annotate always has lines: it cannot be combined with -line or -inline";
	if (lines && show)
		return "-show resolves no names: it cannot be combined with -line or -inline";
	if (o->kinds & REPORT_OF_ADDRESS && (several || lines || o->per_cpu))
		return "-explain cannot be combined with other reports, -line, -inline, -cpu";
	if (o->kinds & REPORT_OF_STACKS && several)
		return "a report of call stacks cannot be combined with other reports";
	if (o->kinds & REPORT_OF_STACKS && o->per_cpu)
		return "-cpu cannot be combined with reports of call stacks";
	if (o->kinds & REPORT_ONE_FORM && (o->json || o->csv))
		return "-folded and -html cannot be combined with -json or -csv: -calltree can";
	if (o->calls == (CALLS_CALLERS | CALLS_CALLEES) && o->csv)
		return "-csv: either -callers or -callees";
	return run_contradiction(o, several);
}

/* Checks a colon-separated list of folders: each entry that exists must be a folder. Missing
 * entries are allowed, since one list may serve several machines. */
static bool folders(const char *option, const char *list)
{
	char path[4096];
	struct stat st;

	for (; *list; list += list[0] == ':') {
		size_t n = strcspn(list, ":");

		if (n && snprintf(path, sizeof(path), "%.*s", (int)n, list) < (int)sizeof(path) &&
		    !stat(path, &st) && !S_ISDIR(st.st_mode)) {
			complain("%s: %s is not a folder", option, path);
			return false;
		}
		list += n;
	}
	return true;
}

/* Lists the formats that can only be read first. */
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
		fprintf(out, line, w->name, reader_named(w->name) ? "reads" : "-", "writes",
			w->what);
}

/* Returns whether the value was accepted; otherwise prints a message. `what`: the expected form. */
static bool is_taken(int rc, const char *option, const char *text, const char *what)
{
	if (rc == -EINVAL)
		complain("%s: invalid value '%s': expected %s", option, text, what);
	else if (rc == -ERANGE)
		complain("%s: %s: a range ends before it begins", option, text);
	else if (rc == -EOVERFLOW)
		complain("%s: %s: numbers must not exceed %" PRIu32, option, text, UINT32_MAX);
	else if (rc)
		complain("%s", strerror(-rc));
	return !rc;
}

static bool numbers(const char *option, const char *text, struct filter_list *list)
{
	return is_taken(filter_numbers(text, list), option, text, "numbers like 4242,5000-5010");
}

/* Without a word: always, as in other programs. */
static bool take_colour(const char *word, enum colour_when *when)
{
	static const char *const words[] = {
		[COLOUR_AUTO] = "auto",
		[COLOUR_ALWAYS] = "always",
		[COLOUR_NEVER] = "never",
	};

	*when = COLOUR_ALWAYS;
	for (int i = COLOUR_AUTO; word && i <= COLOUR_NEVER; i++) {
		*when = (enum colour_when)i;
		if (!strcmp(word, words[i]))
			return true;
	}
	return !word;
}

/* Finds a format that can be written; false: prints a message and the list of formats. */
static bool parse_format(struct options *o, const char *name)
{
	const struct writer *w = writer_named(name);

	if (w) {
		o->convert = w;
		o->reports |= report_bit(&report_convert);
		return true;
	}
	complain(reader_named(name) ? "-format: %s is read only; there are" :
				      "-format: unknown format '%s'; there are",
		 name);
	list_formats(stderr);
	return false;
}

/* An option's name begins with a letter: a method of Objective-C is written -[Class name]. */
static bool is_option(const char *word)
{
	return word[0] == '-' && (!word[1] || word[1] == '-' || isalpha((unsigned char)word[1]));
}

/* `place`: the report's index in the list; from REPORT_COUNT on, it was given by its other name. */
static bool take_report(struct options *o, unsigned int place, char **argv)
{
	bool also = place >= REPORT_COUNT;
	const char *argument = optarg;
	const struct report *r;

	place -= also ? REPORT_COUNT : 0;
	r = report_at(place);
	o->reports |= REPORT_BIT(place);
	if (r->apart && !argument && argv[optind] && !is_option(argv[optind]))
		argument = argv[optind++];
	if (argument && !*argument) {
		complain("option '-%s' has an empty argument", r->name);
		return false;
	}
	return !r->take || r->take(o, also ? r->also : r->name, argument);
}

int parse_options(struct options *o, int argc, char **argv)
{
	struct option options[OPTIONS + 1];
	bool all_offsets = false, list = false;
	const char *wrong;
	int c;

	*o = (struct options){ 0 };
	list_options(options);
	while ((c = next_option(argc, argv, "r:i:o:e:vqhV", options)) != -1) {
		switch (c) {
		case 'r':
		case 'i':
			if (o->input) {
				complain("several traces go without -r: what is %s?", optarg);
				return EXIT_UNREADABLE;
			}
			o->input = optarg;
			break;
		case 'o':
			o->output = optarg;
			break;
		case 'e':
			o->event = optarg;
			break;
		case OPT_FORMAT:
			list = !strcmp(optarg, "list");
			if (!list && !parse_format(o, optarg))
				return EXIT_UNREADABLE;
			break;
		case OPT_DIFF:
			o->diff = true;
			break;
		case OPT_PID:
			if (!numbers("-pid", optarg, &o->filter.pid))
				return EXIT_UNREADABLE;
			break;
		case OPT_TID:
			if (!numbers("-tid", optarg, &o->filter.tid))
				return EXIT_UNREADABLE;
			break;
		case OPT_CPUS:
			if (!numbers("-cpus", optarg, &o->filter.cpu))
				return EXIT_UNREADABLE;
			break;
		case OPT_COMM:
		case OPT_SYMBOL:
			if (!(c == OPT_COMM ? filter_comm : filter_symbols)(optarg, &o->filter))
				break;
			complain("%s", strerror(ENOMEM));
			return EXIT_UNREADABLE;
		case OPT_CGROUP:
			o->by_cgroup = o->names.by_cgroup = true;
			if (!optarg || !filter_cgroups(optarg, &o->filter))
				break;
			complain("%s", strerror(ENOMEM));
			return EXIT_UNREADABLE;
		case OPT_TIME:
			if (!is_taken(filter_time(optarg, &o->filter), "-time", optarg,
				      "FROM-TO in seconds, like 25758.5-25760"))
				return EXIT_UNREADABLE;
			break;
		case OPT_RELTIME:
			o->filter.relative = true;
			break;
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
		case OPT_OWN:
			o->own_runs = true;
			break;
		case OPT_JSON:
			o->json = true;
			break;
		case OPT_CSV:
			o->csv = true;
			break;
		case OPT_COLOUR:
			if (take_colour(optarg, &o->colour))
				break;
			complain("-color: invalid value '%s': expected auto, always or never",
				 optarg);
			return EXIT_UNREADABLE;
		case OPT_CLIP:
			if (unit_percent(optarg, &o->clip))
				break;
			complain("-clip: invalid percentage '%s': expected 0 to 100", optarg);
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
			complain("-debuginfod: invalid timeout '%s': expected 1 to 3600 seconds",
				 optarg);
			return EXIT_UNREADABLE;
		case OPT_DESCRIPTORS:
			o->descriptors = true;
			break;
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
			print_usage();
			return EXIT_CLEAN;
		case 'V':
			printf("post (pitrace) %s\n", PITRACE_VERSION);
			if (!TRACEPOINTS_READ)
				puts("built without libtraceevent: data of tracepoints are shown as numbers, "
				     "without dispatches");
#ifndef HAVE_LIBIPT
			puts("built without libipt: Intel PT is not decoded");
#endif
			return EXIT_CLEAN;
		default:
			if (c >= OPT_REPORT) {
				if (!take_report(o, (unsigned int)(c - OPT_REPORT), argv))
					return EXIT_UNREADABLE;
				break;
			}
			fprintf(stderr, "Try: %s -help\n", called_as("post"));
			return EXIT_UNREADABLE;
		}
	}
	if (list) {
		list_formats(stdout);
		return EXIT_CLEAN;
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
	reports_kinds(o);
	if (o->instructions && !(o->kinds & REPORT_OF_STACKS))
		o->reports |= report_bit(&report_calltree);
	if (o->convert && o->convert->lines)
		o->names.by_line = o->names.inlined = true;
	o->names.all_code = o->kinds & REPORT_OF_CODE;
	if (!o->reports)
		o->reports = report_bit(&report_tprof);
	reports_kinds(o);
	/* -offcpu with a report of call stacks makes that report one of time off the CPU. */
	if (o->kinds & REPORT_OF_AWAY && o->kinds & REPORT_OF_STACKS) {
		o->reports &= ~report_bit(&report_offcpu);
		o->offcpu = true;
		reports_kinds(o);
	}
	/* The page shows the cgroup of each process. */
	o->names.by_cgroup |= !o->diff && o->reports & report_bit(&report_html);
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
