/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "thread_trees.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call_ended.h"

/* For threads without a tree: events write here, and it is never read. */
struct call_thread hook_nobody = { .metrics = 1 };
static struct call_thread left_out = { .metrics = 1 };
__thread struct call_thread *hook_self __attribute__((tls_model("initial-exec"))) = &hook_nobody;
static __thread bool refused __attribute__((tls_model("initial-exec"))); /* has no metrics */

/* Set in a carrier while a virtual thread runs on it; else NULL. */
static __thread struct call_thread *carrier __attribute__((tls_model("initial-exec")));

enum hooks_reading hooks_reading = READ_CYCLES;
atomic_bool hooks_on;
static atomic_bool tracing;
static hooks_name *name_here;
static const struct method_filter *names_wanted;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct call_thread *first, **last = &first;
static struct hooks_refused all_refused;

/* ---- threads --------------------------------------------------------------------------------- */

static void refuse(const char *why)
{
	refused = true;
	pthread_mutex_lock(&lock);
	if (!all_refused.threads++)
		all_refused.why = strdup(why);
	pthread_mutex_unlock(&lock);
}

struct hooks_refused hooks_refused(void)
{
	struct hooks_refused r;

	pthread_mutex_lock(&lock);
	r = all_refused;
	pthread_mutex_unlock(&lock);
	return r;
}

void hooks_values(bool read)
{
	hooks_reading = !read              ? READ_NOTHING :
			metrics_wall_alone ? READ_CYCLES :
			metrics_own_alone  ? READ_OWN :
			metrics_both       ? READ_BOTH :
					     READ_METRICS;
}

void hooks_threads(const struct method_filter *f, hooks_name *names)
{
	names_wanted = f;
	name_here = names;
}

/* Call with the lock held, like all that change its inputs. */
static void set_plain(struct call_thread *t)
{
	__atomic_store_n(&t->plain, hooks_on && !t->ring && !t->stale, __ATOMIC_RELAXED);
}

/* Call with the lock held. */
static void add_thread(struct call_thread *t)
{
	t->ring = tracing ? call_ring_new(t->metrics) : NULL;
	set_plain(t);
	t->place_of = last;
	*last = t;
	last = &t->next_thread;
}

static bool thread_counts(const char *name)
{
	return !names_wanted || filter_takes(names_wanted, name);
}

void hooks_thread_begin(const char *name)
{
	struct call_thread *t;
	const char *why;

	if (hook_self != &hook_nobody || refused)
		return;
	if (name && !thread_counts(name)) {
		hook_self = &left_out;
		return;
	}
	why = reads_ptt(hooks_reading) ? metrics_thread_begin() : NULL;
	if (why) {
		refuse(why);
		return;
	}
	t = call_thread_new(metrics_count());
	if (!t) {
		if (reads_ptt(hooks_reading))
			metrics_thread_end();
		refuse("no memory");
		return;
	}
	t->name = name ? strdup(name) : NULL;
	t->tid = gettid();
	pthread_mutex_lock(&lock);
	add_thread(t);
	pthread_mutex_unlock(&lock);
	hook_self = t;
	hook_read_late(t);
}

void hooks_thread_none(void)
{
	hook_self = &left_out;
}

void hooks_thread_name(const char *name)
{
	if (hook_self->nodes && !hook_self->name && name)
		hook_self->name = strdup(name);
}

/* Replaces a thread in the list, or removes it if `to` is NULL. Call with the lock held. */
static void replace(struct call_thread *t, struct call_thread *to)
{
	struct call_thread *next = t->next_thread, **end = to ? &to->next_thread : t->place_of;

	*t->place_of = to ? to : next;
	if (to) {
		to->place_of = t->place_of;
		to->next_thread = next;
	}
	if (next)
		next->place_of = end;
	else
		last = end;
}

/* The first thread that ends collects the minima of all others that end. */
static struct call_thread *learnt;

static bool keeps_learnt(struct call_thread *t)
{
	bool keeps;

	pthread_mutex_lock(&lock);
	if (!learnt)
		learnt = t;
	keeps = learnt == t;
	pthread_mutex_unlock(&lock);
	return keeps;
}

/* Keeps the tree of an ended thread, in less memory. */
static void keep_ended(struct call_thread *t)
{
	struct call_thread *to = keeps_learnt(t) ? NULL : call_ended(t);

	if (!to)
		return;
	pthread_mutex_lock(&lock);
	call_learn(learnt, t);
	replace(t, to);
	pthread_mutex_unlock(&lock);
	call_thread_free(t);
}

void hooks_thread_end(void)
{
	struct call_thread *t = hook_self;

	if (t->nodes && reads_ptt(hooks_reading))
		metrics_thread_end();
	if (t->ring)
		atomic_store_explicit(&t->ring->ended, true, memory_order_release);
	hook_self = &hook_nobody;
	if (t->nodes)
		keep_ended(t);
}

