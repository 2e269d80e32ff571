/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -verify: checks an instruction trace for consistency. Each run is disassembled with libopcodes
 * from its start: it must have as many instructions as its record says, no unconditional branch
 * before its end, and end with a branch that can reach the recorded target.
 */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "report/columns.h"
#include "report/steps.h"

#define WRONG_SHOWN 20
#define REASONS     16
#define SEEN_BITS   14

struct seen {
	uint64_t start, end, to, count;
	uint32_t pid, version, epoch;
	uint8_t what, type, cause;
	bool known, kernel, crosses, misfit;
};

struct verify {
	struct steps steps;
	struct columns columns; /* errors in JSON or CSV */
	FILE *out;              /* errors as text */
	struct seen *seen;      /* correct runs, which need no second check */
	uint64_t right, right_ends, wrong, unchecked;
	struct {
		const char *why;
		uint64_t runs;
	} reason[REASONS]; /* reasons why runs were not checked */
};

static void not_checked(struct verify *v, const char *why)
{
	size_t i;

	v->unchecked++;
	for (i = 0; i + 1 < REASONS && v->reason[i].why && v->reason[i].why != why; i++)
		;
	v->reason[i].why = why;
	v->reason[i].runs++;
}

/* ---- one run --------------------------------------------------------------------------------- */

static const char *check_last(const struct run *run, const struct insn *insn)
{
	static const enum insn_kind kinds[] = {
		[PITRACE_BRANCH_CALL] = INSN_CALL,     [PITRACE_BRANCH_RETURN] = INSN_RETURN,
		[PITRACE_BRANCH_JUMP] = INSN_JUMP,     [PITRACE_BRANCH_IRET] = INSN_IRET,
		[PITRACE_BRANCH_OTHER] = INSN_SYSCALL,
	};
	const struct itrace_run *r = &run->r;

	if (insn->kind == INSN_PLAIN || insn->kind == INSN_TRAP)
		return "the instruction at its end is not a branch";
	if (r->type != PITRACE_BRANCH_UNDEFINED && insn->kind != kinds[r->type])
		return "the branch at its end is of another kind";
	if (insn->direct && !r->crosses && insn->kind != INSN_SYSCALL && insn->target != r->to)
		return "the branch at its end goes elsewhere";
	return NULL;
}

static const char *check_middle(const struct insn *insn)
{
	if (insn->kind != INSN_PLAIN && !insn->conditional)
		return "an instruction before its end cannot but go elsewhere";
	return NULL;
}

/* Checks the end of a run that did not end with a branch. */
static const char *check_break(const struct itrace_run *r, uint64_t address,
			       const struct insn *last)
{
	/* A run without instructions is the call in which its trace began. */
	if (r->what == ITRACE_BREAK && r->cause == PITRACE_BREAK_SYSCALL && r->count)
		return last && last->kind == INSN_SYSCALL ?
			       NULL :
			       "the instruction at its end is not a system call";
	if (r->what == ITRACE_BREAK &&
	    (r->cause == PITRACE_BREAK_SIGRETURN || r->cause == PITRACE_BREAK_EXEC))
		return NULL; /* its end does not follow from it: another program, a call */
	return !r->end || address == r->end ? NULL : "its instructions end elsewhere";
}

/* Checks a run. *wrong: an error message or NULL; *at: its address. *why: the reason why the run
 * could not be checked. */
static int check_run(struct verify *v, const struct run *run, const char **wrong, uint64_t *at,
		     const char **why)
{
	const struct itrace_run *r = &run->r;
	bool branch = r->what == ITRACE_BRANCH;
	uint64_t address = r->known ? r->start : r->end, n = r->known ? r->count : branch;
	const struct insn *insn = NULL;
	int rc = 0;

	*wrong = r->misfit ? "it cannot begin where the thread's run before went" : NULL;
	*why = NULL;
	for (; n && !*wrong; n--, address += insn->length) {
		*at = address;
		rc = steps_at(&v->steps, run, address, &insn, why);
		if (rc || !insn)
			return rc;
		if (n > 1)
			*wrong = check_middle(insn);
		else if (branch)
			*wrong = address != r->end ? "its instructions end elsewhere" :
						     check_last(run, insn);
		else if (r->what == ITRACE_BREAK &&
			 (r->cause < PITRACE_BREAK_SIGRETURN || r->cause > PITRACE_BREAK_EXEC))
			*wrong = check_middle(insn);
	}
	if (!*wrong && !branch && r->known)
		*wrong = check_break(r, address, insn);
	return 0;
}

static const struct itrace_run nowhere;

/* Writes the number of runs with this outcome; or for one run, its location and error. */
static void print_columns(struct verify *v, const char *outcome, const char *why, uint64_t runs,
			  const struct itrace_run *r, uint64_t at)
{
	bool is = r != &nowhere;
	struct columns *c = &v->columns;

	columns_begin(c);
	do {
		column_text(c, "outcome", outcome);
		column_text(c, "why", why);
		column_uint(c, "runs", true, runs);
		column_uint(c, "tid", is, r->tid);
		column_uint(c, "time", is, r->time);
		column_uint(c, "instructions", is, r->count);
		column_hex(c, "start", is, r->start);
		column_hex(c, "end", is, r->end);
		column_hex(c, "to", is, r->to);
		column_hex(c, "at", is, at);
	} while (columns_end(c));
}

