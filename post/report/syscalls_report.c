/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syscalls.out: number, time and errors of system calls, by call, by process and by thread. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/call_names.h"

#define SCREEN_CALLS 15

static uint32_t by_call(const struct names *n, uint32_t thread)
{
	(void)n;
	(void)thread;
	return 0;
}

static uint32_t by_process(const struct names *n, uint32_t thread)
{
	return n->process[n->thread[thread].process].group;
}

static uint32_t by_thread(const struct names *n, uint32_t thread)
{
	return n->thread[thread].group;
}

static uint64_t missing(const struct syscall_row *r)
{
	return r->no_return + r->open + r->cut;
}

static uint64_t time_value(const void *rows, uint32_t i)
{
	const struct syscall_row *r = (const struct syscall_row *)rows + i;

	return r->time.total + (r->time.count || missing(r));
}

static const char *name_of(const struct job *job, uint32_t call, char room[64])
{
	char machine[33];

	snprintf(machine, sizeof(machine), "%.*s", (int)sizeof(job->input->header.machine),
		 job->input->header.machine);
	return call_name(machine, call, room, 64);
}

/* ---- columns --------------------------------------------------------------------------------- */

struct syscall_line {
	const struct syscall_row *of;
	const struct syscalls *all; /* has its errors */
	const char *call;
	uint32_t number;
	bool compat;
	uint64_t missing;
};

static void errors_text(const struct cell *x)
{
	const struct syscall_line *l = x->value;
	const struct syscall_error *e;
	uint32_t n, i;
	char room[64];

	e = syscalls_errors(l->all, (uint32_t)(l->of - l->all->row), &n);
	for (i = 0; i < n; i++)
		fprintf(x->out, "%s%s %" PRIu64, i ? ", " : "  [",
			error_name(e[i].error, room, sizeof(room)), e[i].count);
	fputs(n ? "]" : "", x->out);
}

static void errors_json(const struct cell *x)
{
	const struct syscall_line *l = x->value;
	const struct syscall_error *e;
	uint32_t n, i;
	char room[64];

	json_object(x->json, x->column->name);
	e = syscalls_errors(l->all, (uint32_t)(l->of - l->all->row), &n);
	for (i = 0; i < n; i++)
		json_uint(x->json, error_name(e[i].error, room, sizeof(room)), e[i].count);
	json_end(x->json, '}');
}

static const struct column_sort sort_errors = { .text = errors_text, .json = errors_json };

enum { BY_CALL = 1, BY_PROCESS = 2, BY_THREAD = 4 };

#define AT(member) COLUMN_AT(struct syscall_line, member)
#define OF(member) COLUMN_OF(struct syscall_row, member)
static const struct column columns[] = {
	{ .title = "PROCESS",
	  .before = " ",
	  .parts = BY_PROCESS,
	  .text_turn = 2,
	  OF(thread),
	  PROCESS },
	{ "", "THREAD", " ", .parts = BY_THREAD, .text_turn = 2, OF(thread), THREAD },
	{ "call", "CALL", "  ", .parts = BY_CALL, .text_turn = 1, AT(call) },
	{ "call", "CALL", "  ", -19, .parts = BY_PROCESS | BY_THREAD, .text_turn = 1, AT(call) },
	{ "number", AT(number) },
	{ "compat", .forms = IN_JSON, AT(compat) },
	{ "time", .csv_turn = 1, OF(time), SPREAD },
	{ .title = "COUNT", WIDE(10), OF(time.count) },
	{ "errors", "ERRORS", WIDE(9), .forms = IN_TEXT | IN_CSV, OF(errors) },
	{ .title = "NO EXIT", WIDE(8), AT(missing) },
	{ .title = "TOTAL ms", MS(13), OF(time.total) },
	{ "off_ns", "OFF CPU ms", MS(13), OF(off) },
	{ "wait_ns", "WAITING ms", MS(13), OF(wait) },
	{ .title = "MEAN us", OF(time), MEAN(12) },
	{ .title = "P95 us", OF(time), PERCENTILE(12, 950) },
	{ .title = "MAX us", US(12), OF(time.max) },
	{ "no_return", OF(no_return) },
	{ "open", OF(open) },
	{ "cut", OF(cut) },
	{ "error_count", .forms = IN_JSON, OF(errors) },
	{ "errors", "", .forms = IN_TEXT | IN_JSON, .text_turn = 3, .sort = &sort_errors },
	COLUMNS_END,
};
#undef AT
#undef OF

