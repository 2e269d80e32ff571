/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arcf: adds, subtracts and compares call trees of several inputs, and checks them against budgets.
 * The engine is post's (post/compare/). */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "called_as.h"
#include "compare/compare.h"
#include "complain.h"
#include "form.h"
#include "option_store.h"
#include "option_table.h"
#include "units.h"

struct arcf {
	struct options options;
	struct compare_options how;
	uint32_t form; /* enum form */
};

enum { FORM = 1, WHAT, SCALE, SURE };

#define WHAT_ROW(name, words, which)                                                    \
	{                                                                               \
		{ name }, NULL, words, option_assign, OPTION_TO(struct arcf, how.what), \
			.value = which, .group = WHAT                                   \
	}
#define PASSED_ROW(name, arg, words, member, how)                                          \
	{                                                                                  \
		{ name }, arg, words, option_text, OPTION_TO(struct arcf, options.member), \
			.complete = how                                                    \
	}

static option_store option_key, option_clip;

static const struct option_row rows[] = {
	WHAT_ROW("-merge", "show the inputs side by side (the default)", COMPARE_BESIDE),
	WHAT_ROW("-add", "their sum", COMPARE_ADDED),
	WHAT_ROW("-subtract", "subtract all others from the first input", COMPARE_SUBTRACTED),
	WHAT_ROW("-min", "the minimum of each call's own values", COMPARE_LEAST),
	WHAT_ROW("-diff", "compare the second input with the first, with a test for each line",
		 COMPARE_DIFFERENCE),
	WHAT_ROW("-new-budget", "a budget that the input just meets, a line per function",
		 COMPARE_NEW_BUDGET),
	{ { "-budget", "--budget" },
	  "FILE",
	  "check the input against this budget; exit code 1: it is exceeded",
	  option_text,
	  OPTION_TO(struct arcf, how.budget),
	  .complete = "@file" },
	{ { "-by" },
	  "KEY",
	  "which calls are added up: %s (default: name; with -folded: process)",
	  option_key,
	  OPTION_TO(struct arcf, how.key),
	  .complete = "name path process thread" },
	{ { "-total" },
	  NULL,
	  "compare and sort by values including callees, not by own ones",
	  option_set,
	  OPTION_TO(struct arcf, how.totals) },
	{ { "-ratio" },
	  NULL,
	  "compare percentages of each input's total (default for samples)",
	  option_assign,
	  OPTION_TO(struct arcf, how.scale),
	  .value = SCALE_PARTS,
	  .group = SCALE },
	{ { "-absolute" },
	  NULL,
	  "compare the values themselves (default for exact counts)",
	  option_assign,
	  OPTION_TO(struct arcf, how.scale),
	  .value = SCALE_ABSOLUTE,
	  .group = SCALE },
	{ { "-exact" },
	  NULL,
	  "treat values as exact, whatever the format is",
	  option_assign,
	  OPTION_TO(struct arcf, how.sure),
	  .value = SURE_EXACT,
	  .group = SURE },
	{ { "-sampled" },
	  NULL,
	  "treat values as samples, whatever the format is",
	  option_assign,
	  OPTION_TO(struct arcf, how.sure),
	  .value = SURE_SAMPLED,
	  .group = SURE },
	PASSED_ROW("-e", "EVENT", "the event, by name or number (default: the first)", event, NULL),
	{ { "-tree" },
	  NULL,
	  "use traced instructions instead of samples",
	  option_set,
	  OPTION_TO(struct arcf, options.instructions) },
	PASSED_ROW("-comm", "LIST", "only threads with these names; * and ? are wildcards",
		   filter.comm, NULL),
	PASSED_ROW("-k", "FILE", "kernel symbols from this vmlinux", kernel_image, "@file"),
	PASSED_ROW("-kmap", "FILE", "kernel symbols from this copy of /proc/kallsyms", kernel_map,
		   "@file"),
	PASSED_ROW("-jdir", "PATH", "look for jitdumps, logs, perf maps in these folders first",
		   names.jitdumps, "@file"),
	PASSED_ROW("-sympath", "PATH", "look for programs and libraries in these folders first",
		   names.sympath, "@file"),
	PASSED_ROW("-program", "FILE", "the program that an XRay log is of", program, "@file"),
	{ { "-clip" },
	  "PERCENT",
	  "leave out lines below",
	  option_clip,
	  OPTION_TO(struct arcf, options.clip) },
	{ { "-n" },
	  "ROWS",
	  "so many rows of text (default: 30; 0: all); significant changes are always shown",
	  option_number,
	  OPTION_TO(struct arcf, how.rows),
	  .most = 1u << 31 },
	PASSED_ROW("-o", "FILE", "write to this file (default: standard output)", output, "@file"),
	OPTION_JSON_ROW(struct arcf, FORM, 0),
	OPTION_CSV_ROW(struct arcf, FORM, 0),
	{ { "-folded" },
	  NULL,
	  "folded stacks, one value per input: two inputs make difffolded's flame graphs",
	  option_set,
	  OPTION_TO(struct arcf, how.folded),
	  .group = FORM },
	{ { "-v" },
	  NULL,
	  "more; of budgets all lines",
	  option_set,
	  OPTION_TO(struct arcf, options.verbose) },
	{ { "-q" },
	  NULL,
	  "only errors on standard error",
	  option_set,
	  OPTION_TO(struct arcf, options.quiet) },
	OPTION_HELP_ROWS,
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
static const struct option_table table = {
	.program = "arcf",
	.parts = parts,
	.strict = 1 << FORM | 1 << WHAT | 1 << SCALE | 1 << SURE,
	.operands = "@file",
	.usage = "usage: arcf [-merge | -add | -subtract | -min] [OPTION]... FILE...\n"
		 "       arcf -diff [OPTION]... BEFORE AFTER\n"
		 "       arcf -budget BUDGET [OPTION]... [BASE] FILE\n"
		 "       arcf -new-budget [OPTION]... FILE\n",
	.notes =
		"FILE is whatever post reads (log-rt, log-gen, traces, perf.data, pprof), or folded stacks.\n"
		"A line of BUDGET: PATTERN METRIC LIMIT [TOLERANCE], as in  parse* self 1.5M 1%\n\n"
		"Exit code: 0; 1: a budget is exceeded, or an input is damaged or lost records; 2: it failed.",
};

static bool option_key(const struct option_given *given, void *to)
{
	static const char *const names[] = { "name", "path", "process", "thread" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(given->text, names[i]) != 0)
			continue;
		*(enum compare_key *)to = (enum compare_key)i;
		return true;
	}
	complain("-by: '%s' is none of name, path, process, thread", given->text);
	return false;
}

