/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A wait begins with the system call and ends with its return; wakers are recorded in between. */
#include "model/futex_waits.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>

#include "model/call_names.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13 /* since Linux 5.14 */
#endif

#define RESTART_FIRST 512 /* ERESTARTSYS … ERESTART_RESTARTBLOCK: interrupted by a signal */
#define RESTART_LAST  516

/* Layout of the arguments: futex's address, operation and value, or those of a newer call.
 * futex_requeue() has its futexes in memory, so whom it wakes is not known. */
enum { CALL_FUTEX, CALL_WAIT, CALL_WAKE, CALL_SEVERAL };

void locks_open(struct locks *l, struct sched *s, const struct offcpu *offcpu,
		const struct filter *filter, const struct pifile_header *header)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} calls[] = {
		{ "futex", CALL_FUTEX },         { "futex_time64", CALL_FUTEX },
		{ "futex_wait", CALL_WAIT },     { "futex_wake", CALL_WAKE },
		{ "futex_waitv", CALL_SEVERAL },
	};
	char machine[sizeof(header->machine) + 1] = { 0 };
	uint32_t number;
	size_t i;

	*l = (struct locks){ .wanted = true, .sched = s, .offcpu = offcpu, .filter = filter };
	memcpy(machine, header->machine, sizeof(header->machine));
	for (i = 0; i < 2 * sizeof(calls) / sizeof(*calls); i++)
		if (call_number(machine, calls[i / 2].name, i % 2, &number))
			l->number[l->ncalls++] = (struct lock_call){ number, calls[i / 2].kind };
}

/* ---- locks, pairs, stacks -------------------------------------------------------------------- */

static uint32_t find_lock(const struct locks *l, uint32_t process, uint64_t address, uint64_t *hash)
{
	const struct names *n = l->sched->names;
	const struct trace_process *p = &n->process[process];

	/* A process keeps its locks when its name changes. */
	*hash = hash_mix(address, hash_mix(p->serial, (uint64_t)p->origin << 32 | p->pid));
	return keys_find(&l->by_lock, *hash, l->lock, e,
			 e->address == address && n->process[e->process].serial == p->serial &&
				 n->process[e->process].pid == p->pid &&
				 n->process[e->process].origin == p->origin);
}

static uint32_t get_lock(struct locks *l, uint32_t process, uint64_t address)
{
	uint64_t hash;
	uint32_t i = find_lock(l, process, address, &hash);

	if (i != NO_KEY)
		return i;
	if (keys_next(&l->by_lock, hash, l->lock, l->nlock, l->room_lock))
		return NO_KEY;
	l->lock[l->nlock] = (struct lock){
		.process = process,
		.address = address,
		.first = NO_KEY,
		.last = NO_KEY,
	};
	return l->nlock++;
}

static int add_pair(struct locks *l, const struct lock_pair *p)
{
	uint64_t hash = hash_mix((uint64_t)p->waiter << 32 | p->waker, p->lock);
	uint32_t i = keys_find(&l->by_pair, hash, l->pair, e,
			       e->lock == p->lock && e->waiter == p->waiter &&
				       e->waker == p->waker);

	if (i == NO_KEY) {
		if (keys_next(&l->by_pair, hash, l->pair, l->npair, l->room_pair))
			return -ENOMEM;
		l->pair[l->npair++] = *p;
		return 0;
	}
	l->pair[i].count += p->count;
	l->pair[i].ns += p->ns;
	if (l->pair[i].longest < p->longest)
		l->pair[i].longest = p->longest;
	return 0;
}

static int add_stack(struct locks *l, const struct lock_where *s)
{
	uint64_t hash = hash_mix((uint64_t)s->lock << 32 | s->call, 7);
	uint32_t i = keys_find(&l->by_stack, hash, l->stack, e,
			       e->lock == s->lock && e->call == s->call);

	if (i == NO_KEY) {
		if (keys_next(&l->by_stack, hash, l->stack, l->nstack, l->room_stack))
			return -ENOMEM;
		l->stack[l->nstack++] = *s;
		return 0;
	}
	l->stack[i].count += s->count;
	l->stack[i].ns += s->ns;
	if (l->stack[i].longest < s->longest)
		l->stack[i].longest = s->longest;
	return 0;
}