static void write_row(struct table *t, const struct syscalls *c, uint32_t row)
{
	const struct syscall_row *r = &c->row[row];
	char room[64];

	table_row(t, &(struct syscall_line){
			     .of = r,
			     .all = c,
			     .call = name_of(t->job, r->call, room),
			     .number = r->call & ~PITRACE_SYSCALL_COMPAT,
			     .compat = (r->call & PITRACE_SYSCALL_COMPAT) != 0,
			     .missing = missing(r),
		     });
}

static int group(struct table *t, struct syscalls *c, unsigned int part)
{
	t->part = part;
	return syscalls_group(c, &t->job->model->times.syscalls,
			      part == BY_CALL    ? by_call :
			      part == BY_PROCESS ? by_process :
						   by_thread);
}

/* ---- text ------------------------------------------------------------------------------------ */

static int write_table(const struct job *job, FILE *out, unsigned int part, uint32_t most)
{
	struct table t = table_text(job, out);
	uint32_t *order, count, i;
	struct syscalls c;
	int rc = group(&t, &c, part);

	if (rc)
		return rc;
	rc = order_by(&order, &count, c.nrow, time_value, c.row);
	if (!rc) {
		table_begin(&t, columns, NULL);
		for (i = 0; i < count && i < most; i++)
			write_row(&t, &c, order[i]);
		if (i < count)
			fprintf(out, "%10s and %u more\n", "", count - i);
		free(order);
	}
	syscalls_free(&c);
	return rc;
}

static bool nothing(const struct job *job, FILE *out)
{
	static const uint16_t majors[] = { PITRACE_SYSCALL, PITRACE_DISPATCH, 0 };

	if (job->trace->major[PITRACE_SYSCALL])
		return false;
	times_missing(job, out, "system call records", majors);
	return true;
}

static int syscalls_write(const struct job *job, FILE *out)
{
	int rc;

	times_head(job, out, "System call");
	if (nothing(job, out))
		return 0;
	if (job->model->times.syscalls.stray)
		fprintf(out,
			"\n%" PRIu64 " exits without an entry: made before the trace, or lost\n",
			job->model->times.syscalls.stray);
	times_banner(out, "Call");
	rc = write_table(job, out, BY_CALL, UINT32_MAX);
	fputs("\nOFF CPU: the part of TOTAL in which the thread slept or was blocked, WAITING: in which it\n"
	      "could run and had no CPU; both from dispatch records. NO EXIT: the thread ended inside,\n"
	      "the trace did, or the exit was lost; they are not in COUNT. P95 is too high by up to\n"
	      "1/32 of itself. /32 is a call of a 32-bit program.\n",
	      out);
	if (!rc) {
		times_banner(out, "Process and call");
		rc = write_table(job, out, BY_PROCESS, UINT32_MAX);
	}
	if (!rc) {
		times_banner(out, "Thread and call");
		rc = write_table(job, out, BY_THREAD, UINT32_MAX);
	}
	return rc;
}

static int syscalls_screen(const struct job *job, FILE *out)
{
	if (nothing(job, out))
		return 0;
	putc('\n', out);
	return write_table(job, out, BY_PROCESS, SCREEN_CALLS);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

/* Writes the rows in the model's order. */
static int write_rows(struct table *t, unsigned int part, const char *name)
{
	struct syscalls c;
	uint32_t i;
	int rc = group(t, &c, part);

	if (rc)
		return rc;
	table_begin(t, columns, name);
	for (i = 0; i < c.nrow; i++)
		write_row(t, &c, i);
	table_end(t);
	syscalls_free(&c);
	return 0;
}

static int syscalls_json(const struct job *job, struct json *j)
{
	struct table t = table_json(job, j);
	int rc;

	json_object(j, "syscalls");
	json_uint(j, "exits_without_entry", job->model->times.syscalls.stray);
	rc = write_rows(&t, BY_THREAD, "threads");
	if (!rc)
		rc = write_rows(&t, BY_CALL, "calls");
	json_end(j, '}');
	return rc;
}

static int syscalls_csv(const struct job *job, FILE *out)
{
	struct table t = table_csv(job, out);

	return write_rows(&t, BY_THREAD, NULL);
}

const struct report report_syscalls = {
	.name = "syscalls",
	.usage = "  -syscalls         system calls: number, errors, time (syscalls.out)\n",
	.path = "syscalls.out",
	.mode = 0666,
	.needs = NEED_TIMES,
	.write = syscalls_write,
	.screen = syscalls_screen,
	.json = syscalls_json,
	.csv = syscalls_csv,
};
