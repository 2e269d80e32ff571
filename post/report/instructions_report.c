/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -disasm: every instruction that was executed, in order. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "report/run_lines.h"
#include "report/steps.h"

static const char head[] =
	"# disasm: every instruction that was executed, run by run: CPU, K (kernel) or U (user), @ or ? (the\n"
	"# run is not continuous with the thread's one before, or not sure: ?WHY at its first line), pid_tid\n"
	"# (hexadecimal), address, symbol:module+offset, instruction; [n: WHY] are n instructions whose bytes\n"
	"# are not to be had. :WHAT stands alone where no branch ended the run\n"
	"#\n";

struct instructions {
	struct run_lines lines;
	struct steps steps;
	uint64_t shown, missing;
};

/* The part of a line after the address. */
struct printed_code {
	const char *words;
	uint64_t missing; /* number of missing instructions, `words` says why; 0: none */
	bool end;         /* `words` is what ended the run */
};

static void print_columns(struct instructions *in, const struct run *run, uint64_t address,
			  const struct printed_code *t, bool doubt)
{
	const struct names *n = &in->lines.job->model->names;
	const struct symbol *s = &n->symbols.symbol[n->symbols.symbol[run->place.symbol].base];
	uint64_t place = itrace_place(&run->r);
	struct columns *c = &in->lines.columns;

	columns_begin(c);
	do {
		column_uint(c, "cpu", true, run->r.cpu);
		column_bool(c, "kernel", true, run->r.kernel);
		column_bool(c, "continuous", true, !doubt);
		column_text(c, "why", doubt ? itrace_doubt_word(run->r.doubt) : NULL);
		column_uint(c, "pid", true, run->r.pid);
		column_uint(c, "tid", true, run->r.tid);
		column_hex(c, "address", true, address);
		column_text(c, "symbol", place ? s->name : NULL);
		column_text(c, "module", place ? n->module[s->module].name : NULL);
		column_uint(c, "offset", place, run->place.offset + (address - place));
		column_text(c, "instruction", t->end || t->missing ? NULL : t->words);
		column_uint(c, "missing", t->missing, t->missing);
		column_text(c, "missing_because", t->missing ? t->words : NULL);
		column_text(c, "ended_by", t->end ? run_ended_by(run) : NULL);
	} while (columns_end(c));
}

/* Prints a line: address, text, and for the first of a run the reason for doubt. */
static void print_line_at(struct instructions *in, const struct run *run, uint64_t address,
			  const struct printed_code *t, bool first)
{
	const struct run_text *symbol = run_symbol(&in->lines, run);
	bool doubt = first && run->r.doubt;
	char *p;

	if (in->lines.columns.form) {
		print_columns(in, run, address, t, doubt);
		return;
	}
	p = numbers_begin(&in->lines.out, symbol->length + strlen(t->words));
	if (!p) {
		in->lines.failed = true;
		return;
	}
	p = put_decimal(p, run->r.cpu, 3);
	p = put_char(p, ' ');
	p = put_char(p, run->r.kernel ? 'K' : 'U');
	p = put_char(p, ' ');
	p = put_char(p, doubt ? '?' : '@');
	p = put_char(p, ' ');
	p = put_hex(p, run->r.pid, 0);
	p = put_char(p, '_');
	p = put_hex(p, run->r.tid, 0);
	p = put_char(p, ' ');
	p = put_hex(p, address, 16);
	p = put_char(p, ' ');
	p = put_text(p, symbol->text, symbol->length);
	p = put_char(p, '+');
	p = put_hex(p, run->place.offset + (address - itrace_place(&run->r)), 0);
	p = put_word(p, "  ");
	if (t->missing) {
		p = put_char(p, '[');
		p = put_decimal(p, t->missing, 0);
		p = put_word(p, ": ");
	}
	p = put_word(p, t->words);
	if (t->missing)
		p = put_char(p, ']');
	if (doubt) {
		p = put_word(p, "  ?");
		p = put_word(p, itrace_doubt_word(run->r.doubt));
	}
	p = put_char(p, '\n');
	numbers_end(&in->lines.out, p);
}

static void print_missing(struct instructions *in, const struct run *run, uint64_t address,
			  uint64_t n, const char *why, bool first)
{
	in->missing += n;
	print_line_at(in, run, address, &(struct printed_code){ .words = why, .missing = n },
		      first);
}

/* Prints n instructions from this address on. Returns 0 or -ENOMEM. */
static int print_steps(struct instructions *in, const struct run *run, uint64_t address, uint64_t n,
		       bool first)
{
	const struct insn *insn;
	const char *why;
	int rc;

	for (; n; n--, first = false) {
		rc = steps_at(&in->steps, run, address, &insn, &why);
		if (rc)
			return rc;
		if (!insn) {
			print_missing(in, run, address, n, why, first);
			return 0;
		}
		print_line_at(in, run, address, &(struct printed_code){ .words = insn->text },
			      first);
		address += insn->length;
		in->shown++;
	}
	return 0;
}

static void print_run(struct run_lines *l, const struct run *run)
{
	struct instructions *in = (struct instructions *)l;
	const struct itrace_run *r = &run->r;
	bool ends_at = r->what == ITRACE_BRANCH;
	char words[64];
	int rc;

	if (r->known) {
		rc = print_steps(in, run, r->start, r->count, true);
	} else {
		if (r->count > ends_at)
			print_missing(in, run, r->end, r->count - ends_at,
				      "before this: where the run began is not known", true);
		rc = ends_at ? print_steps(in, run, r->end, 1, r->count == 1) : 0;
	}
	if (r->what != ITRACE_BRANCH) {
		*run_words(words, run) = '\0';
		print_line_at(in, run, r->end,
			      &(struct printed_code){ .words = words, .end = true }, false);
	}
	l->failed |= rc != 0;
}

static int each_record(struct run_lines *l, const struct pirecord *r)
{
	return code_bytes_record(&((struct instructions *)l)->steps.bytes, r);
}

static int instructions_write(const struct job *job, FILE *out)
{
	struct instructions *in = calloc(1, sizeof(*in));
	int rc;

	if (!in)
		return -ENOMEM;
	rc = steps_begin(&in->steps, &job->model->names, job->input);
	in->lines.print = print_run;
	in->lines.record = each_record;
	if (!rc)
		rc = run_lines_write(&in->lines, job, out, head);
	if (!rc && !in->lines.columns.form)
		fprintf(out,
			"# Shown         %" PRIu64 " instructions, %" PRIu64
			" without their bytes\n",
			in->shown, in->missing);
	steps_free(&in->steps);
	free(in);
	return rc;
}

const struct report report_instructions = {
	.name = "disasm",
	.usage = "  -disasm           every instruction that was executed (disasm.out)\n",
	.kinds = REPORT_OF_RUNS | REPORT_OF_CODE,
	.path = "disasm.out",
	.mode = 0600, /* contains addresses */
	.needs = NEED_RUNS,
	.absent = runs_absent,
	.write = instructions_write,
	.csv = instructions_write,
};
