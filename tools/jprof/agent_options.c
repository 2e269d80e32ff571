/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of options. */
#include "agent_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "pitrace.h"

#define VARIABLE "JPROFOPTS"
#define SCS_RATE 997

static const char *set_static(void *options, const char *text, size_t n)
{
	struct agent_options *o = options;

	(void)text, (void)n;
	o->calls.types = o->static_types = true;
	return NULL;
}

static const char *set_no_natives(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct agent_options *)o)->no_natives = true;
	return NULL;
}

static const char *set_lines(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct agent_options *)o)->lines = true;
	return NULL;
}

static const char *set_code(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct agent_options *)o)->code = true;
	return NULL;
}

static const char *set_text_log(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct agent_options *)o)->text = true;
	return NULL;
}

static const char *set_thread_log(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct agent_options *)o)->thread_log = true;
	return NULL;
}

static const char *set_methods(void *o, const char *text, size_t n)
{
	return call_take_filter(&((struct agent_options *)o)->methods, text, n);
}

static const char *set_threads(void *o, const char *text, size_t n)
{
	return call_take_filter(&((struct agent_options *)o)->threads, text, n);
}

static const char *set_rate(void *options, const char *text, size_t n)
{
	struct agent_options *o = options;
	char word[16], *end;
	unsigned long rate;

	snprintf(word, sizeof(word), "%.*s", (int)n, text);
	rate = strtoul(word, &end, 10);
	if (*end || end == word || n >= sizeof(word) || rate < 1 || rate > PITRACE_MAX_RATE)
		return "a rate is 1 to 20000 samples a second";
	o->rate = (unsigned int)rate;
	return NULL;
}

static const char *set_sampled(void *options, const char *text, size_t n)
{
	static const char *const names[PITRACE_SAMPLED_KINDS] = { "cpu", "wall", "alloc", "lock" };
	struct agent_options *o = options;
	const char *end = text + n;

	o->sampled = 0;
	while (text < end) {
		size_t length = strcspn(text, "+"), i;

		if (length > (size_t)(end - text))
			length = (size_t)(end - text);
		for (i = 0; i < PITRACE_SAMPLED_KINDS; i++)
			if (strlen(names[i]) == length && !strncmp(names[i], text, length))
				break;
		if (i == PITRACE_SAMPLED_KINDS)
			break;
		o->sampled |= 1u << i;
		text += length + (text + length < end);
	}
	return text < end || !o->sampled ? "it is cpu, wall, alloc, lock, or several: cpu+wall" :
					   NULL;
}

static const char *set_kinds(void *options, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct agent_options *)options)->kinds = true;
	return NULL;
}

static const char *set_check(void *options, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct agent_options *)options)->check = true;
	return NULL;
}

static const char *set_gets(void *options, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct agent_options *)options)->gets = true;
	return NULL;
}

static const char *set_mode(void *options, const char *text, size_t n)
{
	struct agent_options *o = options;

	o->probes = n == 6 && !memcmp(text, "probes", n);
	return o->probes || (n == 7 && !memcmp(text, "rewrite", n)) ? NULL :
								      "it is rewrite or probes";
}

static const char *set_folder(void *options, const char *text, size_t n)
{
	struct agent_options *o = options;

	return call_take_name(o->folder, sizeof(o->folder), text, n);
}

static const char *set_now(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct agent_options *)o)->later = false;
	return NULL;
}

static const char *set_start(void *options, const char *text, size_t n)
{
	struct agent_options *o = options;

	o->later = n == 5 && !memcmp(text, "later", n);
	return o->later || (n == 3 && !memcmp(text, "now", n)) ? NULL : "it is now or later";
}

/* tcp or tcp:PORT */
static const char *set_control(void *options, const char *text, size_t n)
{
	struct agent_options *o = options;
	struct bytes b = bytes_of(text, n);
	uint64_t port = 0;

	o->tcp = n >= 3 && !memcmp(text, "tcp", 3);
	b.at = o->tcp ? 3 : 0;
	if (o->tcp && (b.at == n || (text_char(&b, ':') && text_number(&b, 10, &port) &&
				     port <= UINT16_MAX && !bytes_left(&b)))) {
		o->port = (uint16_t)port;
		return NULL;
	}
	return "it is tcp or tcp:PORT";
}

