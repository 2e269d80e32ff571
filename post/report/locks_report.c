/* SPDX-License-Identifier: GPL-3.0-or-later */
/* locks.out: the futexes that threads waited for, the wakers, and the code in which they waited. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "escape.h"

#define SCREEN_LOCKS 12
#define SCREEN_PAIRS 8

static const struct locks *locks_of(const struct job *job)
{
	return &job->model->times.locks;
}

/* ---- names of locks -------------------------------------------------------------------------- */

/* Prints "prog:lock+0x8"; nothing for memory that is not a variable of a program or library. */
static void variable_text(const struct cell *x)
{
	const struct lock *k = *(const struct lock *const *)x->value;

	if (!k->variable)
		return;
	escape_print(x->out, short_module(k->variable->module->name));
	putc(':', x->out);
	escape_print(x->out, k->variable->name);
	if (k->offset)
		fprintf(x->out, "+0x%" PRIx64, k->offset);
}

static void variable_json(const struct cell *x)
{
	const struct lock *k = *(const struct lock *const *)x->value;

	if (!k->variable)
		return;
	json_string(x->json, "module", k->variable->module->name);
	json_string(x->json, "variable", k->variable->name);
	json_uint(x->json, "variable_offset", k->offset);
}

static void variable_names(const struct cell *x)
{
	fputs("module,variable,variable_offset", x->out);
}

static void variable_csv(const struct cell *x)
{
	const struct lock *k = *(const struct lock *const *)x->value;

	if (!k->variable) {
		fputs(",,", x->out);
		return;
	}
	escape_csv(x->out, k->variable->module->name);
	putc(',', x->out);
	escape_csv(x->out, k->variable->name);
	fprintf(x->out, ",%" PRIu64, k->offset);
}

static const struct column_sort sort_variable = {
	.text = variable_text,
	.json = variable_json,
	.names = variable_names,
	.csv = variable_csv,
};

/* Columns shared by several tables; only the location of the value differs. */
#define LOCK_PROCESS \
	"", "PROCESS", "  ", .text_turn = 1, COLUMN_OF(struct lock, process), .sort = &sort_process
#define WAITS(value)   "count", "WAITS", WIDE(8), value
#define WAITED(value)  "waited_ns", "WAITED ms", MS(13), value
#define LONGEST(value) "longest_ns", "LONGEST ms", MS(13), value

/* ---- locks ----------------------------------------------------------------------------------- */

struct lock_line {
	const struct lock *of;
	uint32_t threads;
	uint64_t gone; /* waits without a recorded end, except those open at the end of the trace */
};

#define AT(member) COLUMN_AT(struct lock_line, member)
#define OF(member) COLUMN_OF(struct lock, member)
static const struct column lock_columns[] = {
	{ LOCK_PROCESS },
	{ "address", "ADDRESS", " ", -18, .as = AS_HEX, .text_turn = 1, OF(address) },
	{ "", "VARIABLE", " ", .text_turn = 2, AT(of), .sort = &sort_variable },
	{ "shared", .as = AS_DIGIT, OF(shared) },
	{ "priority_inheritance", .as = AS_DIGIT, OF(pi) },
	{ "time", .csv_turn = 1, OF(time), SPREAD },
	{ .title = "WAITS", WIDE(8), OF(time.count) },
	{ "threads", "THREADS", WIDE(8), AT(threads) },
	{ .title = "TOTAL ms", MS(13), OF(time.total) },
	{ .title = "MEAN us", OF(time), MEAN(12) },
	{ .title = "MAX us", US(12), OF(time.max) },
	{ "woken", OF(woken) },
	{ "timed_out", "TIME-OUT", WIDE(9), OF(timed_out) },
	{ "interrupted", "SIGNAL", WIDE(7), OF(interrupted) },
	{ "failed", OF(failed) },
	{ "changed", OF(again) },
	{ "open", "OPEN", WIDE(5), OF(open) },
	{ "open_longest_ns", OF(open_ns) },
	{ .title = "NO END", WIDE(7), AT(gone) },
	{ "no_return", OF(no_return) },
	{ "cut", OF(cut) },
	COLUMNS_END,
};
#undef AT
#undef OF

static uint64_t lock_value(const void *rows, uint32_t i)
{
	const struct lock *k = (const struct lock *)rows + i;

	return k->time.total + k->open_ns + 1;
}

static int compare_pairs(const void *pa, const void *pb)
{
	const struct lock_pair *a = pa, *b = pb;

	if (a->lock != b->lock)
		return a->lock < b->lock ? -1 : 1;
	return a->waiter < b->waiter ? -1 : a->waiter > b->waiter;
}

/* Counts the waiting threads of each lock. The caller frees *list. */
static int count_threads(const struct locks *l, uint32_t **list)
{
	struct lock_pair *p = calloc((size_t)l->npair + 1, sizeof(*p));
	uint32_t i;

	*list = calloc((size_t)l->nlock + 1, sizeof(**list));
	if (!p || !*list) {
		free(p);
		free(*list);
		*list = NULL;
		return -ENOMEM;
	}
	for (i = 0; i < l->npair; i++)
		p[i] = l->pair[i];
	qsort(p, l->npair, sizeof(*p), compare_pairs);
	for (i = 0; i < l->npair; i++)
		(*list)[p[i].lock] += !i || compare_pairs(&p[i - 1], &p[i]) != 0;
	free(p);
	return 0;
}

