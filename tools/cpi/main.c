/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpi: cycles per instruction, of a command, for a time, or until Ctrl-C. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "complain.h"
#include "cpi.h"
#include "next_option.h"
#include "output.h"
#include "units.h"

static const char usage[] =
	"usage: cpi -c [-a] [-u | -k] [-o FILE] [--json | --csv] [--] COMMAND [ARG]...\n"
	"       cpi [-s TIME] [-r TIME] [-u | -k] [-o FILE] [--json | --csv]\n\n"
	"  -c           of a command and all that it creates\n"
	"  -a           of all CPUs, while the command runs\n"
	"  -s TIME      begin after so long (5s, 2m; without a unit seconds)\n"
	"  -r TIME      for so long (default: until Ctrl-C)\n"
	"  -u, -k       of user code only, of the kernel only\n"
	"  -o FILE      write it there (default: standard output; -c: standard error)\n"
	"  --json, --csv   for programs, for spreadsheets\n"
	"  -h, --help, --version\n\n"
	"Without -c of each CPU and of all. It needs the CPU's counters of cycles and instructions.\n\n"
	"Exit code: -c: the command's own; else 1: a counter did not count all the time; 125 cpi failed,\n"
	"126 the command cannot be executed, 127 it was not found.";

static bool take_time(const char *option, const char *text, uint64_t *ns)
{
	if (unit_time(text, ns) && *ns && *ns <= 1000000ull * 1000000000)
		return true;
	return complain("%s: '%s' is no time", option, text), false;
}

/* 0, or an exit code + 1. */
static int take(struct cpi *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "c", no_argument, NULL, 'c' }, { "a", no_argument, NULL, 'a' },
		{ "s", required_argument, NULL, 's' }, { "r", required_argument, NULL, 'r' },
		{ "u", no_argument, NULL, 'u' }, { "k", no_argument, NULL, 'k' },
		{ "o", required_argument, NULL, 'o' }, { "json", no_argument, NULL, 'j' },
		{ "csv", no_argument, NULL, 'v' }, { "h", no_argument, NULL, 'h' },
		{ "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	/* "+": what follows the command's name are its own options. */
	while ((c = next_option(argc, argv, "+", longs)) != -1) {
		bool ok = true;

		switch (c) {
		case 'c':
			o->command = true;
			break;
		case 'a':
			o->all = true;
			break;
		case 's':
			ok = take_time("-s", optarg, &o->delay);
			break;
		case 'r':
			ok = take_time("-r", optarg, &o->run);
			break;
		case 'u':
		case 'k':
			ok = o->priv == TRACE_PRIV_ANY;
			if (!ok)
				complain("one of -u, -k");
			o->priv = c == 'u' ? TRACE_PRIV_USER : TRACE_PRIV_KERNEL;
			break;
		case 'o':
			o->file = optarg;
			break;
		case 'j':
			o->form = FORM_JSON;
			break;
		case 'v':
			o->form = FORM_CSV;
			break;
		case 'h':
			puts(usage);
			return 1;
		case 'V':
			printf("cpi (pitrace) %s\n", PITRACE_VERSION);
			return 1;
		default:
			ok = false;
		}
		if (!ok)
			return EXIT_CPI + 1;
	}
	o->words = argv + optind;
	return 0;
}

static int report(const struct cpi *o, const struct result *r, bool *whole)
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
	struct result result;
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

int main(int argc, char **argv)
{
	struct cpi o = { .priv = TRACE_PRIV_ANY };
	int code = take(&o, argc, argv);

	if (code) {
		code--;
	} else if (o.command ? !o.words[0] || o.delay || o.run : o.words[0] || o.all) {
		fprintf(stderr, "%s\n", usage);
		code = EXIT_CPI;
	} else {
		code = run(&o);
	}
	if (fflush(stdout) || ferror(stdout))
		return complain("standard output cannot be written: %s", strerror(errno)), EXIT_CPI;
	return code;
}
