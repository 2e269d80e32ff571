/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpi: cycles per instruction, of a command, for a time, or until Ctrl-C. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "caller.h"
#include "complain.h"
#include "cpi.h"
#include "output.h"

#define LONGEST (1000000ull * 1000000000)

/* Groups of options that exclude one another. */
enum { FORM = 1, CODE };

static const struct option_row rows[] = {
	{ { "-c" },
	  NULL,
	  "count in a command and its descendants",
	  option_set,
	  OPTION_TO(struct cpi, command) },
	{ { "-a" },
	  NULL,
	  "count on all CPUs, while the command runs",
	  option_set,
	  OPTION_TO(struct cpi, all) },
	{ { "-s" },
	  "TIME",
	  "wait so long before counting begins (5s, 2m; without a unit seconds)",
	  option_duration,
	  OPTION_TO(struct cpi, delay),
	  .least = 1,
	  .most = LONGEST },
	{ { "-r" },
	  "TIME",
	  "count for so long (default: until Ctrl-C)",
	  option_duration,
	  OPTION_TO(struct cpi, run),
	  .least = 1,
	  .most = LONGEST },
	{ { "-u" },
	  NULL,
	  "count user code only",
	  option_assign,
	  OPTION_TO(struct cpi, priv),
	  .value = TRACE_PRIV_USER,
	  .group = CODE },
	{ { "-k" },
	  NULL,
	  "count the kernel only",
	  option_assign,
	  OPTION_TO(struct cpi, priv),
	  .value = TRACE_PRIV_KERNEL,
	  .group = CODE },
	{ { "-o" },
	  "FILE",
	  "write to this file (default: standard output; with -c standard error)",
	  option_text,
	  OPTION_TO(struct cpi, file),
	  .complete = "@file" },
	CALLER_ROOT_ROW(0),
	OPTION_JSON_ROW(struct cpi, FORM, 0),
	OPTION_CSV_ROW(struct cpi, FORM, 0),
	OPTION_HELP_ROWS,
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
static const struct option_table table = {
	.program = "cpi",
	.parts = parts,
	.strict = 1 << CODE,
	.operands = "@command",
	.ends = true,
	.usage = "usage: cpi -c [-a] [-u | -k] [-o FILE] [--json | --csv] [--] COMMAND [ARG]...\n"
		 "       cpi [-s TIME] [-r TIME] [-u | -k] [-o FILE] [--json | --csv]\n",
	.notes =
		"Without -c it counts on each CPU. The CPUs must have counters of cycles and instructions.\n\n"
		"Exit code: with -c the command's own; else 1: a counter did not count all the time; 125 cpi\n"
		"failed, 126 the command cannot be executed, 127 it was not found.",
};

static int report(const struct cpi *o, const struct cpi_result *r, bool *whole)
{
	struct output out = { .file = o->command ? stderr : stdout };
	int err = o->file ? output_open(&out, o->file, 0666) : 0;

	signal(SIGPIPE, SIG_IGN);
	if (!err)
		*whole = show(out.file, o, r);
	if (!err && o->file)
		err = output_close(&out);
	if (!err)
		return 0;
	complain("%s: %s", o->file, output_error(err));
	return EXIT_CPI;
}

static int run(const struct cpi *o)
{
	struct cpi_result result;
	int status = 0, code;
	bool whole = true;

	code = count(o, &result, &status);
	if (!code)
		code = report(o, &result, &whole);
	result_free(&result);
	if (code)
		return code;
	return o->command ? command_exit_code(status) : whole ? 0 : EXIT_MISSING;
}

/* Returns false after a message if the options contradict one another. */
static bool makes_sense(const struct cpi *o)
{
	if (o->command)
		return o->words[0] && !o->delay && !o->run;
	return !o->words[0] && !o->all;
}

static int execute(int argc, char **argv)
{
	struct cpi o = { .priv = TRACE_PRIV_ANY };
	struct option_rest rest;

	switch (options_parse(&table, 0, &o, argc, argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return 0;
	default:
		return EXIT_CPI;
	}
	o.words = rest.words;
	if (makes_sense(&o))
		return run(&o);
	options_help(stderr, &table);
	return EXIT_CPI;
}

int main(int argc, char **argv)
{
	int code = execute(argc, argv);

	if (fflush(stdout) || ferror(stdout)) {
		complain("standard output cannot be written: %s", strerror(errno));
		return EXIT_CPI;
	}
	return code;
}
