/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of options, and how they are read. An unknown one is an error. */
#include "agent_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "metrics.h"

#define VARIABLE "JPROFOPTS"

/* Each says why not, or NULL. */
typedef const char *option_set(struct agent_options *o, const char *text, size_t n);

static const char *set_nothing(struct agent_options *o, const char *text, size_t n)
{
	(void)o, (void)text, (void)n;
	return NULL;
}

static const char *set_tree(struct agent_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->tree = true;
	return NULL;
}

static const char *set_flow(struct agent_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->tree = false;
	return NULL;
}

static const char *set_trace(struct agent_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->trace = true;
	return NULL;
}

static const char *set_types(struct agent_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->types = true;
	return NULL;
}

static const char *set_static(struct agent_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->types = o->static_types = true;
	return NULL;
}

static const char *set_no_natives(struct agent_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->no_natives = true;
	return NULL;
}

static const char *set_lines(struct agent_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->lines = true;
	return NULL;
}

static const char *set_code(struct agent_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->code = true;
	return NULL;
}

static const char *set_text_log(struct agent_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->text = true;
	return NULL;
}

static const char *set_filter(struct method_filter *f, const char *text, size_t n)
{
	return filter_set(f, text, n) ? "patterns separated by + are needed" : NULL;
}

static const char *set_methods(struct agent_options *o, const char *text, size_t n)
{
	return set_filter(&o->methods, text, n);
}

static const char *set_threads(struct agent_options *o, const char *text, size_t n)
{
	return set_filter(&o->threads, text, n);
}

static const char *set_name(char *to, size_t size, const char *text, size_t n)
{
	if (!n || n >= size)
		return n ? "it is too long" : "a name is needed";
	memcpy(to, text, n);
	to[n] = 0;
	return NULL;
}

static const char *set_mode(struct agent_options *o, const char *text, size_t n)
{
	o->probes = n == 6 && !memcmp(text, "probes", n);
	return o->probes || (n == 7 && !memcmp(text, "rewrite", n)) ? NULL :
								      "it is rewrite or probes";
}

static const char *set_metrics(struct agent_options *o, const char *text, size_t n)
{
	(void)o;
	return metrics_set(text, n);
}

static const char *set_minima(struct agent_options *o, const char *text, size_t n)
{
	o->no_minima = n == 4 && !memcmp(text, "none", n);
	return o->no_minima ? NULL : set_name(o->minima, sizeof(o->minima), text, n);
}

static const char *set_folder(struct agent_options *o, const char *text, size_t n)
{
	return set_name(o->folder, sizeof(o->folder), text, n);
}

static const char *set_path(struct agent_options *o, const char *text, size_t n)
{
	return set_name(o->path, sizeof(o->path), text, n);
}

static const char *set_prefix(struct agent_options *o, const char *text, size_t n)
{
	return memchr(text, '/', n) ? "a slash is no part of a name: LOGPATH= has the folder" :
				      set_name(o->prefix, sizeof(o->prefix), text, n);
}

