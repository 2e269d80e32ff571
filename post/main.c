/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * post: a trace in, reports out. Open, tell the names to liba2n, count the samples, report: this
 * file only wires.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "model/feed.h"
#include "model/read.h"
#include "options.h"
#include "output.h"
#include "report/report.h"
#include "units.h"

static const char default_input[] = "swtrace.nrm2";

enum { EXIT_CLEAN = 0, EXIT_DAMAGED = 1, EXIT_UNREADABLE = 2 };

/* ---- options --------------------------------------------------------------------------------- */

static const char usage[] =
"Usage: post [OPTION]... [FILE]\n"
"Report where the time of a trace went (default: swtrace.nrm2): a screenful on\n"
"stdout, all of it in tprof.out.\n"
"\n"
"  -r, -i, -in FILE  the trace\n"
"  -o FILE           where the report goes; - is stdout, and nothing else there\n"
"  -show             every record in words, to post.show (with -json: JSON lines)\n"
"  -json             the report as JSON on stdout\n"
"  -csv              process, thread, module and symbol as a table on stdout\n"
"  -clip PERCENT     leave out lines below\n"
"  -cpu              add the reports for each CPU\n"
"  -off              add offsets within symbols\n"
"  -pnm, -tnm        count processes, threads of one name together\n"
"  -kmap FILE        kernel symbols from this copy of /proc/kallsyms\n"
"  -sympath PATH     look for programs and libraries in these folders first\n"
"  -v, -verbose      more about what could not be named; -q: only errors\n"
"  -h, -help         this text; -V, -version: the version\n"
"\n"
"Options may begin with one or two dashes. Exit code: 0 clean, 1 damaged or\n"
"records lost but read, 2 unreadable or wrong usage.\n";

enum {
	OPT_SHOW = 256, OPT_JSON, OPT_CSV, OPT_CLIP, OPT_CPU, OPT_OFF, OPT_PNM, OPT_TNM, OPT_KMAP,
	OPT_SYMPATH,
};

static const struct option long_options[] = {
	{ "in", required_argument, NULL, 'r' },
	{ "out", required_argument, NULL, 'o' },
	{ "show", no_argument, NULL, OPT_SHOW },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "clip", required_argument, NULL, OPT_CLIP },
	{ "cpu", no_argument, NULL, OPT_CPU },
	{ "off", no_argument, NULL, OPT_OFF },
	{ "pnm", no_argument, NULL, OPT_PNM },
	{ "tnm", no_argument, NULL, OPT_TNM },
	{ "kmap", required_argument, NULL, OPT_KMAP },
	{ "sympath", required_argument, NULL, OPT_SYMPATH },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

