/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syscalls.out: number, time and errors of system calls, by call, by process and by thread. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
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

/* Who a row is of, at each of these levels; NULL: nobody in particular. */
typedef void (*print_who)(FILE *out, const struct job *job, uint32_t key);

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

/* ---- text ------------------------------------------------------------------------------------ */

static void write_heading(FILE *out, const char *who)
{
	fprintf(out, "%10s%9s%8s%13s%13s%13s%12s%12s%12s  %s%s\n", "COUNT", "ERRORS", "NO EXIT",
		"TOTAL ms", "OFF CPU ms", "WAITING ms", "MEAN us", "P95 us", "MAX us", "CALL", who);
}

static void write_row(const struct job *job, FILE *out, const struct syscalls *c, uint32_t row,
		      print_who who)
{
	const struct syscall_row *r = &c->row[row];
	const struct syscall_error *e;
	uint32_t n, i;
	char room[64];

	fprintf(out, "%10" PRIu64 "%9" PRIu64 "%8" PRIu64, r->time.count, r->errors, missing(r));
	print_ms(out, 13, r->time.total);
	print_ms(out, 13, r->off);
	print_ms(out, 13, r->wait);
	print_us(out, 12, spread_mean(&r->time));
	print_us(out, 12, spread_percentile(&r->time, 950));
	print_us(out, 12, r->time.max);
	fprintf(out, "  %s", name_of(job, r->call, room));
	if (who) {
		fprintf(out, "%*s", strlen(room) < 19 ? 20 - (int)strlen(room) : 1, "");
		who(out, job, r->thread);
	}
	e = syscalls_errors(c, row, &n);
	for (i = 0; i < n; i++)
		fprintf(out, "%s%s %" PRIu64, i ? ", " : "  [",
			error_name(e[i].error, room, sizeof(room)), e[i].count);
	fputs(n ? "]" : "", out);
	putc('\n', out);
}

static int write_table(const struct job *job, FILE *out, const char *heading, uint32_t most,
		       uint32_t (*key)(const struct names *n, uint32_t thread), print_who who)
{
	uint32_t *order, count, i;
	struct syscalls c;
	int rc = syscalls_group(&c, &job->model->times.syscalls, key);

	if (rc)
		return rc;
	rc = order_by(&order, &count, c.nrow, time_value, c.row);
	if (!rc) {
		write_heading(out, heading);
		for (i = 0; i < count && i < most; i++)
			write_row(job, out, &c, order[i], who);
		if (i < count)
			fprintf(out, "%10s and %u more\n", "", count - i);
		free(order);
	}
	syscalls_free(&c);
	return rc;
}

static bool nothing(const struct job *job, FILE *out)
{
	if (job->trace->major[PITRACE_SYSCALL])
		return false;
	times_missing(job, out, "system call", PITRACE_SYSCALL, "syscall dispatch");
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
	rc = write_table(job, out, "", UINT32_MAX, by_call, NULL);
	fputs("\nOFF CPU: the part of TOTAL in which the thread slept or was blocked, WAITING: in which it\n"
	      "could run and had no CPU; both from dispatch records. NO EXIT: the thread ended inside,\n"
	      "the trace did, or the exit was lost; they are not in COUNT. P95 is too high by up to\n"
	      "1/32 of itself. /32 is a call of a 32-bit program.\n",
	      out);
	if (!rc) {
		times_banner(out, "Process and call");
		rc = write_table(job, out, "                PROCESS", UINT32_MAX, by_process,
				 print_process);
	}
	if (!rc) {
		times_banner(out, "Thread and call");
		rc = write_table(job, out, "                THREAD", UINT32_MAX, by_thread,
				 print_thread);
	}
	return rc;
}

static int syscalls_screen(const struct job *job, FILE *out)
{
	if (nothing(job, out))
		return 0;
	putc('\n', out);
	return write_table(job, out, "                PROCESS", SCREEN_CALLS, by_process,
			   print_process);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static void json_row(const struct job *job, struct json *j, const struct syscalls *c, uint32_t row)
{
	const struct syscall_row *r = &c->row[row];
	const struct syscall_error *e;
	uint32_t n, i;
	char room[64];

	json_string(j, "call", name_of(job, r->call, room));
	json_uint(j, "number", r->call & ~PITRACE_SYSCALL_COMPAT);
	json_bool(j, "compat", (r->call & PITRACE_SYSCALL_COMPAT) != 0);
	json_spread(j, "time", &r->time);
	json_uint(j, "off_ns", r->off);
	json_uint(j, "wait_ns", r->wait);
	json_uint(j, "no_return", r->no_return);
	json_uint(j, "open", r->open);
	json_uint(j, "cut", r->cut);
	json_uint(j, "error_count", r->errors);
	json_object(j, "errors");
	e = syscalls_errors(c, row, &n);
	for (i = 0; i < n; i++)
		json_uint(j, error_name(e[i].error, room, sizeof(room)), e[i].count);
	json_end(j, '}');
}

static int syscalls_json(const struct job *job, struct json *j)
{
	struct syscalls c;
	uint32_t i;
	int rc = syscalls_group(&c, &job->model->times.syscalls, by_thread);

	if (rc)
		return rc;
	json_object(j, "syscalls");
	json_uint(j, "exits_without_entry", c.stray);
	json_array(j, "threads");
	for (i = 0; i < c.nrow; i++) {
		json_object(j, NULL);
		json_thread(j, job, "", c.row[i].thread);
		json_row(job, j, &c, i);
		json_end(j, '}');
	}
	json_end(j, ']');
	syscalls_free(&c);
	rc = syscalls_group(&c, &job->model->times.syscalls, by_call);
	if (!rc) {
		json_array(j, "calls");
		for (i = 0; i < c.nrow; i++) {
			json_object(j, NULL);
			json_row(job, j, &c, i);
			json_end(j, '}');
		}
		json_end(j, ']');
		syscalls_free(&c);
	}
	json_end(j, '}');
	return rc;
}

static int syscalls_csv(const struct job *job, FILE *out)
{
	struct syscalls c;
	uint32_t i;
	char room[64];
	int rc = syscalls_group(&c, &job->model->times.syscalls, by_thread);

	if (rc)
		return rc;
	fputs("pid,process,tid,thread,call,number,errors,off_ns,wait_ns,no_return,open,cut," CSV_SPREAD
	      "\n",
	      out);
	for (i = 0; i < c.nrow; i++) {
		const struct syscall_row *r = &c.row[i];

		csv_thread(out, job, r->thread);
		fprintf(out,
			"%s,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",",
			name_of(job, r->call, room), r->call & ~PITRACE_SYSCALL_COMPAT, r->errors,
			r->off, r->wait, r->no_return, r->open, r->cut);
		csv_spread(out, &r->time);
		putc('\n', out);
	}
	syscalls_free(&c);
	return 0;
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
