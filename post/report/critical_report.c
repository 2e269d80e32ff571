/* SPDX-License-Identifier: GPL-3.0-or-later */
/* critical.out: the causes of threads' time, where threads waited, and for which threads. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/call_names.h"

#define SCREEN_BLAMES 12
#define SCREEN_EDGES  8

static const struct critical *critical_of(const struct job *job)
{
	return &job->model->times.critical;
}

/* ---- causes ---------------------------------------------------------------------------------- */

static const struct {
	const char *key, *text; /* key for JSON and CSV; text after a name, or on its own */
} kinds[BLAME_KINDS] = {
	[BLAME_RAN] = { "ran", "ran" },
	[BLAME_CPU] = { "had_cpu", "had the CPU" },
	[BLAME_IDLE] = { "cpu_idle", "the CPU was idle yet" },
	[BLAME_SLEPT] = { "slept", "slept until its timer" },
	[BLAME_IRQ] = { "interrupt", "was waited for" },
	[BLAME_SOME_IRQ] = { "some_interrupt", "waited for an interrupt" },
	[BLAME_UNWOKEN] = { "unknown_waker", "had an unknown waker" },
	[BLAME_UNFINISHED] = { "not_woken", "was not woken any more" },
	[BLAME_OUTSIDE] = { "out_of_scope", "is outside the trace's scope" },
	[BLAME_UNKNOWN] = { "unknown", "did what was not recorded" },
	[BLAME_MANY] = { "many", "many others, each with little" },
};

const char *blame_words(enum blame_kind kind)
{
	return kinds[kind].text;
}

struct blame_line {
	const struct blame *of;
	uint64_t others, system;
	double share;
	bool has_system;
};

static bool of_thread(const struct blame *b)
{
	return b->kind != BLAME_IRQ && b->who != BLAME_NOBODY;
}

static void blamed_text(const struct cell *x)
{
	const struct blame *b = ((const struct blame_line *)x->value)->of;
	const struct irqs *q = &x->job->model->times.irqs;

	if (b->kind == BLAME_IRQ)
		print_irq(x->out, x->job, q->row[b->who].source, q->row[b->who].number);
	else if (of_thread(b))
		print_thread(x->out, x->job, b->who);
	else if (b->kind == BLAME_UNKNOWN || b->kind == BLAME_OUTSIDE)
		fputs("who had the CPU", x->out);
	if (b->kind == BLAME_IRQ || of_thread(b) || b->kind == BLAME_UNKNOWN ||
	    b->kind == BLAME_OUTSIDE)
		putc(' ', x->out);
	fputs(kinds[b->kind].text, x->out);
}

static void blamed_json(const struct cell *x)
{
	const struct blame *b = ((const struct blame_line *)x->value)->of;
	const struct irqs *q = &x->job->model->times.irqs;

	json_string(x->json, "kind", kinds[b->kind].key);
	if (b->kind == BLAME_IRQ) {
		json_string(x->json, "source", irq_source(q->row[b->who].source));
		json_uint(x->json, "number", q->row[b->who].number);
	} else if (of_thread(b)) {
		json_thread(x->json, x->job, "", b->who);
	}
}

static void blamed_names(const struct cell *x)
{
	fputs("kind,source,number,", x->out);
	sort_thread.names(x);
}

static void blamed_csv(const struct cell *x)
{
	const struct blame *b = ((const struct blame_line *)x->value)->of;
	const struct irqs *q = &x->job->model->times.irqs;
	struct cell who = *x;

	fprintf(x->out, "%s,", kinds[b->kind].key);
	if (b->kind == BLAME_IRQ)
		fprintf(x->out, "%s,%u", irq_source(q->row[b->who].source), q->row[b->who].number);
	else
		putc(',', x->out);
	putc(',', x->out);
	who.value = of_thread(b) ? &b->who : NULL;
	sort_thread.csv(&who);
}

static const struct column_sort sort_blamed = {
	.text = blamed_text,
	.json = blamed_json,
	.names = blamed_names,
	.csv = blamed_csv,
};