static bool option_clip(const struct option_given *given, void *to)
{
	if (unit_percent(given->text, to))
		return true;
	complain("-clip: %s is not a percentage from 0 to 100", given->text);
	return false;
}

/* Returns false after a message. */
static bool has_inputs(const struct arcf *a, int count)
{
	int wanted = a->how.what == COMPARE_DIFFERENCE ? 2 : a->how.what == COMPARE_NEW_BUDGET;

	if (a->how.budget && (a->how.what >= COMPARE_DIFFERENCE || a->how.folded)) {
		complain("-budget goes with none of -diff, -new-budget, -folded");
		return false;
	}
	if (a->how.what == COMPARE_NEW_BUDGET &&
	    (a->form != FORM_WORDS || a->how.folded || a->how.key != BY_NAME)) {
		complain("-new-budget is of functions, and has one form");
		return false;
	}
	if (count > COMPARED_MOST) {
		complain("at most %d inputs are compared", COMPARED_MOST);
		return false;
	}
	if (wanted ? count == wanted : count >= 1)
		return true;
	complain("%s takes %s, not %d: see %s --help",
		 wanted == 2 ? "-diff" :
		 wanted      ? "-new-budget" :
			       called_as("arcf"),
		 wanted == 2 ? "two files, the older one first" :
		 wanted      ? "one file" :
			       "a file or more",
		 count, called_as("arcf"));
	return false;
}

int main(int argc, char **argv)
{
	static struct arcf a = { .how = { .key = BY_DEFAULT, .rows = COMPARE_ROWS } };
	struct option_rest rest;

	signal(SIGPIPE, SIG_IGN);
	switch (options_parse(&table, 0, &a, argc, argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return fflush(stdout) || ferror(stdout) ? EXIT_UNREADABLE : EXIT_CLEAN;
	default:
		return EXIT_UNREADABLE;
	}
	if (a.how.key == BY_DEFAULT)
		a.how.key = a.how.folded ? BY_PROCESS : BY_NAME;
	a.options.json = a.form == FORM_JSON;
	a.options.csv = a.form == FORM_CSV;
	if (!has_inputs(&a, rest.count))
		return EXIT_UNREADABLE;
	return compare_files(&a.options, &a.how, (const char *const *)rest.words,
			     (uint32_t)rest.count);
}
