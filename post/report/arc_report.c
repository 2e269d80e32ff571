/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -arc: one line per run of instructions, after figure 3 of the paper. */
#include "report/run_access.h"

#include <errno.h>
#include <stdlib.h>

static const char head[] =
	"# arc: a line a run of instructions that follow one another, in the order in which they ended\n"
	"#   1  CPU\n"
	"#   2  K (kernel) or U (user)\n"
	"#   3  type of the last instruction:\n"
	"#      0 INTRPT 1 CALL 2 RETURN 3 JUMP 4 IRET 5 OTHER 6 UNDEFD 7 ALLOC\n"
	"#   4  number of instructions\n"
	"#   5  @ the flow goes on from the thread's line before; ? it does not, or that is not sure\n"
	"#   6  offset from the symbol's start (hexadecimal); ~ of the run's last instruction, because its\n"
	"#      first is not known\n"
	"#   7  symbol:module\n"
	"#   8  pid_tid_name[_threadname], numbers hexadecimal\n"
	"#   9  the type in words; :WHAT ended the run if no branch did; ?WHY field 5 is ?\n"
	"#  10  source line, with -line; 0: not known\n"
	"#   3 L or S: what an instruction of the next run loads or stores; 9 with its size; 10 the address,\n"
	"#     =symbol:module+offset if it is known what stands there\n"
	"#\n";

/* Prints ~ and the offset in the width of an offset. */
static char *put_end(char *p, uint64_t offset)
{
	char digits[17];
	size_t n = (size_t)(put_hex(digits, offset, 0) - digits);

	p = put_blanks(p, n < 6 ? 6 - (unsigned int)n : 0);
	p = put_char(p, '~');
	return put_text(p, digits, n);
}

static void print_run(struct run_lines *l, const struct run *run)
{
	const struct run_text *symbol = run_symbol(l, run), *thread = run_thread(l, run);
	const struct run_text *source = run_source(l, run);
	const struct itrace_run *r = &run->r;
	char *p;

	if (l->columns.form) {
		run_columns(l, run);
		return;
	}
	p = numbers_begin(&l->out, (size_t)symbol->length + thread->length + source->length);
	if (!p) {
		l->failed = true;
		return;
	}
	p = put_decimal(p, r->cpu, 3);
	p = put_char(p, ' ');
	p = put_char(p, r->kernel ? 'K' : 'U');
	p = put_char(p, ' ');
	p = put_char(p, (char)('0' + r->type));
	p = put_char(p, ' ');
	p = put_decimal(p, r->count, 6);
	p = put_char(p, ' ');
	p = put_char(p, r->doubt ? '?' : '@');
	p = put_char(p, ' ');
	p = r->known ? put_hex(p, run->place.offset, 7) : put_end(p, run->place.offset);
	p = put_char(p, ' ');
	p = put_text(p, symbol->text, symbol->length);
	if (run->place.unsure)
		p = put_char(p, '?');
	p = put_char(p, ' ');
	p = put_text(p, thread->text, thread->length);
	p = put_char(p, ' ');
	p = run_words(p, run);
	p = put_char(p, ' ');
	p = put_text(p, source->text, source->length);
	p = put_char(p, '\n');
	numbers_end(&l->out, p);
}

/* The instruction of an access is counted in its run. */
static int print_access(struct run_lines *l, const struct pirecord *r)
{
	const struct run_text *symbol, *thread;
	struct run_access a;
	int rc = run_access_read(l, r, &a);
	char *p;

	if (rc <= 0)
		return rc;
	if (l->columns.form) {
		run_access_columns(l, &a);
		return 0;
	}
	symbol = run_symbol(l, &a.at);
	thread = run_thread(l, &a.at);
	p = numbers_begin(&l->out,
			  (size_t)symbol->length + thread->length + run_access_texts(l, &a));
	if (!p)
		return -ENOMEM;
	p = put_decimal(p, a.at.r.cpu, 3);
	p = put_word(p, a.at.r.kernel ? " K " : " U ");
	p = put_word(p, a.store ? "S      0 " : "L      0 ");
	p = put_char(p, a.at.r.doubt ? '?' : '@');
	p = put_char(p, ' ');
	p = put_hex(p, a.at.place.offset, 7);
	p = put_char(p, ' ');
	p = put_text(p, symbol->text, symbol->length);
	p = put_char(p, ' ');
	p = put_text(p, thread->text, thread->length);
	p = put_char(p, ' ');
	access_end(l, p, &a);
	return 0;
}

static int arc_write(const struct job *job, FILE *out)
{
	struct run_lines l = {
		.by_function = job->options->by_function,
		.kernel_once = job->options->kernel_once,
		.plt_once = job->options->plt_once,
		.print = print_run,
		.record = print_access,
	};

	return run_lines_write(&l, job, out, head);
}

const struct report report_arc = {
	.name = "arc",
	.usage =
		"  -arc              every run of instructions that was traced, a line each (arc.out;\n"
		"                    with -json, as -flow, -disasm and -verify: JSON lines)\n"
		"  -c, -ck, -cp      of it: a line a function, one for the kernel, none for the plt\n",
	.kinds = REPORT_OF_RUNS | REPORT_BY_RUN,
	.path = "arc.out",
	.mode = 0666,
	.needs = NEED_RUNS,
	.absent = runs_absent,
	.write = arc_write,
	.csv = arc_write,
};