/* ---- waiting threads ------------------------------------------------------------------------- */

static struct lock_wait *wait_of(struct locks *l, const struct sched_thread *t)
{
	uint32_t i = (uint32_t)(t - l->sched->thread);

	while (l->nwait <= i) {
		if (array_next(l->wait, l->nwait, l->room_wait))
			return NULL;
		l->wait[l->nwait++] = (struct lock_wait){ .waits = false };
	}
	return &l->wait[i];
}

/* Returns the current wait of a thread; NULL: none. */
static struct lock_wait *waits(struct locks *l, uint32_t tid)
{
	/* nwait is 0 if locks are not requested. */
	const struct sched_thread *t = l->nwait ? sched_find(l->sched, tid) : NULL;
	uint32_t i = t ? (uint32_t)(t - l->sched->thread) : NO_KEY;

	return i < l->nwait && l->wait[i].waits ? &l->wait[i] : NULL;
}

static void enlist(struct locks *l, struct lock_wait *w)
{
	struct lock *k = &l->lock[w->lock];
	uint32_t i = (uint32_t)(w - l->wait);

	w->listed = true;
	w->before = k->last;
	w->next = NO_KEY;
	if (k->last == NO_KEY)
		k->first = i;
	else
		l->wait[k->last].next = i;
	k->last = i;
}

static void delist(struct locks *l, struct lock_wait *w)
{
	struct lock *k = &l->lock[w->lock];

	if (!w->listed)
		return;
	w->listed = false;
	if (w->before == NO_KEY)
		k->first = w->next;
	else
		l->wait[w->before].next = w->next;
	if (w->next == NO_KEY)
		k->last = w->before;
	else
		l->wait[w->next].before = w->before;
}

/* Ends a wait and counts it in *as. */
static void over(struct locks *l, struct lock_wait *w, uint64_t *as)
{
	delist(l, w);
	w->waits = false;
	++*as;
}

static int begin(struct locks *l, const struct pirecord *r, const struct pitrace_sysenter *e,
		 uint32_t row, bool shared, bool pi)
{
	const struct sched_thread *t = sched_find(l->sched, e->tid);
	struct names *n = l->sched->names;
	struct lock_wait *w = t ? wait_of(l, t) : NULL;
	uint32_t had = l->nlock, lock;
	struct lock *k;

	if (!w)
		return -ENOMEM;
	if (w->waits) /* its return is missing */
		over(l, w, &l->lock[w->lock].cut);
	if (l->filter && !filter_shows(l->filter, n, row))
		return 0;
	lock = get_lock(l, n->thread[row].process, e->arguments[0]);
	if (lock == NO_KEY)
		return -ENOMEM;
	k = &l->lock[lock];
	k->shared |= shared;
	k->pi |= pi;
	if (had < l->nlock)
		k->variable = a2n_variable(n->a2n, e->pid, r->time, k->address, &k->offset);
	*w = (struct lock_wait){
		.waits = true,
		.lock = lock,
		.row = row,
		.waker = LOCK_UNWOKEN,
		.call = NO_KEY,
		.since = r->time,
	};
	enlist(l, w);
	return 0;
}

/* A wake-up wakes the threads that have waited longest. */
static void wake(struct locks *l, const struct pirecord *r, const struct pitrace_sysenter *e,
		 uint32_t row, int32_t most)
{
	uint64_t hash;
	uint32_t i = find_lock(l, l->sched->names->thread[row].process, e->arguments[0], &hash);
	struct lock *k = i == NO_KEY ? NULL : &l->lock[i];

	if (!k)
		return; /* no thread has waited for it */
	k->waker = row;
	k->waked = r->time;
	while (k->first != NO_KEY) {
		struct lock_wait *w = &l->wait[k->first];

		if (w->waker == LOCK_UNWOKEN)
			w->waker = row;
		delist(l, w);
		/* FUTEX_WAKE for none wakes one, too. */
		if (most <= 1)
			break;
		most--;
	}
}

