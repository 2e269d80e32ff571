/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces, then runs post to report the trace. run.tprof, run.itrace and run.jprof add what differs.
 */
#include <unistd.h>
#include "called_as.h"
#include "complain.h"
#include "report_run.h"
#include "run_post.h"

/* Makes the report, and the HTML page if --html was given. */
static int reports(const char *post, const struct report_run *p)
{
	int code = run_post(post, &p->run, p->program->post_option);

	if (p->html && code != EXIT_SWTRACE && run_post_page(post, &p->run) == EXIT_SWTRACE)
		return EXIT_SWTRACE;
	return code;
}

static int trace_and_report(struct report_run *p)
{
	struct trace_run *r = &p->run;
	char post[4096];
	int code;

	if (p->what != TRACE_ONLY && !run_post_find(post, sizeof(post)))
		return fail("no program 'post' beside %s or in PATH; with -t no report is made",
			    p->program->name);
	if (p->what == POST_ONLY) {
		if (!caller_get(&r->caller))
			return EXIT_SWTRACE;
		return reports(post, p);
	}
	code = run_go(r);
	if (code)
		return code;
	if (r->paused)
		fail("the command ended before -s was over: there are no samples");
	if (p->what == TRACE_AND_POST)
		code = reports(post, p);
	return r->command && code != EXIT_SWTRACE ? run_code(r) : code;
}

const struct option_row report_run_rows[] = {
	{ { "-a" },
	  NULL,
	  "trace and report (default)",
	  option_assign,
	  OPTION_TO(struct report_run, what),
	  .value = TRACE_AND_POST,
	  .group = PART },
	{ { "-t" },
	  NULL,
	  "trace only",
	  option_assign,
	  OPTION_TO(struct report_run, what),
	  .value = TRACE_ONLY,
	  .group = PART },
	{ { "--report-only", "-p" },
	  NULL,
	  "report only what was traced before",
	  option_assign,
	  OPTION_TO(struct report_run, what),
	  .value = POST_ONLY,
	  .group = PART },
	{ { "-b" },
	  "MB",
	  "trace buffer of each CPU (4)",
	  option_size,
	  OPTION_TO(struct report_run, run.t.trace_bytes),
	  .value = 1 << 20 },
	{ { "-d", "-r" },
	  "SECONDS",
	  "trace for so long; the command continues untraced",
	  option_duration,
	  OPTION_TO(struct report_run, run.duration),
	  .least = 1 },
	CALLER_ROOT_ROW(0),
	{ { "--jit" },
	  NULL,
	  "have Java, node and Python report the code that they generate",
	  option_set,
	  OPTION_TO(struct report_run, run.jit) },
	OPTION_ROWS_END
};

bool report_run_until_enter(struct report_run *p)
{
	if (!isatty(STDIN_FILENO)) {
		complain(
			"standard input is not a terminal, on which to ask when to stop: give -r SECONDS or a command");
		return false;
	}
	p->run.terminal = STDIN_FILENO;
	return true;
}

int report_run_main(const struct report_program *program, int argc, char **argv)
{
	struct report_run p = { .program = program, .what = TRACE_AND_POST };
	struct option_rest rest;

	run_defaults(&p.run);
	if (program->begin)
		program->begin(&p);
	switch (options_parse(program->options, 0, &p, argc, argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return 0;
	case OPTIONS_UNKNOWN:
		fprintf(stderr, "Try: %s --help\n", called_as(program->name));
		return EXIT_SWTRACE;
	default:
		return EXIT_SWTRACE;
	}
	if (rest.count)
		p.run.command = rest.words;
	if (p.html && p.what == TRACE_ONLY)
		return fail("-t makes no report, and --html is one");
	if (p.html)
		run_wants_stacks(&p.run);
	if (p.what == POST_ONLY && (rest.given > 1u + p.html || rest.count))
		return fail(
			"-p (--report-only) traces nothing: no other option and no command can be given; "
			"a process that runs is traced by: swtrace run -p PID");
	if (p.what != POST_ONLY && !program->check(&p))
		return EXIT_SWTRACE;
	return trace_and_report(&p);
}