#define AT(member) COLUMN_AT(struct blame_line, member)
#define OF(member) COLUMN_OF(struct blame, member)
static const struct column blame_columns[] = {
	{ "", "WHAT", "  ", .text_turn = 1, .sort = &sort_blamed },
	{ "blame_ns", "BLAME ms", MS(13), OF(ns) },
	{ .title = "%%%", PERCENT(8, 2), AT(share) },
	{ "own_ns", "OWN ms", MS(13), OF(own) },
	{ "others_ns", "OTHERS' ms", MS(13), AT(others) },
	{ "system_ns", "SYSTEM ms", MS(13), .null = true,
	  COLUMN_WHEN(struct blame_line, has_system), AT(system) },
	COLUMNS_END,
};
#undef AT
#undef OF

static struct blame_line line_of(const struct critical *c, const struct blame *b)
{
	return (struct blame_line){
		.of = b,
		.others = b->ns - b->own,
		.share = percent_of(b->ns, c->ns),
		.has_system = b->kind == BLAME_RAN,
		.system = b->kind == BLAME_RAN && b->who < c->shares.nrow ? c->shares.row[b->who] :
									    0,
	};
}

/* Returns the sort key of a cause; unknown causes come last. */
static uint64_t blame_value(const void *rows, uint32_t i)
{
	const struct critical *c = rows;
	const struct blame *b = &c->blame[i];
	bool answer = b->kind < BLAME_SOME_IRQ;

	if (!b->ns && !line_of(c, b).system)
		return 0;
	return (answer ? 1ull << 62 : 1) + b->ns;
}

/* Omits causes below `least` percent. */
static int write_blames(struct table *t, double least, uint32_t most)
{
	const struct critical *c = critical_of(t->job);
	uint32_t *order, count, i;
	int rc = order_by(&order, &count, c->nblame, blame_value, c);

	if (rc)
		return rc;
	table_begin(t, blame_columns, "blame");
	for (i = 0; i < count && i < most; i++) {
		const struct blame_line l = line_of(c, &c->blame[order[i]]);

		if (l.share >= least)
			table_row(t, &l);
	}
	table_end(t);
	free(order);
	return 0;
}

/* ---- places of waits ------------------------------------------------------------------------- */

/* Prints "futex 0x7f0012340010", "read", "page fault"; "": not recorded. */
static void print_call(const struct job *job, uint32_t call, uint64_t object, char *room,
		       size_t size)
{
	char name[64];

	if (call == WAIT_IN_NONE)
		snprintf(room, size, "%s", "");
	else if (call == WAIT_IN_FAULT)
		snprintf(room, size, "page fault");
	else if (!object)
		snprintf(room, size, "%s",
			 call_name(critical_of(job)->machine, call, name, sizeof(name)));
	else
		snprintf(room, size, "%s 0x%" PRIx64,
			 call_name(critical_of(job)->machine, call, name, sizeof(name)), object);
}

/* The waits of a process in one call, on one object. */
struct place_line {
	uint32_t process;
	uint32_t call;
	uint64_t object;
	uint64_t ns, count, handed, longest;
	char in[96];
	const char *text;
};

