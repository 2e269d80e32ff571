/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gen_trace: write a trace of a machine that never was, for benchmarks and tests. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen_trace.h"

static const struct option options[] = {
	{ "cpus", 1, NULL, 'c' },    { "processes", 1, NULL, 'p' }, { "threads", 1, NULL, 't' },
	{ "samples", 1, NULL, 'n' }, { "rate", 1, NULL, 'r' },      { "churn", 1, NULL, 'x' },
	{ "lost", 1, NULL, 'l' },    { "clock", 1, NULL, 'k' },     { "hz", 1, NULL, 'z' },
	{ "start", 1, NULL, 's' },   { "seed", 1, NULL, 'e' },      { "segment", 1, NULL, 'g' },
	{ "zstd", 1, NULL, 'Z' },    { "bulk", 1, NULL, 'b' },      { "events", 1, NULL, 'v' },
	{ "stacks", 1, NULL, 'S' },  { "depth", 1, NULL, 'd' },     { 0 },
};

static int usage(void)
{
	fprintf(stderr, "gen_trace [--OPTION=N]... FILE; options:");
	for (const struct option *o = options; o->name; o++)
		fprintf(stderr, " %s", o->name);
	fprintf(stderr, "; --clock=tsc|monotonic\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct gen_options o = gen_defaults;
	struct gen_result result;
	uint64_t n;
	int c, err;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		n = optarg ? strtoull(optarg, NULL, 0) : 0;
		switch (c) {
		case 'c':
			o.cpus = (uint32_t)n;
			break;
		case 'p':
			o.processes = (uint32_t)n;
			break;
		case 't':
			o.threads = (uint32_t)n;
			break;
		case 'n':
			o.samples = n;
			break;
		case 'r':
			o.rate = (uint32_t)n;
			break;
		case 'v':
			o.events = n;
			break;
		case 'x':
			o.churn = (uint32_t)n;
			break;
		case 'l':
			o.lost = (uint32_t)n;
			break;
		case 'z':
			o.clock_hz = n;
			break;
		case 's':
			o.start = n;
			break;
		case 'e':
			o.seed = n;
			break;
		case 'g':
			o.segment_bytes = (uint32_t)n;
			break;
		case 'Z':
			o.level = (int)n;
			break;
		case 'b':
			o.bulk = (uint32_t)n;
			break;
		case 'S':
			o.stacks = (uint32_t)n;
			break;
		case 'd':
			o.depth = (uint32_t)n;
			break;
		case 'k':
			o.clock = strcmp(optarg, "tsc") ? PITRACE_CLOCK_MONOTONIC :
							  PITRACE_CLOCK_TSC;
			break;
		default:
			return usage();
		}
	}
	if (argc - optind != 1)
		return usage();
	err = gen_trace(argv[optind], &o, &result);
	if (err) {
		fprintf(stderr, "gen_trace: %s: %s\n", argv[optind], strerror(-err));
		return 1;
	}
	printf("%llu records, %llu bytes\n", (unsigned long long)result.records,
	       (unsigned long long)result.bytes);
	return 0;
}
