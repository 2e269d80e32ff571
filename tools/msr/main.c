/* SPDX-License-Identifier: GPL-3.0-or-later */
/* msr: read a model-specific register of CPUs; write it if --write is given. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "complain.h"
#include "cpus.h"
#include "device.h"
#include "form.h"
#include "msr_names.h"
#include "msr_show.h"

enum { OK, FAILED, MISUSED, NOT_X86 };

struct msr_job {
	struct msr_report report;
	struct cpus online, cpus;
	bool list;
	enum form form;
};

enum { FORM = 1, ACTION };

static bool store_bits(const struct option_given *given, void *to)
{
	struct msr_report *r = to;

	r->bits = msr_bits(given->text, &r->high, &r->low);
	if (!r->bits)
		complain("--bits: invalid field '%s': expected HIGH:LOW or one bit, like 15:8",
			 given->text);
	return r->bits;
}

static bool store_value(const struct option_given *given, void *to)
{
	struct msr_report *r = to;

	r->write = msr_value(given->text, &r->written);
	if (!r->write)
		complain("--write: invalid value '%s': expected 64 bits, 0x... or decimal",
			 given->text);
	return r->write;
}

static const struct option_row rows[] = {
	{ { "-c" },
	  "CPUS",
	  "use these CPUs (0,2-5), or all (default: all that are online)",
	  option_cpus,
	  OPTION_TO(struct msr_job, cpus),
	  .complete = "@cpus" },
	{ { "--bits" },
	  "HI:LO",
	  "also print this field (or one bit)",
	  store_bits,
	  OPTION_TO(struct msr_job, report),
	  .group = ACTION },
	{ { "--write" },
	  "VALUE",
	  "write this to the CPUs of -c, which must be given, and read it back",
	  store_value,
	  OPTION_TO(struct msr_job, report),
	  .group = ACTION },
	OPTION_JSON_ROW(struct msr_job, FORM, 0),
	OPTION_CSV_ROW(struct msr_job, FORM, 0),
	{ { "--list" },
	  NULL,
	  "list the names of architectural registers",
	  option_set,
	  OPTION_TO(struct msr_job, list) },
	OPTION_HELP_ROWS,
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
static const struct option_table table = {
	.program = "msr",
	.parts = parts,
	.operands = "@registers",
	.usage = "usage: msr [OPTION]... REGISTER\n"
		 "       msr --list\n\n"
		 "REGISTER is a number (0x... or decimal) or a name that --list prints.\n",
	.notes = "Exit code: 0 done, 1 a CPU refused or another value was read back, 2 misused,\n"
		 "3 the machine is not an x86.",
};

/* Checks that the options fit together. Returns OK, or MISUSED after a message. */
static int check(struct msr_job *job, const struct option_rest *rest)
{
	struct msr_report *r = &job->report;
	bool chosen = cpus_number(&job->cpus);

	if (rest->count != 1) {
		options_help(stderr, &table);
		return MISUSED;
	}
	if (!msr_number(rest->words[0], &r->reg)) {
		complain("'%s' is not a register: expected a number of 32 bits or a name that msr --list prints",
			 rest->words[0]);
		return MISUSED;
	}
	if (r->write && !chosen) {
		complain("--write needs -c: the CPUs whose register is to be written, or -c all");
		return MISUSED;
	}
	if (r->write && r->bits) {
		complain("--write sets the whole register: --bits cannot be combined with it");
		return MISUSED;
	}
	if (!chosen)
		job->cpus = job->online;
	return OK;
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
		snprintf(a->why, sizeof(a->why), "%s%s", r->write ? "written, not read back: " : "",
			 why);
	else if (r->write && a->value != r->written)
		snprintf(a->why, sizeof(a->why),
			 "wrote 0x%" PRIx64 ", reads 0x%" PRIx64
			 ": it counts on, or has bits that cannot be written",
			 r->written, a->value);
}

static int go(struct msr_job *job)
{
	struct msr_report *r = &job->report;
	bool failed = false;

	r->result = calloc(cpus_number(&job->cpus), sizeof(*r->result));
	if (!r->result) {
		complain("not enough memory");
		return FAILED;
	}
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!cpus_has(&job->cpus, cpu))
			continue;
		r->result[r->n].cpu = cpu;
		if (cpus_has(&job->online, cpu))
			do_one(r, &r->result[r->n]);
		else
			snprintf(r->result[r->n].why, sizeof(r->result[0].why),
				 "not online (/sys/devices/system/cpu/online)");
		failed |= *r->result[r->n++].why != 0;
	}
	switch (job->form) {
	case FORM_WORDS:
		msr_show_text(r);
		break;
	case FORM_JSON:
		msr_show_json(r);
		break;
	case FORM_CSV:
		msr_show_csv(r);
		break;
	}
	free(r->result);
	if (fflush(stdout) || ferror(stdout)) {
		complain("standard output cannot be written");
		return FAILED;
	}
	return failed ? FAILED : OK;
}

#if defined(__x86_64__) || defined(__i386__)
static const bool is_x86 = true;
#else
static const bool is_x86;
#endif

int main(int argc, char **argv)
{
	struct msr_job job = { .form = FORM_WORDS };
	struct option_rest rest;
	int code;

	if (!cpus_online("", &job.online))
		cpus_of("0", &job.online);
	switch (options_parse(&table, 0, &job, argc, argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return OK;
	default:
		return MISUSED;
	}
	if (job.list) {
		msr_show_names();
		return OK;
	}
	code = check(&job, &rest);
	if (code)
		return code;
	if (!is_x86) {
		struct utsname u = { 0 };

		uname(&u);
		complain("this machine (%s) has no model-specific registers: they are x86's",
			 u.machine);
		return NOT_X86;
	}
	return go(&job);
}