static int write_locks(struct table *t, uint32_t most)
{
	const struct locks *l = locks_of(t->job);
	uint32_t *order, *threads, count, i;
	int rc = count_threads(l, &threads);

	if (rc)
		return rc;
	rc = order_by(&order, &count, l->nlock, lock_value, l->lock);
	if (!rc) {
		table_begin(t, lock_columns, "locks");
		for (i = 0; i < count && i < most; i++) {
			const struct lock *k = &l->lock[order[i]];

			table_row(t, &(struct lock_line){ k, threads[order[i]],
							  k->no_return + k->cut });
		}
		table_end(t);
		if (i < count && t->form == IN_TEXT)
			fprintf(t->out, "%10s and %u more\n", "", count - i);
		free(order);
	}
	free(threads);
	return rc;
}

/* ---- wakers ---------------------------------------------------------------------------------- */

struct pair_line {
	const struct lock *of;
	const struct lock_pair *pair;
	uint32_t waiter, waker;
	uint64_t count, ns, longest;
};

static void waker_text(const struct cell *x)
{
	switch (*(const uint32_t *)x->value) {
	case LOCK_NOBODY:
		fputs("nobody", x->out);
		break;
	case LOCK_STILL:
		fputs("(still waiting)", x->out);
		break;
	default:
		sort_waker.text(x);
	}
}

static void waker_json(const struct cell *x)
{
	switch (*(const uint32_t *)x->value) {
	case LOCK_NOBODY:
		json_string(x->json, "waker_source", "nobody");
		break;
	case LOCK_STILL:
		json_string(x->json, "waker_source", "open");
		break;
	default:
		sort_waker.json(x);
	}
}

static const struct column_sort sort_lock_waker = { .text = waker_text, .json = waker_json };

#define AT(member) COLUMN_AT(struct pair_line, member)
#define OF(member) COLUMN_OF(struct lock, member)
static const struct column pair_columns[] = {
	{ "", "WAITER", "  ", .text_turn = 1, AT(waiter), THREAD },
	{ "", "WOKEN BY", " <- ", .text_turn = 1, AT(waker), .sort = &sort_lock_waker },
	{ "address", "ADDRESS", "  ", .as = AS_HEX, .text_turn = 2, OF(address) },
	{ "", "VARIABLE", " ", .text_turn = 3, AT(of), .sort = &sort_variable },
	{ WAITS(AT(count)) },
	{ WAITED(AT(ns)) },
	{ LONGEST(AT(longest)) },
	COLUMNS_END,
};
#undef AT
#undef OF

static uint64_t pair_value(const void *rows, uint32_t i)
{
	const struct lock_pair *p = (const struct lock_pair *)rows + i;

	return p->ns + 1;
}

static int write_pairs(struct table *t, uint32_t most)
{
	const struct locks *l = locks_of(t->job);
	uint32_t *order, count, i;
	int rc = order_by(&order, &count, l->npair, pair_value, l->pair);

	if (rc)
		return rc;
	table_begin(t, pair_columns, "waits");
	for (i = 0; i < count && i < most; i++) {
		const struct lock_pair *p = &l->pair[order[i]];

		table_row(t, &(struct pair_line){
				     .of = &l->lock[p->lock],
				     .waiter = p->waiter,
				     .waker = p->waker,
				     .count = p->count,
				     .ns = p->ns,
				     .longest = p->longest,
			     });
	}
	table_end(t);
	free(order);
	return 0;
}

/* ---- code ------------------------------------------------------------------------------------ */

struct stack_line {
	const struct lock *of;
	uint32_t call;
	uint64_t count, ns, longest;
};

/* Calls `take` for each function of a stack, innermost first. */
static void each_function(const struct job *job, uint32_t call,
			  void (*take)(const struct cell *x, const struct symbol *s, bool first),
			  const struct cell *x)
{
	const struct lock_node *node = locks_of(job)->node;
	const struct names *n = &job->model->names;
	bool first = true;

	for (; node[call].parent != NO_KEY; call = node[call].parent) {
		const uint32_t *list;
		uint32_t k, count = lines_shown(&n->lines, node[call].id, &list);

		for (k = 0; k < count; k++, first = false)
			take(x, &n->symbols.symbol[list[k]], first);
	}
}

static void function_text(const struct cell *x, const struct symbol *s, bool first)
{
	if (!first)
		fputs(" <- ", x->out);
	escape_print(x->out, s->name);
}

static void stack_text(const struct cell *x)
{
	each_function(x->job, *(const uint32_t *)x->value, function_text, x);
}

static void function_json(const struct cell *x, const struct symbol *s, bool first)
{
	(void)first;
	json_string(x->json, NULL, s->name);
}

