/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lock_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "escape.h"

#define LOOK_FIRST 8  /* of each monitor these are looked at, */
#define LOOK_EACH  64 /* then one of so many */

int lock_table_init(struct lock_table *t, uint32_t most)
{
	*t = (struct lock_table){ .most = most };
	if (array_next(t->record, t->count, t->room))
		return -ENOMEM;
	t->record[t->count++] = (struct lock_record){ .name = NULL };
	return 0;
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
		free_stacks(&t->record[i]);
		free(t->record[i].name);
	}
	free(t->record);
	*t = (struct lock_table){ 0 };
}

void lock_table_reset(struct lock_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		free_stacks(&t->record[i]);
		t->record[i] = (struct lock_record){ .name = t->record[i].name };
	}
}

uint32_t lock_table_add(struct lock_table *t, const char *name)
{
	char *copy = t->count < t->most ? strdup(name) : NULL;

	if (!copy || array_next(t->record, t->count, t->room)) {
		free(copy);
		return 0;
	}
	t->record[t->count] = (struct lock_record){ .name = copy };
	return t->count++;
}

void lock_blocked(struct lock_record *r, uint64_t ns)
{
	r->slow++;
	r->blocked += ns;
	if (ns > r->longest)
		r->longest = ns;
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

static int by_slow(const void *a, const void *b)
{
	const struct lock_record *x = *(const struct lock_record *const *)a,
				 *y = *(const struct lock_record *const *)b;

	if (x->slow != y->slow)
		return x->slow < y->slow ? 1 : -1;
	if (x->blocked != y->blocked)
		return x->blocked < y->blocked ? 1 : -1;
	return (x->waited < y->waited) - (x->waited > y->waited);
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
		fprintf(out, "    %" PRIu64 " times otherwise\n", r->more_stacks);
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static void write_record(const struct lock_record *r, FILE *out)
{
	fprintf(out, "%6s %8s %8s %8" PRIu64 " %6s %6s %9s %12.3f %12.3f %8" PRIu64 " %12.3f ", "-",
		"-", "-", r->slow, "-", "-", "-", ms(r->blocked), ms(r->longest), r->waits,
		ms(r->waited));
	escape_print(out, r->name ? r->name : "monitors without room");
	fputc('\n', out);
	write_stacks(r, out);
}

void lock_table_write(const struct lock_table *t, FILE *out, uint64_t ns)
{
	const struct lock_record **sorted = malloc((size_t)t->count * sizeof(*sorted));
	uint64_t slow = 0, blocked = 0;
	uint32_t n = 0, i;

	for (i = 0; sorted && i < t->count; i++) {
		slow += t->record[i].slow;
		blocked += t->record[i].blocked;
		if (t->record[i].slow || t->record[i].waits || t->record[i].looked)
			sorted[n++] = &t->record[i];
	}
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_slow);
	fprintf(out,
		"pitrace log-jlm\n"
		"JLML: contended enters and waits alone; what these do not show is -\n"
		"recorded: %.3f ms; contended enters: %" PRIu64
		", blocked %.3f ms; monitors: %" PRIu32
		"\n\n%6s %8s %8s %8s %6s %6s %9s %12s %12s %8s %12s %s\n",
		ms(ns), slow, ms(blocked), n, "%MISS", "GETS", "NONREC", "SLOW", "REC", "%UTIL",
		"AVER-HTM", "BLOCKED-MS", "LONGEST-MS", "WAITS", "WAITED-MS", "MON-NAME");
	for (i = 0; i < n; i++)
		write_record(sorted[i], out);
	free(sorted);
}
