// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints counts as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "escape.h"
#include "tool.h"

/* ---- threads --------------------------------------------------------------------------------- */

static void values(FILE *out, const struct dump *d, const uint64_t *value)
{
	double cpi;

	for (uint32_t i = 0; i < d->info.metrics; i++)
		fprintf(out, " %18" PRIu64, value[i]);
	if (d->cpi[0] >= 0 && cpi_of(d, value, &cpi))
		fprintf(out, " %8.3f", cpi);
	else if (d->cpi[0] >= 0)
		fprintf(out, " %8s", "-");
}

static void headings(FILE *out, const struct dump *d)
{
	for (uint32_t i = 0; i < d->info.metrics; i++) {
		char name[19];

		fprintf(out, " %18s", escape_into(name, sizeof(name), d->info.metric[i]));
	}
	if (d->cpi[0] >= 0)
		fprintf(out, " %8s", "CPI");
}

static void show_thread(FILE *out, const struct dump *d, const struct ptt_row *row)
{
	const struct ptt_thread_data *t = &row->t;

	fprintf(out, "%8d %8d", t->pid, t->tid);
	if (dump_used(d, t)) {
		fprintf(out, " %10" PRIu64 " %10" PRIu64, t->dispatches, t->interrupts);
		values(out, d, t->value);
	} else {
		fprintf(out, " %*s", 21 + 19 * (int)d->info.metrics + (d->cpi[0] >= 0 ? 9 : 0),
			"No Data");
	}
	fputs("  ", out);
	escape_print(out, t->name);
	if (row->cgroup) {
		fputs(" in ", out);
		escape_print(out, row->cgroup);
	}
	putc('\n', out);
}

/* The sum of a process's threads, which has a line of its own if there are several. */
struct process_sum {
	int threads;
	struct ptt_thread_data sum;
};

static void add(struct process_sum *p, const struct ptt_thread_data *t)
{
	p->threads++;
	p->sum.pid = t->pid;
	p->sum.dispatches += t->dispatches;
	p->sum.interrupts += t->interrupts;
	for (int i = 0; i < PTT_METRICS; i++)
		p->sum.value[i] += t->value[i];
}

static void show_process(FILE *out, const struct dump *d, const struct process_sum *p)
{
	if (p->threads < 2)
		return;
	fprintf(out, "%8d %8s %10" PRIu64 " %10" PRIu64, p->sum.pid, "all", p->sum.dispatches,
		p->sum.interrupts);
	values(out, d, p->sum.value);
	putc('\n', out);
}

static void show_grouped(FILE *out, const struct dump *d)
{
	for (int i = 0; i < d->rows;) {
		struct process_sum p = { 0 };
		int pid = d->row[i].t.pid;

		for (; i < d->rows && d->row[i].t.pid == pid; i++) {
			show_thread(out, d, &d->row[i]);
			add(&p, &d->row[i].t);
		}
		show_process(out, d, &p);
	}
}

/* Shows the threads of all processes in one order, then the processes in the order of their first
 * threads. */