static const struct agent_option {
	const char *name; /* with '=': a text follows */
	const char *argument, *help;
	unsigned int parts; /* that it asks for */
	option_set *set;    /* NULL: help */
} options[] = {
	{ "CALLFLOW", "", "the tree of calls with what each method took", PART_CALLS, set_flow },
	{ "CALLTREE", "", "the tree of calls without", PART_CALLS, set_tree },
	{ "CALLTRACE", "", "each entry and exit as well, to log-gen.1_PID, which post reads",
	  PART_CALLS, set_trace },
	{ "METHODTYPES", "", "a letter for each method: I interpreted, J jitted, N native",
	  PART_CALLS, set_types },
	{ "STATDYN", "", "small letters for static methods", PART_CALLS, set_static },
	{ "EXITPOP", "", "an exit ends the calls above it by exception (as always)", PART_CALLS,
	  set_nothing },
	{ "NONATIVES", "", "native methods stay as they are", PART_CALLS, set_no_natives },
	{ "CLASSMETHODS=", "PATTERN[+…]",
	  "methods: package/Class.method(descriptor) with *; -PATTERN excludes", 0, set_methods },
	{ "THREADS=", "PATTERN[+…]", "threads by their names, likewise", 0, set_threads },
	{ "MODE=", "rewrite|probes",
	  "how calls are seen: by changed classes (as always), or the VM's own probes", PART_CALLS,
	  set_mode },
	{ "METRICS=", "NAME[+…]",
	  "what is measured: wall (as always), tsc, instructions, … as ptt has them", PART_CALLS,
	  set_metrics },
	{ "CALIBRATION=", "FILE", "where minima are kept (in the user's cache), or none",
	  PART_CALLS, set_minima },
	{ "OBJECTINFO", "", "objects and bytes by method, allocated and live (log-objects)",
	  PART_OBJECTS, set_nothing },
	{ "TPROF", "", "names for profiles: of code with its instructions (jitdump), of threads",
	  PART_NAMES | PART_THREADS, set_code },
	{ "ITRACE", "", "the same", PART_NAMES | PART_THREADS, set_code },
	{ "JITA2N", "", "names of code to log-jita2n, not to a jitdump", PART_NAMES, set_text_log },
	{ "JINSTS", "", "the methods' instructions too", PART_NAMES, set_code },
	{ "code", "", "the same, for post -annotate", PART_NAMES, set_code },
	{ "lines", "", "source lines too, those of inlined methods too", PART_NAMES, set_lines },
	{ "dir=", "FOLDER",
	  "where the jitdump goes (LOGPATH, else $JITDUMPDIR, else the working folder)", PART_NAMES,
	  set_folder },
	{ "THREADINFO", "", "names of threads, their begin and end (log-jtnm)", PART_THREADS,
	  set_nothing },
	{ "START", "", "begin at once (as always)", 0, set_nothing },
	{ "LOGPATH=", "FOLDER", "where the logs go (the working folder)", 0, set_path },
	{ "LOGPREFIX=", "NAME",
	  "the log's name before .N_PID (log-rt); log-gen is NAME-gen, log-objects NAME-objects", 0,
	  set_prefix },
	{ "HELP", "", "print this text", 0, NULL },
	{ "help", "", "the same", 0, NULL },
};
#define OPTIONS (sizeof(options) / sizeof(*options))

static void usage(void)
{
	printf("%s: %s\n  -agentpath:.../%s[=OPTION[,OPTION]...], and before that " VARIABLE
	       "=OPTION,... in the environment\n",
	       agent_kind.name, agent_kind.does, agent_kind.library);
	for (size_t i = 0; i < OPTIONS; i++)
		printf("  %s%-*s  %s\n", options[i].name, (int)(24 - strlen(options[i].name)),
		       options[i].argument, options[i].help);
}

static const struct agent_option *find_option(const char *text, size_t n)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		size_t length = strlen(options[i].name);

		if (n >= length && !strncmp(text, options[i].name, length) &&
		    (n == length || options[i].name[length - 1] == '='))
			return &options[i];
	}
	return NULL;
}

static int wrong(const char *from, const char *text, size_t n, const char *why)
{
	escape_printf(stderr, "%s: %s%.*s: %s (HELP lists the options)\n", agent_kind.name, from,
		      (int)n, text, why);
	return -1;
}

static int parse(struct agent_options *o, const char *from, const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, ","), length;
		const struct agent_option *a = find_option(text, n);
		const char *why = a ? NULL : "unknown option";

		if (a && !a->set) {
			usage();
			return 0;
		}
		length = a ? strlen(a->name) : 0;
		if (a)
			why = a->set(o, text + length, n - length);
		if (n && why)
			return wrong(from, text, n, why);
		if (a)
			o->parts |= a->parts;
		text += n + (text[n] == ',');
	}
	return 1;
}

int options_take(struct agent_options *o, const char *text)
{
	int rc;

	*o = (struct agent_options){ 0 };
	rc = parse(o, VARIABLE ": ", getenv(VARIABLE));
	if (rc > 0)
		rc = parse(o, "", text);
	if (rc > 0 && !o->parts)
		o->parts = agent_kind.part;
	if (rc > 0 && o->text && o->lines)
		rc = wrong("", "lines", 5, "log-jita2n, which JITA2N asks for, has no lines");
	if (rc <= 0)
		options_free(o);
	return rc;
}

void options_free(struct agent_options *o)
{
	filter_free(&o->methods);
	filter_free(&o->threads);
}