void hooks_each(void (*each)(void *arg, const struct call_thread *t), void *arg)
{
	pthread_mutex_lock(&lock);
	for (struct call_thread *t = first; t; t = t->next_thread)
		if (!__atomic_load_n(&t->emptied, __ATOMIC_RELAXED))
			each(arg, t);
	pthread_mutex_unlock(&lock);
}

void hooks_set(bool to)
{
	static bool stopped; /* recording was stopped before */

	pthread_mutex_lock(&lock);
	for (struct call_thread *t = first; t; t = t->next_thread) {
		if (to && stopped && !hooks_on)
			__atomic_store_n(&t->stale, true, __ATOMIC_RELAXED);
		if (!to)
			call_settle(t);
	}
	stopped |= hooks_on && !to;
	hooks_on = to;
	for (struct call_thread *t = first; t; t = t->next_thread)
		set_plain(t);
	pthread_mutex_unlock(&lock);
}

void hooks_empty(void)
{
	pthread_mutex_lock(&lock);
	for (struct call_thread *t = first, *next; t; t = next) {
		next = t->next_thread;
		if (t == learnt) {
			call_empty(t);
		} else if (!t->memory && (!t->ring || t->ring->emptied)) {
			replace(t, NULL);
			call_thread_free(t);
		} else {
			__atomic_store_n(&t->emptied, true, __ATOMIC_RELAXED);
			__atomic_store_n(&t->stale, true, __ATOMIC_RELAXED);
			set_plain(t);
		}
	}
	pthread_mutex_unlock(&lock);
}

void hook_thread_freshen(struct call_thread *t, uint64_t *values)
{
	pthread_mutex_lock(&lock);
	call_forget(t, 0);
	if (t->emptied)
		call_empty(t);
	t->stale = t->emptied = false;
	set_plain(t);
	pthread_mutex_unlock(&lock);
	hook_read_late(t);
	memcpy(values, t->last, sizeof(t->last));
}

struct call_thread *hook_thread_here(void)
{
	char *name;

	if (refused)
		return NULL;
	name = name_here ? name_here() : NULL;
	hooks_thread_begin(name);
	free(name);
	return hook_self;
}

void hooks_trace(void)
{
	pthread_mutex_lock(&lock);
	tracing = true;
	for (struct call_thread *t = first; t; t = t->next_thread) {
		t->ring = call_ring_new(t->metrics);
		set_plain(t);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- virtual threads ------------------------------------------------------------------------- */

#define VIRTUAL_TREES 4096 /* beyond this number, trees are shared by threads of any name */
#define VIRTUAL_NAME  "virtual threads"

static struct call_thread *resting; /* trees whose threads have ended */
static uint64_t virtual_trees, virtual_lost;

/* Call with the lock held. */
static struct call_thread *take_resting(const char *name)
{
	struct call_thread **at = &resting, *t;

	while (*at && virtual_trees < VIRTUAL_TREES && strcmp((*at)->name, name))
		at = &(*at)->next_resting;
	t = *at;
	if (!t)
		return NULL;
	*at = t->next_resting;
	if (strcmp(t->name, name) && strcmp(t->name, VIRTUAL_NAME)) {
		free(t->name);
		t->name = strdup(VIRTUAL_NAME);
	}
	return t;
}

struct call_thread *hooks_virtual_begin(const char *name)
{
	struct call_thread *t;

	if (name && !thread_counts(name))
		return &left_out;
	if (!name || !*name)
		name = VIRTUAL_NAME;
	pthread_mutex_lock(&lock);
	t = take_resting(name);
	if (!t)
		t = call_thread_new(metrics_count());
	else
		name = NULL;
	if (t && name) {
		t->name = strdup(name);
		add_thread(t);
		virtual_trees++;
	}
	virtual_lost += !t;
	pthread_mutex_unlock(&lock);
	return t ? t : &left_out;
}

void hooks_virtual_end(struct call_thread *t)
{
	if (!t->nodes)
		return;
	pthread_mutex_lock(&lock);
	call_end_all(t);
	/* Without a name it could not be found again. */
	if (t->name) {
		t->next_resting = resting;
		resting = t;
	}
	pthread_mutex_unlock(&lock);
}

void hooks_mount(struct call_thread *t)
{
	if (!carrier)
		carrier = hook_self;
	hook_self = t;
	if (t->nodes)
		hook_read_late(t);
}

void hooks_unmount(void)
{
	if (!carrier)
		return;
	hook_self = carrier;
	carrier = NULL;
	if (hook_self->nodes)
		hook_read_late(hook_self);
}

void hooks_virtual_count(uint64_t *trees, uint64_t *lost)
{
	*trees = virtual_trees;
	*lost = virtual_lost;
}