static const struct call_option rows[] = {
	{ "CALLFLOW", "", "the tree of calls with what each method took", call_set_flow,
	  PART_CALLS },
	{ "CALLTREE", "", "the tree of calls without that", call_set_tree, PART_CALLS },
	{ "CALLTRACE", "", "also each entry and exit, to log-gen.1_PID, which post reads",
	  call_set_trace, PART_CALLS },
	{ "METHODTYPES", "", "a letter for each method: I interpreted, J jitted, N native",
	  call_set_types, PART_CALLS },
	{ "STATDYN", "", "small letters for static methods", set_static, PART_CALLS },
	{ "EXITPOP", "", "an exit ends the calls above it by exception (always on)",
	  call_set_nothing, PART_CALLS },
	{ "NONATIVES", "", "do not trace native methods", set_no_natives, PART_CALLS },
	{ "CLASSMETHODS=", "PATTERN[+…]",
	  "methods: package/Class.method(descriptor) with *; -PATTERN excludes", set_methods, 0 },
	{ "THREADS=", "PATTERN[+…]", "threads by their names, likewise", set_threads, 0 },
	{ "MODE=", "rewrite|probes",
	  "how calls are recorded: by changed classes (default), or the VM's own probes", set_mode,
	  PART_CALLS },
	{ "METRICS=", "NAME[+…]", "the metrics: wall (default), tsc, instructions, … as for ptt",
	  call_set_metrics, PART_CALLS },
	{ "CALIBRATION=", "FILE", "the file of minima (in the user's cache), or none",
	  call_set_minima, PART_CALLS },
	{ "OBJECTINFO", "", "objects and bytes by method, allocated and live (log-objects)",
	  call_set_nothing, PART_OBJECTS },
	{ "SCS", "", "sampled stacks, to the session that records (swtrace run --jit -g)",
	  call_set_nothing, PART_STACKS | PART_NAMES },
	{ "SCSRATE=", "N", "samples a second of CPU time (997)", set_rate,
	  PART_STACKS | PART_NAMES },
	{ "SCSEVENTS=", "NAME[+…]", "the events: cpu (default), wall, alloc, lock", set_sampled,
	  PART_STACKS | PART_NAMES },
	{ "SCSKINDS", "",
	  "names include how the method ran: [interpreted], [C1], [C2], [inlined], [native]",
	  set_kinds, PART_STACKS | PART_NAMES },
	{ "SCSCHECK", "", "compare with the VM's AsyncGetCallTrace; counts at the end", set_check,
	  PART_STACKS | PART_NAMES },
	{ "TPROF", "", "names for profiles: of code with its instructions (jitdump), of threads",
	  set_code, PART_NAMES | PART_THREADS },
	{ "ITRACE", "", "the same", set_code, PART_NAMES | PART_THREADS },
	{ "JITA2N", "", "names of code to log-jita2n, not to a jitdump", set_text_log, PART_NAMES },
	{ "JINSTS", "", "the methods' instructions too", set_code, PART_NAMES },
	{ "code", "", "the same, for post -annotate", set_code, PART_NAMES },
	{ "lines", "", "source lines, too, including those of inlined methods", set_lines,
	  PART_NAMES },
	{ "dir=", "FOLDER",
	  "the jitdump's folder (LOGPATH, else $JITDUMPDIR, else the working folder)", set_folder,
	  PART_NAMES },
	{ "THREADINFO", "", "names of threads as records; their begin and end to log-jtnm",
	  set_thread_log, PART_THREADS },
	{ "START", "", "start immediately (default)", set_now, 0 },
	{ "START=", "now|later", "later: count calls from rtdriver's start on", set_start,
	  PART_CALLS },
	{ "LOGPATH=", "FOLDER", "the logs' folder (the working folder)", call_set_path, 0 },
	{ "LOGPREFIX=", "NAME",
	  "the log's name before .N_PID (log-rt); log-gen is NAME-gen, log-objects NAME-objects",
	  call_set_prefix, 0 },
	{ "JLM", "", "each get of a monitor, how long it is held, where threads park (log-jlm)",
	  set_gets, PART_LOCKS },
	{ "JLML", "", "blocks at monitors, and waits (log-jlm)", call_set_nothing, PART_LOCKS },
	{ "CONTROL", "", "listen for rtdriver from the start on (else it attaches)",
	  call_set_nothing, PART_CONTROL },
	{ "CONTROL=", "tcp[:PORT]", "also listen on 127.0.0.1, with a token in a file", set_control,
	  PART_CONTROL },
	{ "HELP", "", "print this text", NULL, 0 },
	{ "help", "", "the same", NULL, 0 },
	{ 0 },
};

static void usage(void)
{
	printf("%s: %s\n  -agentpath:.../%s[=OPTION[,OPTION]...], and before that " VARIABLE
	       "=OPTION,... in the environment\n",
	       agent_kind.name, agent_kind.does, agent_kind.library);
}

static struct call_option_list option_list(void)
{
	return (struct call_option_list){
		.rows = rows,
		.program = agent_kind.name,
		.after = "",
		.usage = usage,
	};
}

int options_take(struct agent_options *o, const char *text)
{
	const struct call_option_list list = option_list();
	int rc;

	*o = (struct agent_options){ .rate = SCS_RATE, .sampled = 1u << PITRACE_SAMPLED_CPU };
	rc = call_options_take(&list, &o->calls, VARIABLE ": ", getenv(VARIABLE));
	if (rc > 0)
		rc = call_options_take(&list, &o->calls, "", text);
	if (rc > 0 && !(o->calls.parts & ~(unsigned int)PART_CONTROL))
		o->calls.parts |= agent_kind.part;
	if (rc > 0 && o->text && o->lines)
		rc = call_options_wrong(&list, "", "lines", 5,
					"log-jita2n, which JITA2N selects, has no lines");
	if (rc > 0 && o->calls.tree && !o->calls.trace && o->calls.metrics)
		fprintf(stderr, "%s: CALLTREE shows no metrics: METRICS= has no effect\n",
			agent_kind.name);
	if (rc <= 0)
		options_free(o);
	return rc;
}

bool options_ask_control(struct agent_options *o, const char *text)
{
	const struct call_option_list list = option_list();
	bool asked = false;

	*o = (struct agent_options){ 0 };
	while (text && *text) {
		size_t n = strcspn(text, ",");
		const struct call_option *a = call_option_find(&list, text, n);

		if (a && a->parts == PART_CONTROL)
			asked |= !a->set(o, text + strlen(a->name), n - strlen(a->name));
		text += n + (text[n] == ',');
	}
	return asked;
}

void options_free(struct agent_options *o)
{
	filter_free(&o->methods);
	filter_free(&o->threads);
}
