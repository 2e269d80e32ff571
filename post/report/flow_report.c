/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -flow: the calls between functions, one line each time that a thread enters or returns to one. */
#include "report/run_access.h"

#include <errno.h>
#include <stdlib.h>

#define DEEPEST 60 /* maximum columns of indentation */

static const char calls_head[] =
	"# flow: a line each time that a thread comes to a function: CPU, U (user), nanoseconds until it goes\n"
	"# on to another, @, how many functions it is in, pid_tid_name[_threadname] (hexadecimal), and, the\n"
	"# deeper the further to the right, symbol:module\n"
	"#\n";
static const char values_head[] =
	"# flow: a line each time that a thread comes to a function: CPU, U (user), the log's value until it\n"
	"# goes on to another, @, how many functions it is in, pid_tid_name[_threadname] (hexadecimal), and,\n"
	"# the deeper the further to the right, symbol:module\n"
	"#\n";
static const char head[] =
	"# flow: a line each time that a thread comes to a function: CPU, K (kernel) or U (user), number of\n"
	"# instructions until it leaves it, @ or ? (not continuous: ?WHY at the end), how many functions it\n"
	"# is in, pid_tid_name[_threadname] (hexadecimal), and, the deeper the further to the right,\n"
	"# symbol:module, +offset where it does not begin at its start; - for the depth: what the next function\n"
	"# loads or stores, with its size, the address, =symbol:module+offset if it is known what stands there\n"
	"#\n";

static void print_run(struct run_lines *l, const struct run *run)
{
	const struct run_text *symbol = run_symbol(l, run), *thread = run_thread(l, run);
	const struct itrace_run *r = &run->r;
	char *p;

	if (l->columns.form) {
		run_columns(l, run);
		return;
	}
	p = numbers_begin(&l->out, (size_t)symbol->length + thread->length);
	if (!p) {
		l->failed = true;
		return;
	}
	p = put_decimal(p, r->cpu, 3);
	p = put_char(p, ' ');
	p = put_char(p, r->kernel ? 'K' : 'U');
	p = put_char(p, ' ');
	p = put_decimal(p, r->count, 8);
	p = put_char(p, ' ');
	p = put_char(p, r->doubt ? '?' : '@');
	p = put_char(p, ' ');
	p = put_decimal(p, run->depth, 3);
	p = put_char(p, ' ');
	p = put_text(p, thread->text, thread->length);
	p = put_blanks(p, run->depth < DEEPEST ? run->depth : DEEPEST);
	p = put_text(p, symbol->text, symbol->length);
	if (run->place.unsure)
		p = put_char(p, '?');
	if (run->place.offset) {
		p = put_word(p, r->known ? " +" : " ~+");
		p = put_hex(p, run->place.offset, 0);
	}
	if (r->doubt) {
		p = put_word(p, " ?");
		p = put_word(p, itrace_doubt_word(r->doubt));
	}
	p = put_char(p, '\n');
	numbers_end(&l->out, p);
}

static int print_access(struct run_lines *l, const struct pirecord *r)
{
	const struct run_text *thread;
	struct run_access a;
	int rc = run_access_read(l, r, &a);
	char *p;

	if (rc <= 0)
		return rc;
	if (l->columns.form) {
		run_access_columns(l, &a);
		return 0;
	}
	thread = run_thread(l, &a.at);
	p = numbers_begin(&l->out, thread->length + run_access_texts(l, &a));
	if (!p)
		return -ENOMEM;
	p = put_decimal(p, a.at.r.cpu, 3);
	p = put_word(p, a.at.r.kernel ? " K        0 " : " U        0 ");
	p = put_char(p, a.at.r.doubt ? '?' : '@');
	p = put_word(p, "   - ");
	p = put_text(p, thread->text, thread->length);
	p = put_char(p, ' ');
	access_end(l, p, &a);
	return 0;
}

static int flow_write(const struct job *job, FILE *out)
{
	struct run_lines l = {
		.by_function = true,
		.plt_once = job->options->plt_once,
		.print = print_run,
		.record = print_access,
		.nested = true,
	};

	return run_lines_write(&l, job, out,
			       job->input->calls  ? calls_head :
			       job->input->values ? values_head :
						    head);
}

const struct report report_flow = {
	.name = "flow",
	.usage = "  -flow             the calls among them, nested (flow.out)\n",
	.kinds = REPORT_OF_RUNS,
	.path = "flow.out",
	.mode = 0666,
	.needs = NEED_RUNS,
	.write = flow_write,
	.csv = flow_write,
};
