/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hdump: reports a Java heap dump by classes, objects, dominators, paths from roots, and compares
 * dumps. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "called_as.h"
#include "complain.h"
#include "hdump.h"
#include "option_store.h"
#include "option_table.h"

enum { FORM = 1, WHAT };

#define WHAT_ROW(name, words, which)                                                 \
	{                                                                            \
		{ name }, NULL, words, option_assign, OPTION_TO(struct hdump, what), \
			.value = which, .group = WHAT                                \
	}

static option_store option_paths;

static const struct option_row rows[] = {
	WHAT_ROW("-biggest", "the objects that retain most", SHOW_BIGGEST),
	WHAT_ROW("-dominators", "the dominator tree, with the bytes that each object retains",
		 SHOW_DOMINATORS),
	{ { "-r" },
	  "ID",
	  "paths from roots to the object of this id",
	  option_paths,
	  OPTION_TO(struct hdump, id_text),
	  .value = SHOW_PATHS,
	  .group = WHAT },
	WHAT_ROW("-diff", "differences of the second dump from the first", SHOW_DIFFERENCE),
	WHAT_ROW("-rdiff", "differences of the first dump from the second", SHOW_REVERSE),
	WHAT_ROW("-suspects", "classes that grow from each dump to the next, three or more",
		 SHOW_SUSPECTS),
	WHAT_ROW("-strings", "texts that are the value of several strings", SHOW_STRINGS),
	WHAT_ROW("-pprof", "the dominator tree by classes as a profile, for post, arcf, pprof",
		 SHOW_PPROF),
	{ { "-n" },
	  "ROWS",
	  "show at most this many rows (default: 30, in JSON and CSV all; 0: all)",
	  option_number,
	  OPTION_TO(struct hdump, rows),
	  .most = 1u << 31 },
	{ { "-o" },
	  "FILE",
	  "write to this file (default: standard output)",
	  option_text,
	  OPTION_TO(struct hdump, file),
	  .complete = "@file" },
	{ { "-q" }, NULL, "no progress", option_set, OPTION_TO(struct hdump, quiet) },
	OPTION_JSON_ROW(struct hdump, FORM, 0),
	OPTION_CSV_ROW(struct hdump, FORM, 0),
	OPTION_HELP_ROWS,
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
static const struct option_table table = {
	.program = "hdump",
	.parts = parts,
	.strict = 1 << WHAT,
	.operands = "@file",
	.usage =
		"usage: hdump [-biggest | -dominators | -r ID | -strings] [-n ROWS] [-o FILE] [--json | --csv] DUMP\n"
		"       hdump -pprof -o PROFILE DUMP\n"
		"       hdump -diff | -rdiff [-n ROWS] [-o FILE] [--json | --csv] DUMP DUMP\n"
		"       hdump -suspects [-n ROWS] [-o FILE] [--json | --csv] DUMP DUMP DUMP...\n",
	.notes =
		"DUMP is a heap dump in HPROF format, as written by a Java VM (jcmd PID GC.heap_dump FILE), plain\n"
		"or compressed by gzip. By default it is shown by classes: objects, their bytes, and what they\n"
		"retain.\n\n"
		"Exit code: 0; 1: a dump is damaged, its readable part was shown; 2: it failed.",
};

/* -r: stores the id and selects the report of paths. */
static bool option_paths(const struct option_given *given, void *to)
{
	struct hdump *o = (struct hdump *)((char *)to - offsetof(struct hdump, id_text));
	char *end;

	errno = 0;
	o->id_text = given->text;
	o->id = strtoull(given->text, &end, 0);
	o->what = SHOW_PATHS;
	if (!errno && end != given->text && !*end && o->id && *given->text != '-')
		return true;
	complain("%s: '%s' is not an object id (0x7f0012345678)", given->name, given->text);
	return false;
}

static int show(struct hdump *o)
{
	switch (o->what) {
	case SHOW_CLASSES:
		return show_classes(o);
	case SHOW_DIFFERENCE:
	case SHOW_REVERSE:
		return show_difference(o);
	case SHOW_SUSPECTS:
		return show_suspects(o);
	case SHOW_BIGGEST:
		return show_biggest(o);
	case SHOW_DOMINATORS:
		return show_dominators(o);
	case SHOW_PATHS:
		return show_paths(o);
	case SHOW_STRINGS:
		return show_strings(o);
	case SHOW_PPROF:
		return show_pprof(o);
	}
	return EXIT_HDUMP;
}

/* Checks that a profile is asked for as such. Returns false after a message. */
static bool has_form(const struct hdump *o)
{
	if (o->what != SHOW_PPROF || (o->form == FORM_WORDS && o->rows == HDUMP_ROWS))
		return true;
	complain("-pprof writes a whole profile: --json, --csv and -n do not go with it");
	return false;
}

/* Checks the number of dumps. Returns false after a message. */
static bool has_dumps(const struct hdump *o)
{
	bool two = o->what == SHOW_DIFFERENCE || o->what == SHOW_REVERSE;
	bool several = o->what == SHOW_SUSPECTS;

	if (several ? o->count >= 3 : o->count == (two ? 2 : 1))
		return true;
	complain("%s takes %s, not %d: see %s -help",
		 several ? "-suspects" :
		 two     ? "a comparison (-diff, -rdiff)" :
			   "this report",
		 several ? "three dumps or more, from the oldest to the newest" :
		 two     ? "two dumps, the older one first" :
			   "one dump",
		 o->count, called_as("hdump"));
	return false;
}

static int run(struct hdump *o)
{
	int code = show(o), rc = output_close(&o->output);

	if (rc) {
		complain("%s: %s", o->file ? o->file : "standard output", output_error(rc));
		return EXIT_HDUMP;
	}
	return code ? code : o->damaged ? EXIT_DAMAGED : 0;
}

int main(int argc, char **argv)
{
	struct hdump o = { .rows = HDUMP_ROWS };
	struct option_rest rest;

	/* Have free() return large arrays to the system at once. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	signal(SIGPIPE, SIG_IGN);
	switch (options_parse(&table, 0, &o, argc, argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return fflush(stdout) || ferror(stdout) ? EXIT_HDUMP : 0;
	default:
		return EXIT_HDUMP;
	}
	o.paths = rest.words;
	o.count = rest.count;
	return has_form(&o) && has_dumps(&o) ? run(&o) : EXIT_HDUMP;
}
