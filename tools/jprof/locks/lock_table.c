/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lock_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

#define LOOK_FIRST 8  /* stacks are taken of a monitor's first blocks, */
#define LOOK_EACH  64 /* then of every 64th */
#define LOCK_ROWS  10000

int lock_table_init(struct lock_table *t, uint32_t most)
{
	*t = (struct lock_table){ .most = most };
	t->chunk[0] = calloc(LOCK_CHUNK, sizeof(**t->chunk));
	t->count = 1;
	return t->chunk[0] ? 0 : -ENOMEM;
}

static void free_stacks(struct lock_record *r)
{
	for (int i = 0; i < LOCK_STACKS; i++) {
		free(r->stack[i].waiter);
		free(r->stack[i].holder);
	}
}

void lock_table_free(struct lock_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		free_stacks(lock_table_get(t, i));
		free(lock_table_get(t, i)->name);
	}
	for (uint32_t i = 0; i < LOCK_CHUNKS; i++)
		free(t->chunk[i]);
	*t = (struct lock_table){ .count = 0 };
}

void lock_table_reset(struct lock_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct lock_record *r = lock_table_get(t, i);

		free_stacks(r);
		*r = (struct lock_record){ .name = r->name, .kind = r->kind };
	}
}

uint32_t lock_table_add(struct lock_table *t, const char *name, enum lock_kind kind)
{
	uint32_t n = t->count;
	struct lock_record **chunk;
	char *copy;

	if (n >= t->most || n >= LOCK_CHUNK * LOCK_CHUNKS)
		return 0;
	chunk = &t->chunk[n / LOCK_CHUNK];
	if (!*chunk)
		*chunk = calloc(LOCK_CHUNK, sizeof(**chunk));
	copy = *chunk ? strdup(name) : NULL;
	if (!copy)
		return 0;
	*lock_table_get(t, n) = (struct lock_record){ .name = copy, .kind = kind };
	t->count = n + 1;
	return n;
}

void lock_got(struct lock_record *r, bool again)
{
	__atomic_fetch_add(again ? &r->rec : &r->nonrec, 1, __ATOMIC_RELAXED);
}

void lock_held(struct lock_record *r, uint64_t ns)
{
	__atomic_fetch_add(&r->held, ns, __ATOMIC_RELAXED);
}

void lock_blocked(struct lock_record *r, uint64_t ns)
{
	r->slow++;
	r->blocked += ns;
	if (ns > r->longest)
		r->longest = ns;
}

void lock_unseen(struct lock_record *r)
{
	r->unseen++;
}

void lock_waited(struct lock_record *r, uint64_t ns)
{
	r->waits++;
	r->waited += ns;
}

bool lock_wants_stack(struct lock_record *r)
{
	uint64_t n = r->looked++;

	return n < LOOK_FIRST || n % LOOK_EACH == 0;
}

void lock_add_stack(struct lock_record *r, const char *waiter, const char *holder)
{
	for (int i = 0; i < LOCK_STACKS; i++) {
		struct lock_stack *s = &r->stack[i];

		if (!s->times) {
			s->waiter = strdup(waiter);
			s->holder = strdup(holder);
		}
		if (!s->waiter || !s->holder)
			break;
		if (!strcmp(s->waiter, waiter) && !strcmp(s->holder, holder)) {
			s->times++;
			return;
		}
	}
	r->more_stacks++;
}

/* ---- the log --------------------------------------------------------------------------------- */

/* One line, with a copy of the counts that other threads may be changing. */
struct lock_row {
	const struct lock_record *record;
	uint64_t nonrec, rec, held;
};

static int compare(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_slow(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;
	const uint64_t keys[][2] = {
		{ x->record->slow, y->record->slow },
		{ x->record->blocked, y->record->blocked },
		{ x->record->waited, y->record->waited },
		{ x->nonrec + x->rec, y->nonrec + y->rec },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i][0] != keys[i][1])
			return compare(keys[i][0], keys[i][1]);
	return 0;
}