static int compare_places(const void *pa, const void *pb)
{
	const struct place_line *a = pa, *b = pb;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static int larger_place(const void *pa, const void *pb)
{
	const struct place_line *a = pa, *b = pb;

	return a->ns != b->ns ? (a->ns > b->ns ? -1 : 1) : compare_places(pa, pb);
}

/* Lists the places, the greatest first. The caller frees *list. */
static int gather_places(const struct job *job, struct place_line **list, uint32_t *count)
{
	const struct critical *c = critical_of(job);
	const struct names *n = &job->model->names;
	struct place_line *p = calloc((size_t)c->nedge + 1, sizeof(*p));
	uint32_t i, k = 0;

	*list = p;
	*count = 0;
	if (!p)
		return -ENOMEM;
	for (i = 0; i < c->nedge; i++) {
		const struct wait_edge *e = &c->edge[i];

		/* A runnable thread does not wait in a call. */
		if (e->waker != WAITED_CPU)
			p[k++] = (struct place_line){
				.process = n->process[n->thread[e->waiter].process].group,
				.call = e->call,
				.object = e->object,
				.ns = e->ns,
				.count = e->count,
				.handed = e->ns - e->direct,
				.longest = e->longest,
			};
	}
	qsort(p, k, sizeof(*p), compare_places);
	for (i = 0; i < k; i++) {
		struct place_line *into = *count ? &p[*count - 1] : NULL;

		if (!into || compare_places(into, &p[i])) {
			p[(*count)++] = p[i];
			continue;
		}
		into->ns += p[i].ns;
		into->count += p[i].count;
		into->handed += p[i].handed;
		if (into->longest < p[i].longest)
			into->longest = p[i].longest;
	}
	qsort(p, *count, sizeof(*p), larger_place);
	return 0;
}

#define AT(member) COLUMN_AT(struct place_line, member)
static const struct column place_columns[] = {
	{ "", "PROCESS", "  ", .text_turn = 2, AT(process), PROCESS },
	{ "in", "IN", "  ", -27, .text_turn = 1, AT(text) },
	{ "waited_ns", "WAITED ms", MS(13), AT(ns) },
	{ "handed_on_ns", "HANDED ON ms", MS(13), AT(handed) },
	{ "count", "COUNT", WIDE(10), AT(count) },
	{ "longest_ns", "LONGEST ms", MS(13), AT(longest) },
	COLUMNS_END,
};
#undef AT

static int write_places(struct table *t, uint32_t most)
{
	struct place_line *list;
	uint32_t count, i;
	int rc = gather_places(t->job, &list, &count);

	if (rc)
		return rc;
	table_begin(t, place_columns, "places");
	for (i = 0; i < count && i < most; i++) {
		print_call(t->job, list[i].call, list[i].object, list[i].in, sizeof(list[i].in));
		list[i].text = list[i].in;
		table_row(t, &list[i]);
	}
	table_end(t);
	free(list);
	return 0;
}

/* ---- waker and waiter ------------------------------------------------------------------------ */

struct edge_line {
	const struct wait_edge *of;
	uint64_t handed;
	const char *in;
};

#define AT(member) COLUMN_AT(struct edge_line, member)
#define OF(member) COLUMN_OF(struct wait_edge, member)
static const struct column edge_columns[] = {
	{ "", "WAITER", "  ", .text_turn = 2, OF(waiter), THREAD },
	{ "", "FOR", " -> ", .text_turn = 2, OF(waker), WAKER },
	{ "in", "IN", "  ", -27, .text_turn = 1, AT(in) },
	{ "waited_ns", "WAITED ms", MS(13), OF(ns) },
	{ "handed_on_ns", "HANDED ON ms", MS(13), AT(handed) },
	{ "count", "COUNT", WIDE(10), OF(count) },
	{ "longest_ns", "LONGEST ms", MS(13), OF(longest) },
	COLUMNS_END,
};
#undef AT
#undef OF

static uint64_t edge_value(const void *rows, uint32_t i)
{
	return ((const struct wait_edge *)rows)[i].ns;
}

static int write_edges(struct table *t, uint32_t most)
{
	const struct critical *c = critical_of(t->job);
	uint32_t *order, count, i;
	char in[96];
	int rc = order_by(&order, &count, c->nedge, edge_value, c->edge);

	if (rc)
		return rc;
	table_begin(t, edge_columns, "waits");
	for (i = 0; i < count && i < most; i++) {
		const struct wait_edge *e = &c->edge[order[i]];

		print_call(t->job, e->call, e->object, in, sizeof(in));
		table_row(t, &(struct edge_line){ e, e->ns - e->direct, in });
	}
	table_end(t);
	free(order);
	return 0;
}

/* ---- waiting threads ------------------------------------------------------------------------- */

struct victim_line {
	uint32_t thread;
	uint64_t ns;
};

static const struct column victim_columns[] = {
	{ "", "THREAD", "  ", .text_turn = 1, COLUMN_AT(struct victim_line, thread), THREAD },
	{ "time_ns", "TIME ms", MS(13), COLUMN_AT(struct victim_line, ns) },
	COLUMNS_END,
};

static uint64_t victim_value(const void *rows, uint32_t i)
{
	return ((const uint64_t *)rows)[i];
}

static int write_victims(struct table *t)
{
	const struct critical *c = critical_of(t->job);
	uint32_t *order, count, i;
	int rc = order_by(&order, &count, c->nvictim, victim_value, c->victim);

	if (rc)
		return rc;
	table_begin(t, victim_columns, "threads");
	for (i = 0; i < count; i++)
		table_row(t, &(struct victim_line){ order[i], c->victim[order[i]] });
	table_end(t);
	free(order);
	return 0;
}

/* ---- the report ------------------------------------------------------------------------------ */

static bool nothing(const struct job *job, FILE *out)
{
	static const uint16_t majors[] = { PITRACE_DISPATCH, PITRACE_WAKEUP, PITRACE_INTERRUPT,
					   PITRACE_SYSCALL, 0 };

	if (job->trace->major[PITRACE_DISPATCH])
		return false;
	times_missing(job, out, "dispatch records", majors);
	return true;
}

static void write_sums(const struct job *job, FILE *out)
{
	const struct critical *c = critical_of(job);

	fputs("Time of threads ", out);
	print_ms(out, 0, c->ns);
	fputs(" ms, all of it blamed below. Wall time ", out);
	print_ms(out, 0, c->shares.wall);
	fputs(" ms, while none was seen to run ", out);
	print_ms(out, 0, c->shares.nobody);
	fputs(" ms.\n", out);
	times_unknown(job, out, true);
	if (!times_has(job, PITRACE_SYSCALL))
		fputs("no syscall records: in what threads waited is not known\n", out);
}

static int critical_write(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc;

	times_head(job, out, "Critical");
	if (nothing(job, out))
		return 0;
	putc('\n', out);
	write_sums(job, out);
	times_banner(out, "Blame");
	rc = write_blames(&t, job->options->clip, UINT32_MAX);
	fputs("\nBLAME: time of threads that goes to this: OWN is the thread's own time, OTHERS' that of\n"
	      "threads which waited for it, whether for itself or for who waited for it. %%% of all\n"
	      "threads' time. SYSTEM: wall time, each moment of it divided among the threads that ran\n"
	      "then; with the time while none did it is all of it. Waits that had not ended come last.\n",
	      out);
	if (!rc) {
		times_banner(out, "Where threads waited");
		rc = write_places(&t, UINT32_MAX);
	}
	if (!rc) {
		times_banner(out, "Who waited for whom");
		rc = write_edges(&t, UINT32_MAX);
	}
	fputs("\nWAITED: until it was woken by that thread or interrupt; for a CPU: from there until it\n"
	      "ran. HANDED ON: of it, what is not blamed on that thread's own work, because it did not\n"
	      "run then either.\n",
	      out);
	if (rc)
		return rc;
	times_banner(out, "Threads whose time it is");
	return write_victims(&t);
}

static int critical_screen(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc;

	if (nothing(job, out))
		return 0;
	putc('\n', out);
	write_sums(job, out);
	putc('\n', out);
	rc = write_blames(&t, 0, SCREEN_BLAMES);
	putc('\n', out);
	return rc ? rc : write_edges(&t, SCREEN_EDGES);
}

static int critical_json(const struct job *job, struct json *j)
{
	const struct critical *c = critical_of(job);
	struct table t = table_json(job, j);
	int rc;

	json_object(j, "critical");
	json_uint(j, "time_ns", c->ns);
	json_uint(j, "wall_ns", c->shares.wall);
	json_uint(j, "none_seen_ns", c->shares.nobody);
	json_uint(j, "out_of_scope_ns", c->shares.others);
	rc = write_blames(&t, 0, UINT32_MAX);
	if (!rc)
		rc = write_places(&t, UINT32_MAX);
	if (!rc)
		rc = write_edges(&t, UINT32_MAX);
	if (!rc)
		rc = write_victims(&t);
	json_end(j, '}');
	return rc;
}

static int critical_csv(const struct job *job, FILE *out)
{
	struct table t = table_csv(job, out);

	return write_blames(&t, 0, UINT32_MAX);
}

const struct report report_critical = {
	.name = "critical",
	.usage =
		"  -critical         why threads waited: whom their time is to be blamed on, by who\n"
		"                    waited for whom (critical.out)\n",
	.path = "critical.out",
	.mode = 0666,
	.needs = NEED_TIMES | NEED_CRITICAL,
	.write = critical_write,
	.screen = critical_screen,
	.json = critical_json,
	.csv = critical_csv,
};