static void stack_json(const struct cell *x)
{
	json_array(x->json, "stack");
	each_function(x->job, *(const uint32_t *)x->value, function_json, x);
	json_end(x->json, ']');
}

static const struct column_sort sort_stack = { .text = stack_text, .json = stack_json };

#define AT(member) COLUMN_AT(struct stack_line, member)
#define OF(member) COLUMN_OF(struct lock, member)
static const struct column stack_columns[] = {
	{ LOCK_PROCESS },
	{ "address", "ADDRESS", " ", .as = AS_HEX, .text_turn = 2, OF(address) },
	{ WAITS(AT(count)) },
	{ WAITED(AT(ns)) },
	{ LONGEST(AT(longest)) },
	{ "stack", "WHERE", "  ", .text_turn = 3, AT(call), .sort = &sort_stack },
	COLUMNS_END,
};
#undef AT
#undef OF

static uint64_t stack_value(const void *rows, uint32_t i)
{
	const struct lock_where *s = (const struct lock_where *)rows + i;

	return s->ns + 1;
}

static int write_stacks(struct table *t)
{
	const struct locks *l = locks_of(t->job);
	uint32_t *order, count, i;
	int rc = order_by(&order, &count, l->nstack, stack_value, l->stack);

	if (rc)
		return rc;
	table_begin(t, stack_columns, "stacks");
	for (i = 0; i < count; i++) {
		const struct lock_where *s = &l->stack[order[i]];

		table_row(t, &(struct stack_line){ &l->lock[s->lock], s->call, s->count, s->ns,
						   s->longest });
	}
	table_end(t);
	free(order);
	return 0;
}

/* ---- the report ------------------------------------------------------------------------------ */

static bool nothing(const struct job *job, FILE *out)
{
	static const uint16_t majors[] = { PITRACE_SYSCALL, PITRACE_DISPATCH, PITRACE_WAKEUP, 0 };

	if (job->trace->major[PITRACE_SYSCALL])
		return false;
	times_missing(job, out, "system call records", majors);
	return true;
}

static void print_missing(const struct job *job, FILE *out)
{
	const struct locks *l = locks_of(job);

	if (!times_has(job, PITRACE_WAKEUP))
		fputs("no wake-up records: who ended a wait is inferred from the order of calls\n",
		      out);
	if (!l->nstack)
		fputs("no stacks of threads that leave their CPUs: swtrace run -g=fp,switches\n",
		      out);
	if (l->several)
		fprintf(out, "%" PRIu64 " waits for several futexes at once: not shown\n",
			l->several);
}

static int locks_write(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc;

	times_head(job, out, "Lock");
	if (nothing(job, out))
		return 0;
	putc('\n', out);
	print_missing(job, out);
	times_banner(out, "Locks");
	rc = write_locks(&t, UINT32_MAX);
	fputs("\nA wait is a system call that waits for a futex: for a mutex, a condition variable, the end of a\n"
	      "thread. It ends when the thread is woken, at a time limit (TIME-OUT) or by a signal (SIGNAL).\n"
	      "OPEN: the thread was still waiting when the trace ended; NO END: the thread ended, or records are\n"
	      "missing. WAITS includes neither. A lock is identified by process and address: each process that\n"
	      "shares one has its own line.\n",
	      out);
	if (!rc) {
		times_banner(out, "Who blocked whom");
		rc = write_pairs(&t, UINT32_MAX);
		fputs("\nWOKEN BY: the thread that released the mutex or signalled the condition variable; nobody: the\n"
		      "wait ended at its time limit, or by a signal.\n",
		      out);
	}
	if (rc || !locks_of(job)->nstack)
		return rc;
	times_banner(out, "Where in the code");
	return write_stacks(&t);
}

static int locks_screen(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc;

	if (nothing(job, out))
		return 0;
	putc('\n', out);
	print_missing(job, out);
	rc = write_locks(&t, SCREEN_LOCKS);
	putc('\n', out);
	return rc ? rc : write_pairs(&t, SCREEN_PAIRS);
}

static int locks_json(const struct job *job, struct json *j)
{
	struct table t = table_json(job, j);
	int rc;

	json_object(j, "locks");
	json_uint(j, "waits_for_several", locks_of(job)->several);
	rc = write_locks(&t, UINT32_MAX);
	if (!rc)
		rc = write_pairs(&t, UINT32_MAX);
	if (!rc)
		rc = write_stacks(&t);
	json_end(j, '}');
	return rc;
}

static int locks_csv(const struct job *job, FILE *out)
{
	struct table t = table_csv(job, out);

	return write_locks(&t, UINT32_MAX);
}

const struct report report_locks = {
	.name = "locks",
	.usage = "  -locks            waits for locks (futexes): which locks, how long, who held\n"
		 "                    them, where in the code (locks.out)\n",
	.path = "locks.out",
	.mode = 0666,
	.needs = NEED_TIMES | NEED_LOCKS,
	.write = locks_write,
	.screen = locks_screen,
	.json = locks_json,
	.csv = locks_csv,
};