/* -1: go on; else the exit code. */
static int parse_options(struct options *o, int argc, char **argv)
{
	int c;

	*o = (struct options){ 0 };
	while ((c = getopt_long_only(argc, argv, "r:i:o:vqhV", long_options, NULL)) != -1) {
		switch (c) {
		case 'r':
		case 'i':
			o->input = optarg;
			break;
		case 'o':
			o->output = optarg;
			break;
		case OPT_SHOW:
			o->show = true;
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
		case OPT_KMAP:
			o->kernel_map = optarg;
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
	if (o->csv && (o->json || o->show)) {
		fputs("post: -csv goes with neither -json nor -show\n", stderr);
		return EXIT_UNREADABLE;
	}
	if (!o->input)
		o->input = default_input;
	return -1;
}

/* ---- what was wrong -------------------------------------------------------------------------- */

/* The format's faults without repetitions (two passes may meet the same one), and our own. */
static int gather_faults(struct job *job, struct pifile_fault **room)
{
	const struct pifile_fault *list = NULL;
	size_t n = job->input->format->faults(job->input, &list), have = n < 64 ? n : 64, i, k;
	struct pifile_fault *out = calloc(have + 1, sizeof(*out));
	size_t count = 0;

	if (!out)
		return -ENOMEM;
	for (i = 0; i < have; i++) {
		for (k = 0; k < count; k++) {
			if (out[k].offset == list[i].offset && !strcmp(out[k].what, list[i].what))
				break;
		}
		if (k == count)
			out[count++] = list[i];
	}
	job->more_faults = n - have;
	if (job->trace->malformed) {
		out[count++] = job->trace->first_malformed;
		job->more_faults += job->trace->malformed - 1;
	}
	job->fault = *room = out;
	job->nfaults = count;
	return 0;
}

static void print_faults(const struct job *job)
{
	size_t i, most = job->options->verbose ? job->nfaults : 3;

	for (i = 0; i < job->nfaults && i < most; i++) {
		fputs("post: ", stderr);
		escape_print(stderr, job->input->path);
		fprintf(stderr, ": at byte %" PRIu64 ": ", job->fault[i].offset);
		escape_print(stderr, job->fault[i].what);
		putc('\n', stderr);
	}
	if (job->nfaults - i + job->more_faults)
		fprintf(stderr, "post: and %zu more faults\n", job->nfaults - i + job->more_faults);
	if (job->nfaults)
		fprintf(stderr, "post: %" PRIu64 " records were read all the same\n",
			job->trace->records);
}

static void print_warnings(const struct job *job)
{
	const struct module **list;
	uint32_t count, i;

	if (!job->options->verbose || worst_modules(job, &list, &count))
		return;
	for (i = 0; i < count; i++) {
		fputs("post: ", stderr);
		escape_print(stderr, list[i]->name);
		fputs(": ", stderr);
		escape_print(stderr, module_reason(list[i]));
		fprintf(stderr, " (%" PRIu64 " of its %" PRIu64 " ticks have no symbol)\n",
			list[i]->unnamed, list[i]->ticks);
	}
	free(list);
}

/* ---- the report ------------------------------------------------------------------------------ */

static int failed(const char *what, int rc)
{
	if (rc != REPORT_WRONG)
		fprintf(stderr, "post: %s: %s\n", what, strerror(-rc));
	return rc == REPORT_WRONG ? EXIT_DAMAGED : EXIT_UNREADABLE;
}

static int kernel_map(const struct options *o, struct a2n *a)
{
	int rc = o->kernel_map ? feed_kernel_map(a, o->kernel_map) : 0;

	if (!rc)
		return EXIT_CLEAN;
	fprintf(stderr, "post: -kmap: %s: %s\n", o->kernel_map,
		rc == -EILSEQ ? "not a copy of /proc/kallsyms" : strerror(-rc));
	return EXIT_UNREADABLE;
}

static int write_report(struct job *job, const struct report *report)
{
	const char *path = job->options->output ? job->options->output : report->path;
	struct output out;
	int rc, closed;

	rc = output_open(&out, path, report->mode);
	if (rc)
		return failed(path, rc);
	rc = report->write(job, out.file);
	closed = output_close(&out);
	if (rc || closed)
		return failed(path, rc ? rc : closed);
	if (strcmp(path, "-") != 0) {
		job->written = path;
		job->renamed = out.renamed;
	}
	return EXIT_CLEAN;
}

/* On stdout, unless the report itself went there. A report that could not be written is no reason
 * to keep silent: its error is told and is in the exit code. */
static int write_screen(struct job *job, const struct report *report)
{
	struct output screen;
	int rc = 0;

	if (job->options->quiet || (job->options->output && !strcmp(job->options->output, "-")))
		return 0;
	if (!report->screen && !job->written)
		return 0;
	output_open(&screen, "-", 0);
	if (report->screen) {
		rc = screen_write(job, screen.file);
	} else {
		escape_print(screen.file, job->written);
		fprintf(screen.file, ": %" PRIu64 " records from ", job->trace->records);
		escape_print(screen.file, job->input->path);
		putc('\n', screen.file);
	}
	return rc ? rc : output_close(&screen);
}

static int write_all(struct job *job, const struct report *report)
{
	struct pifile_fault *faults = NULL;
	int rc, code;

	/* A report of names tells the damage itself; one of records meets it on its way. */
	rc = report->names ? gather_faults(job, &faults) : 0;
	if (rc)
		return failed("faults", rc);
	code = write_report(job, report);
	if (!report->names && gather_faults(job, &faults) < 0)
		code = EXIT_UNREADABLE;
	rc = write_screen(job, report);
	if (rc)
		code = failed("stdout", rc);
	print_faults(job);
	print_warnings(job);
	if (!code && (job->nfaults || !job->input->complete || trace_lossy(job->trace)))
		code = EXIT_DAMAGED;
	free(faults);
	return code;
}

int main(int argc, char **argv)
{
	struct options options;
	struct input input;
	struct trace trace = { 0 };
	struct model model = { 0 };
	struct job job = { .options = &options, .input = &input, .trace = &trace, .model = &model };
	const struct report *report;
	struct pifile_fault fault;
	int code = parse_options(&options, argc, argv), rc;

	if (code >= 0)
		return code;
	report = report_choose(&options);
	if (input_open(&input, options.input, &fault) < 0) {
		fprintf(stderr, "post: %s: ", options.input);
		if (fault.offset != NO_OFFSET)
			fprintf(stderr, "at byte %" PRIu64 ": ", fault.offset);
		fprintf(stderr, "%s\n", fault.what);
		if (fault.offset == NO_OFFSET && options.input == default_input)
			fputs("Make a trace with: swtrace run -- COMMAND\n", stderr);
		return EXIT_UNREADABLE;
	}
	model.counts.by_cpu = options.per_cpu;
	model.counts.by_offset = options.offsets;
	trace_begin(&trace, &input);
	rc = report->names ? names_open(&model.names, &options.names) : 0;
	code = rc ? failed("names", rc) : EXIT_CLEAN;
	if (!code && report->names) {
		code = kernel_map(&options, model.names.a2n);
		rc = code ? 0 : read_trace(&input, &trace, &model, &options);
		if (rc)
			code = failed(options.input, rc);
	}
	if (!code)
		code = write_all(&job, report);
	names_close(&model.names);
	counts_free(&model.counts);
	trace_free(&trace);
	input_close(&input);
	return code;
}