static void show_ordered(FILE *out, const struct dump *d)
{
	struct process_sum *p = calloc((size_t)d->rows + 1, sizeof(*p));
	int n = 0;

	for (int i = 0; i < d->rows; i++) {
		int at = 0;

		show_thread(out, d, &d->row[i]);
		while (p && at < n && p[at].sum.pid != d->row[i].t.pid)
			at++;
		if (p)
			add(&p[at], &d->row[i].t);
		n += at == n;
	}
	for (int i = 0; p && i < n; i++)
		show_process(out, d, &p[i]);
	free(p);
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

/* Shows that the parts of each CPU add up to its time, to the last cycle. */
static void show_books(FILE *out, const struct dump *d)
{
	for (uint32_t i = 0; i < d->info.metrics; i++) {
		uint64_t all = 0, wall = 0;

		for (int b = 0; b < PTTVIEW_BUCKETS; b++) {
			uint64_t sum = 0;

			for (int c = 0; c < d->cpus; c++)
				sum += d->cpu[c].bucket[b][i];
			fprintf(out, "%s%s %" PRIu64, b ? " + " : "", bucket_names[b], sum);
			all += sum;
		}
		for (int c = 0; c < d->cpus; c++)
			wall += d->cpu[c].wall[i];
		fprintf(out, " = %" PRIu64, all);
		if (all == wall)
			fputs(", all of the CPUs' ", out);
		else
			fprintf(out, ", but the CPUs' is %" PRIu64 " ", wall);
		escape_print(out, d->info.metric[i]);
		putc('\n', out);
	}
}

static void show_cpus(FILE *out, const struct dump *d)
{
	fputs("\n     CPU                      DISP       INTR", out);
	headings(out, d);
	putc('\n', out);
	for (int c = 0; c < d->cpus; c++) {
		const struct pttview_cpu *cpu = &d->cpu[c];

		for (int b = 0; b < PTTVIEW_BUCKETS; b++) {
			fprintf(out, "%8d %-32s", d->cpu_number[c], bucket_names[b]);
			values(out, d, cpu->bucket[b]);
			putc('\n', out);
		}
		fprintf(out, "%8d %-10s %10" PRIu64 " %10" PRIu64, d->cpu_number[c], "all",
			cpu->dispatches, cpu->interrupts);
		values(out, d, cpu->wall);
		for (uint32_t i = 0; i < d->info.metrics; i++)
			if (cpu->missing & 1u << i)
				escape_printf(out, "  (%s: not all the time)", d->info.metric[i]);
		putc('\n', out);
	}
	if (!d->cpus) {
		fputs("CAP_PERFMON is needed to see what else the CPUs did.\n", out);
		return;
	}
	show_books(out, d);
	fputs(d->whole ?
		      "All threads' own values add up to the threads' part.\n" :
		      "Threads ran on while this was read: their values are newer than the threads' part.\n",
	      out);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void show_gone(FILE *out, const struct dump *d)
{
	const struct pttview_gone *gone = &d->gone;

	if (gone->threads) {
		fprintf(out, "%17s %10" PRIu64 " %10" PRIu64, "earlier", gone->dispatches,
			gone->interrupts);
		values(out, d, gone->value);
		fprintf(out, "  %" PRIu64 " threads that ended%s\n", gone->threads,
			d->torn ? " (more ended while these were read)" : "");
	}
	if (gone->unwatched)
		fprintf(out,
			"%" PRIu64 " threads were not counted: there was no room for them (-n)\n",
			gone->unwatched);
}

static void show_words(FILE *out, const struct ptt_options *o, const struct dump *d)
{
	if (d->interval)
		fprintf(out, "%sInterval %" PRIu64 ": what came in it\n",
			d->interval > 1 ? "\n" : "", d->interval);
	fputs("     PID      TID       DISP       INTR", out);
	headings(out, d);
	fputs("  NAME\n", out);
	if (o->sort == SORT_PROCESS)
		show_grouped(out, d);
	else
		show_ordered(out, d);
	if (!d->rows && (d->partly || !d->gone.threads))
		fputs("No Data\n", out);
	if (!d->partly)
		show_gone(out, d);
	if (o->cpus)
		show_cpus(out, d);
	if (d->charged)
		fputs("Interrupts are charged to the threads that they interrupt.\n", out);
	if (*d->info.note)
		escape_printf(out, "%s\n", d->info.note);
	fprintf(out, "in %" PRIu64 ".%03" PRIu64 " s\n", d->elapsed / 1000000000,
		d->elapsed / 1000000 % 1000);
}

void show(FILE *out, const struct ptt_options *o, const struct dump *d)
{
	switch (o->form) {
	case FORM_WORDS:
		show_words(out, o, d);
		break;
	case FORM_JSON:
		show_json(out, d);
		break;
	case FORM_CSV:
		show_csv(out, d);
		break;
	}
}