static void print_wrong(struct verify *v, const struct itrace_run *r, const char *wrong,
			uint64_t at)
{
	if (v->wrong++ >= WRONG_SHOWN)
		return;
	if (v->columns.form)
		print_columns(v, "wrong", wrong, 1, r, at);
	else
		fprintf(v->out,
			"wrong: thread %u at %" PRIu64 ".%09" PRIu64 ": %" PRIu64
			" instructions from 0x%" PRIx64 " to the one at 0x%" PRIx64
			", then 0x%" PRIx64 ": at 0x%" PRIx64 ": %s\n",
			r->tid, r->time / 1000000000, r->time % 1000000000, r->count, r->start,
			r->end, r->to, at, wrong);
}

static struct seen *find_seen(struct verify *v, const struct run *run, struct seen *key)
{
	const struct itrace_run *r = &run->r;

	memset(key, 0, sizeof(*key));
	key->start = r->start;
	key->end = r->end;
	key->to = r->to;
	key->count = r->count;
	key->pid = r->pid;
	key->version = run->version;
	key->epoch = v->steps.bytes.epoch + 1;
	key->what = r->what;
	key->type = r->type;
	key->cause = r->cause;
	key->known = r->known;
	key->kernel = r->kernel;
	key->crosses = r->crosses;
	key->misfit = r->misfit;
	return &v->seen[hash_mix(r->start ^ r->count << 48, r->end) >> 8 & ((1u << SEEN_BITS) - 1)];
}

static int verify_run(void *arg, const struct run *run)
{
	const struct itrace_run *r = &run->r;
	const char *wrong, *why;
	struct verify *v = arg;
	struct seen key, *seen;
	uint64_t at = 0;
	int rc;

	if (!r->known && !r->misfit && r->what != ITRACE_BRANCH) {
		not_checked(v, "where the run began is not known");
		return 0;
	}
	seen = find_seen(v, run, &key);
	if (memcmp(seen, &key, sizeof(key)) != 0) {
		rc = check_run(v, run, &wrong, &at, &why);
		if (rc)
			return rc;
		if (why) {
			not_checked(v, why);
			return 0;
		}
		if (wrong) {
			print_wrong(v, r, wrong, at);
			return 0;
		}
		*seen = key;
	}
	v->right++;
	v->right_ends += !r->known;
	return 0;
}

static int verify_record(void *arg, const struct pirecord *r)
{
	return code_bytes_record(&((struct verify *)arg)->steps.bytes, r);
}

/* ---- the report ------------------------------------------------------------------------------ */

static const char *reason(const struct verify *v, size_t i)
{
	return i == REASONS - 1 ? "other reasons" : v->reason[i].why;
}

static void sums_columns(struct verify *v)
{
	size_t i;

	print_columns(v, "right", NULL, v->right - v->right_ends, &nowhere, 0);
	print_columns(v, "right", "the last instruction alone: where they began is not known",
		      v->right_ends, &nowhere, 0);
	if (v->wrong > WRONG_SHOWN)
		print_columns(v, "wrong", "more", v->wrong - WRONG_SHOWN, &nowhere, 0);
	for (i = 0; i < REASONS && v->reason[i].why; i++)
		print_columns(v, "not checked", reason(v, i), v->reason[i].runs, &nowhere, 0);
}

static void print_sums(const struct verify *v, const struct itrace *t, FILE *out)
{
	size_t i;

	fprintf(out, "%12" PRIu64 " runs of %" PRIu64 " instructions\n", t->runs, t->instructions);
	fprintf(out, "%12" PRIu64 " right", v->right);
	if (v->right_ends)
		fprintf(out,
			" (of %" PRIu64
			" the last instruction alone: where they began is not known)",
			v->right_ends);
	fprintf(out, "\n%12" PRIu64 " wrong\n%12" PRIu64 " not checked\n", v->wrong, v->unchecked);
	for (i = 0; i < REASONS && v->reason[i].why; i++)
		fprintf(out, "%12" PRIu64 "   %s\n", v->reason[i].runs, reason(v, i));
}

static int verify_write(const struct job *job, FILE *out)
{
	struct verify *v = calloc(1, sizeof(*v));
	struct runs_reader reader = { .run = verify_run, .record = verify_record, .arg = v };
	int rc;

	if (!v)
		return -ENOMEM;
	v->out = v->columns.out = out;
	v->columns.form = columns_form(job->options);
	v->seen = calloc(1u << SEEN_BITS, sizeof(*v->seen));
	rc = steps_begin(&v->steps, &job->model->names, job->input);
	if (!rc && !v->seen)
		rc = -ENOMEM;
	if (!rc)
		rc = read_runs(job->input, job->trace, job->model, &job->read, &reader);
	if (!rc && v->columns.form)
		sums_columns(v);
	else if (!rc)
		print_sums(v, &reader.books, out);
	if (!rc && v->wrong) {
		complain("%" PRIu64 " runs of instructions make no sense", v->wrong);
		rc = REPORT_WRONG;
	}
	steps_free(&v->steps);
	free(v->seen);
	free(v);
	return rc;
}

const struct report report_verify = {
	.name = "verify",
	.usage = "  -verify           whether the runs make sense, by libopcodes, on stdout\n",
	.kinds = REPORT_OF_RUNS | REPORT_OF_CODE | REPORT_OF_ONE,
	.path = "-",
	.mode = 0666,
	.needs = NEED_RUNS,
	.absent = runs_absent,
	.write = verify_write,
	.csv = verify_write,
};