static void write_stacks(const struct lock_record *r, FILE *out)
{
	for (int i = 0; i < LOCK_STACKS && r->stack[i].times; i++) {
		fprintf(out, "    %" PRIu64 " times blocked: ", r->stack[i].times);
		escape_print(out, r->stack[i].waiter);
		fputs("\n      held by: ", out);
		escape_print(out, *r->stack[i].holder ? r->stack[i].holder : "not known");
		fputc('\n', out);
	}
	if (r->more_stacks)
		fprintf(out, "    %" PRIu64 " times with other stacks\n", r->more_stacks);
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

#define NONE "-"

/* The columns %MISS GETS NONREC, and REC %UTIL AVER-HTM; - if unknown. */
struct get_columns {
	char miss[16], gets[24], nonrec[24], rec[24], util[16], average[24];
};

static void time_with_unit(char *to, size_t room, double ns)
{
	if (ns < 1e3)
		snprintf(to, room, "%.0fns", ns);
	else if (ns < 1e6)
		snprintf(to, room, "%.2fus", ns / 1e3);
	else
		snprintf(to, room, "%.2fms", ns / 1e6);
}

static void fill_columns(struct get_columns *c, const struct lock_row *w, bool gets, uint64_t ns)
{
	*c = (struct get_columns){ NONE, NONE, NONE, NONE, NONE, NONE };
	if (!gets || (w->record->kind == LOCK_PARKS && !w->nonrec && !w->rec))
		return;
	snprintf(c->gets, sizeof(c->gets), "%" PRIu64, w->nonrec + w->rec);
	snprintf(c->nonrec, sizeof(c->nonrec), "%" PRIu64, w->nonrec);
	snprintf(c->rec, sizeof(c->rec), "%" PRIu64, w->rec);
	if (w->nonrec && !w->record->unseen)
		snprintf(c->miss, sizeof(c->miss), "%.1f",
			 100 * (double)w->record->slow / (double)w->nonrec);
	if (w->nonrec)
		time_with_unit(c->average, sizeof(c->average), (double)w->held / (double)w->nonrec);
	if (ns && !w->record->unseen)
		snprintf(c->util, sizeof(c->util), "%.1f", 100 * (double)w->held / (double)ns);
}

static void write_row(const struct lock_row *w, bool gets, uint64_t ns, FILE *out)
{
	const struct lock_record *r = w->record;
	struct get_columns c;

	fill_columns(&c, w, gets, ns);
	fprintf(out, "%6s %8s %8s %8" PRIu64 " %6s %6s %9s %12.3f %12.3f %8" PRIu64 " %12.3f ",
		c.miss, c.gets, c.nonrec, r->slow, c.rec, c.util, c.average, ms(r->blocked),
		ms(r->longest), r->waits, ms(r->waited));
	escape_print(out, r->name ? r->name : "monitors without room");
	fputc('\n', out);
	write_stacks(r, out);
}

struct lock_sums {
	uint64_t slow, blocked, gets, unseen;
};

/* Copies the rows that are not empty. */
static uint32_t take_rows(const struct lock_table *t, struct lock_row *rows, struct lock_sums *sum)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		struct lock_record *r = lock_table_get(t, i);
		struct lock_row w = {
			.record = r,
			.nonrec = __atomic_load_n(&r->nonrec, __ATOMIC_RELAXED),
			.rec = __atomic_load_n(&r->rec, __ATOMIC_RELAXED),
			.held = __atomic_load_n(&r->held, __ATOMIC_RELAXED),
		};

		sum->slow += r->slow;
		sum->blocked += r->blocked;
		sum->unseen += r->unseen;
		sum->gets += w.nonrec + w.rec;
		if (r->slow || r->waits || r->looked || w.nonrec || w.rec)
			rows[n++] = w;
	}
	return n;
}

void lock_table_write(const struct lock_table *t, FILE *out, uint64_t ns)
{
	struct lock_row *rows = malloc((size_t)t->count * sizeof(*rows));
	struct lock_sums sum = { 0 };
	uint32_t n = rows ? take_rows(t, rows, &sum) : 0, i;

	if (n)
		qsort(rows, n, sizeof(*rows), by_slow);
	fprintf(out, "pitrace log-jlm\n%s\nrecorded: %.3f ms; ",
		t->gets ? "JLM: gets, holds and contention; - is unknown" :
			  "JLML: contended enters and waits only; - is not recorded",
		ms(ns));
	if (t->gets)
		fprintf(out, "gets: %" PRIu64 "; ", sum.gets);
	fprintf(out, "contended enters: %" PRIu64 ", blocked %.3f ms; monitors: %" PRIu32 "\n",
		sum.slow, ms(sum.blocked), n);
	if (t->gets && sum.unseen)
		fprintf(out,
			"%" PRIu64
			" of these are no counted gets: the code ran already when this began, or is native\n",
			sum.unseen);
	fprintf(out, "\n%6s %8s %8s %8s %6s %6s %9s %12s %12s %8s %12s %s\n", "%MISS", "GETS",
		"NONREC", "SLOW", "REC", "%UTIL", "AVER-HTM", "BLOCKED-MS", "LONGEST-MS", "WAITS",
		"WAITED-MS", "MON-NAME");
	for (i = 0; i < n && i < LOCK_ROWS; i++)
		write_row(&rows[i], t->gets, ns, out);
	if (n > LOCK_ROWS)
		fprintf(out, "and %" PRIu32 " more, with fewer gets\n", n - LOCK_ROWS);
	free(rows);
}
