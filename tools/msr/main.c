/* SPDX-License-Identifier: GPL-3.0-or-later */
/* msr: read a model-specific register of CPUs; write it when told so in as many words. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "complain.h"
#include "cpus.h"
#include "device.h"
#include "names.h"
#include "next_option.h"
#include "show.h"

enum { OK, FAILED, MISUSED, NOT_X86 };

static const char usage[] =
	"usage: msr [OPTION]... REGISTER\n"
	"       msr --list\n\n"
	"REGISTER is a number (0x... or decimal) or a name that --list shows.\n\n"
	"  -c CPUS        of these CPUs (0,2-5), or all; default: all that are online\n"
	"  --bits HI:LO   show this field, too (or one bit)\n"
	"  --write VALUE  write it to the CPUs of -c, which must be said, and read it back\n"
	"  --json         for programs\n"
	"  --csv          for spreadsheets\n"
	"  --list         the names of architectural registers\n"
	"  -h, --help, --version\n\n"
	"Exit code: 0 done, 1 a CPU refused or read back something else, 2 misused,\n"
	"3 this is no x86 machine.";

struct job {
	struct msr_report report;
	struct cpus online, cpus;
	bool chosen;			/* -c was given */
	void (*show)(const struct msr_report *r);
};

static bool cpus_wanted(struct job *job, const char *text)
{
	job->chosen = true;
	if (!strcmp(text, "all")) {
		job->cpus = job->online;
		return true;
	}
	if (cpus_of(text, &job->cpus))
		return true;
	complain("-c: '%s' is no list of CPUs, like 0,2-5 or all", text);
	return false;
}

/* True: go on; otherwise *code is the program's. */
static bool options(struct job *job, int argc, char **argv, int *code)
{
	static const struct option longs[] = {
		{ "c", required_argument, NULL, 'c' }, { "bits", required_argument, NULL, 'b' },
		{ "write", required_argument, NULL, 'w' }, { "json", no_argument, NULL, 'j' },
		{ "csv", no_argument, NULL, 's' }, { "list", no_argument, NULL, 'l' },
		{ "h", no_argument, NULL, 'h' }, { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' }, { NULL, 0, NULL, 0 }
	};
	struct msr_report *r = &job->report;
	int c;

	*code = MISUSED;
	while ((c = next_option(argc, argv, "", longs)) != -1) {
		switch (c) {
		case 'c':
			if (!cpus_wanted(job, optarg))
				return false;
			break;
		case 'b':
			r->bits = msr_bits(optarg, &r->high, &r->low);
			if (!r->bits)
				return complain("--bits: '%s' is no field like 15:8", optarg), false;
			break;
		case 'w':
			r->write = msr_value(optarg, &r->written);
			if (!r->write)
				return complain("--write: '%s' is no value of 64 bits, 0x... or decimal",
						optarg), false;
			break;
		case 'j':
			job->show = msr_show_json;
			break;
		case 's':
			job->show = msr_show_csv;
			break;
		case 'l':
			msr_show_names();
			*code = OK;
			return false;
		case 'h':
			puts(usage);
			*code = OK;
			return false;
		case 'v':
			printf("msr (pitrace) %s\n", PITRACE_VERSION);
			*code = OK;
			return false;
		default:
			return false;
		}
	}
	if (optind != argc - 1) {
		fputs(usage, stderr);
		fputc('\n', stderr);
		return false;
	}
	if (!msr_number(argv[optind], &r->reg))
		return complain("'%s' is no register: a number of 32 bits or a name that msr --list shows",
				argv[optind]), false;
	if (r->write && !job->chosen)
		return complain("--write needs -c: the CPUs whose register is to be written, or -c all"),
		       false;
	if (r->write && r->bits)
		return complain("--write takes the whole register: no --bits with it"), false;
	return true;
}

static void do_one(const struct msr_report *r, struct msr_result *a)
{
	char why[300];

	if (r->write) {
		if (msr_write("", a->cpu, r->reg, r->written, a->why, sizeof(a->why)))
			return;
		a->wrote = true;
	}
	a->have = !msr_read("", a->cpu, r->reg, &a->value, why, sizeof(why));
	if (!a->have)
		snprintf(a->why, sizeof(a->why), "%s%s", r->write ? "written, not read back: " : "", why);
	else if (r->write && a->value != r->written)
		snprintf(a->why, sizeof(a->why), "wrote 0x%" PRIx64 ", reads 0x%" PRIx64 ": it counts on, or has bits that cannot be written",
			 r->written, a->value);
}

static int go(struct job *job)
{
	struct msr_report *r = &job->report;
	bool failed = false;

	r->result = calloc(cpus_number(&job->cpus), sizeof(*r->result));
	if (!r->result)
		return complain("no memory"), FAILED;
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!cpus_has(&job->cpus, cpu))
			continue;
		r->result[r->n].cpu = cpu;
		if (cpus_has(&job->online, cpu))
			do_one(r, &r->result[r->n]);
		else
			snprintf(r->result[r->n].why, sizeof(r->result[0].why), "not online (/sys/devices/system/cpu/online)");
		failed |= *r->result[r->n++].why != 0;
	}
	job->show(r);
	free(r->result);
	if (fflush(stdout) || ferror(stdout))
		return complain("standard output cannot be written"), FAILED;
	return failed ? FAILED : OK;
}

#if defined(__x86_64__) || defined(__i386__)
static const bool is_x86 = true;
#else
static const bool is_x86;
#endif

int main(int argc, char **argv)
{
	struct job job = { .show = msr_show_text };
	int code;

	if (!cpus_online("", &job.online))
		cpus_of("0", &job.online);
	job.cpus = job.online;
	if (!options(&job, argc, argv, &code))
		return code;
	if (!is_x86) {
		struct utsname u = { 0 };

		uname(&u);
		complain("this machine (%s) has no model-specific registers: they are x86's", u.machine);
		return NOT_X86;
	}
	return go(&job);
}