static int futex(struct locks *l, const struct pirecord *r, const struct pitrace_sysenter *e,
		 uint32_t row)
{
	uint32_t op = (uint32_t)e->arguments[1];
	bool shared = !(op & FUTEX_PRIVATE_FLAG);

	switch (op & (uint32_t)FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return begin(l, r, e, row, shared, false);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return begin(l, r, e, row, shared, true);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
		wake(l, r, e, row, (int32_t)e->arguments[2]);
		break;
	case FUTEX_UNLOCK_PI:
		wake(l, r, e, row, 1);
		break;
	}
	return 0;
}

static const struct lock_call *call_of(const struct locks *l, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < l->ncalls; i++)
		if (l->number[i].call == number)
			return &l->number[i];
	return NULL;
}

int locks_enter(struct locks *l, const struct pirecord *r, const struct pitrace_sysenter *e)
{
	const struct lock_call *call = call_of(l, r->minor);
	struct sched_thread *t = call ? sched_find(l->sched, e->tid) : NULL;
	uint32_t row = t ? sched_row_of(l->sched, t, r->time) : NO_KEY;
	struct lock_wait *w;

	if (!call) {
		w = waits(l, e->tid);
		if (w) /* its return is missing */
			over(l, w, &l->lock[w->lock].cut);
		return 0;
	}
	if (row == NO_KEY)
		return -ENOMEM;
	switch (call->kind) {
	case CALL_FUTEX:
		return futex(l, r, e, row);
	case CALL_WAIT:
		return begin(l, r, e, row, false, false);
	case CALL_WAKE:
		/* Unlike FUTEX_WAKE, this one can wake none. */
		if ((int32_t)e->arguments[2])
			wake(l, r, e, row, (int32_t)e->arguments[2]);
		return 0;
	}
	l->several++;
	return 0;
}

/* Returns the counter for the way a call ended; NULL: it did not wait. */
static uint64_t *end_of(struct lock *k, int64_t result)
{
	if (result >= 0)
		return &k->woken;
	if (result == -ETIMEDOUT)
		return &k->timed_out;
	if (result == -EINTR || (result <= -RESTART_FIRST && result >= -RESTART_LAST))
		return &k->interrupted;
	return result == -EAGAIN ? NULL : &k->failed;
}

int locks_exit(struct locks *l, const struct pirecord *r, const struct pitrace_sysexit *e)
{
	struct lock_wait *w = waits(l, e->tid);
	struct lock *k = w ? &l->lock[w->lock] : NULL;
	struct lock_pair pair;
	struct lock_where stack;
	uint64_t *end;
	int rc;

	if (!w)
		return 0;
	if (w->since < l->sched->gap || !call_of(l, r->minor & ~PITRACE_EXIT)) {
		over(l, w, &k->cut);
		return 0;
	}
	end = end_of(k, e->result);
	if (!end) {
		over(l, w, &k->again);
		return 0;
	}
	over(l, w, end);
	if (end != &k->woken)
		w->waker = LOCK_NOBODY;
	else if (w->waker == LOCK_UNWOKEN && k->waked >= w->since)
		w->waker = k->waker;
	pair = (struct lock_pair){ w->lock, w->row, w->waker, 1, r->time - w->since, 0 };
	pair.longest = pair.ns;
	stack = (struct lock_where){ w->lock, w->call, 1, pair.ns, pair.ns };
	rc = spread_add(&k->time, pair.ns);
	if (!rc)
		rc = add_pair(l, &pair);
	return rc || stack.call == NO_KEY ? rc : add_stack(l, &stack);
}

void locks_leaves(struct locks *l, const struct pitrace_dispatch *d)
{
	struct lock_wait *w = d->old_tid ? waits(l, d->old_tid) : NULL;
	uint32_t i;

	if (!w)
		return;
	i = (uint32_t)(w - l->wait);
	if (i < l->offcpu->ncall && l->offcpu->call[i] != NO_KEY)
		w->call = l->offcpu->call[i];
}

void locks_woken(struct locks *l, const struct pirecord *r, const struct pitrace_wakeup *w)
{
	struct lock_wait *wait = waits(l, w->tid);
	const struct sched_thread *t = wait ? sched_find(l->sched, w->tid) : NULL;

	/* An interrupt does not own a lock. */
	if (wait && t->woken && t->woken_at == r->time && !(t->waker & WAKER_IRQ) && w->waker_tid)
		wait->waker = t->waker;
}

void locks_thread_ends(struct locks *l, uint32_t tid)
{
	struct lock_wait *w = waits(l, tid);

	if (w)
		over(l, w, &l->lock[w->lock].no_return);
}

int locks_end(struct locks *l, uint64_t time)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < l->nwait && !rc; i++) {
		struct lock_wait *w = &l->wait[i];
		struct lock *k = w->waits ? &l->lock[w->lock] : NULL;
		uint64_t ns = time > w->since ? time - w->since : 0;

		if (!k)
			continue;
		if (k->open_ns < ns)
			k->open_ns = ns;
		over(l, w, &k->open);
		rc = add_pair(l, &(struct lock_pair){ w->lock, w->row, LOCK_STILL, 1, ns, ns });
	}
	return rc;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int group_lock(struct locks *into, const struct lock *k, uint32_t *at)
{
	struct lock *g;

	*at = get_lock(into, into->sched->names->process[k->process].group, k->address);
	if (*at == NO_KEY)
		return -ENOMEM;
	g = &into->lock[*at];
	if (!g->variable) {
		g->variable = k->variable;
		g->offset = k->offset;
	}
	g->shared |= k->shared;
	g->pi |= k->pi;
	g->woken += k->woken;
	g->timed_out += k->timed_out;
	g->interrupted += k->interrupted;
	g->failed += k->failed;
	g->again += k->again;
	g->no_return += k->no_return;
	g->open += k->open;
	g->cut += k->cut;
	if (g->open_ns < k->open_ns)
		g->open_ns = k->open_ns;
	return spread_merge(&g->time, &k->time);
}

/* Keeps the tree's parent links, which reports need to list a call's callers. */
static int keep_nodes(struct locks *l)
{
	const struct calls *c = &l->offcpu->stacks.calls;
	uint32_t i;

	l->node = l->nstack ? calloc((size_t)c->ncall + 1, sizeof(*l->node)) : NULL;
	for (i = 0; l->node && i < c->ncall; i++)
		l->node[i] = (struct lock_node){ c->call[i].parent, c->call[i].id };
	return l->node || !l->nstack ? 0 : -ENOMEM;
}

int locks_group(struct locks *l)
{
	const struct trace_thread *thread = l->sched ? l->sched->names->thread : NULL;
	uint32_t *map = calloc((size_t)l->nlock + 1, sizeof(*map)), i;
	struct locks into = *l;
	int rc = map ? 0 : -ENOMEM;

	into.lock = NULL;
	into.pair = NULL;
	into.stack = NULL;
	into.nlock = into.room_lock = into.npair = into.room_pair = into.nstack = 0;
	into.room_stack = 0;
	into.by_lock = into.by_pair = into.by_stack = (struct keys){ 0 };
	into.wait = NULL; /* all waits have ended */
	into.nwait = into.room_wait = 0;
	for (i = 0; i < l->nlock && !rc; i++)
		rc = group_lock(&into, &l->lock[i], &map[i]);
	for (i = 0; i < l->npair && !rc; i++) {
		struct lock_pair p = l->pair[i];

		p.lock = map[p.lock];
		p.waiter = thread[p.waiter].group;
		if (!(p.waker & WAKER_IRQ))
			p.waker = thread[p.waker].group;
		rc = add_pair(&into, &p);
	}
	for (i = 0; i < l->nstack && !rc; i++) {
		struct lock_where s = l->stack[i];

		s.lock = map[s.lock];
		rc = add_stack(&into, &s);
	}
	free(map);
	locks_free(l);
	*l = into;
	return rc ? rc : keep_nodes(l);
}

void locks_free(struct locks *l)
{
	uint32_t i;

	for (i = 0; i < l->nlock; i++)
		spread_free(&l->lock[i].time);
	free(l->lock);
	free(l->pair);
	free(l->stack);
	free(l->wait);
	free(l->node);
	keys_free(&l->by_lock);
	keys_free(&l->by_pair);
	keys_free(&l->by_stack);
	*l = (struct locks){ 0 };
}
