/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hook_thread.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fatal_signals.h"
#include "metrics.h"
#include "overflow_stack.h"

#define ROUNDS 3    /* of destructors: others that run after ours may call functions */
#define TREES  4096 /* from here on, threads reuse the trees of ended threads */

struct call_thread hook_nobody = { .metrics = 1 }, hook_left_out = { .metrics = 1 };
__thread struct hook_thread hook_self = { .tree = &hook_nobody };
enum hook_reading hook_reading = HOOK_CYCLES;
atomic_bool hook_on;
bool hook_plain;
bool hook_events_on;
bool hook_results;
atomic_uint_least64_t hook_missed;

pthread_mutex_t hook_threads_lock = PTHREAD_MUTEX_INITIALIZER;
static struct call_thread *first, **last = &first, *resting;
static uint32_t trees, levels;
static bool tracing;
static uint64_t refused;
static const char *refused_why;
static pthread_key_t key;
static bool has_key;

void hook_read_late(struct call_thread *t)
{
	if (metrics_switches)
		metrics_read_switches(&t->dispatches, &t->interrupts);
	metrics_read(t->last, t->last);
}

static void refuse(const char *why)
{
	hook_self.refused = true;
	hook_self.tree = &hook_left_out;
	pthread_mutex_lock(&hook_threads_lock);
	if (!refused++)
		refused_why = strdup(why);
	pthread_mutex_unlock(&hook_threads_lock);
}

/* The name of a thread that still belongs to this process. */
static char *name_of(pid_t tid)
{
	char path[64], name[32] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	n = read(fd, name, sizeof(name) - 1);
	close(fd);
	if (n > 0 && name[n - 1] == '\n')
		name[n - 1] = 0;
	return n > 0 ? strdup(name) : NULL;
}

/* Updates a thread's name: the last one is used. Expects the lock, which readers of names hold. */
static void take_name(struct call_thread *t)
{
	char *name = name_of(t->tid), *had = t->name;

	if (!name || (had && !strcmp(name, had))) {
		free(name);
		return;
	}
	__atomic_store_n(&t->name, name, __ATOMIC_RELEASE);
	free(had);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void ends(void *arg)
{
	struct call_thread *t = hook_self.tree;

	if (++hook_self.rounds < ROUNDS) {
		pthread_setspecific(key, arg);
		return;
	}
	hook_self.tree = &hook_left_out;
	if (!t->nodes)
		return;
	if (hook_reading == HOOK_METRICS)
		metrics_thread_end();
	overflow_stack_take(hook_self.overflow);
	munmap(hook_self.wait, HOOK_WAITING * sizeof(*hook_self.wait));
	pthread_mutex_lock(&hook_threads_lock);
	take_name(t);
	if (t->ring)
		atomic_store_explicit(&t->ring->ended, true, memory_order_release);
	call_end_all(t);
	t->next_resting = resting;
	resting = t;
	pthread_mutex_unlock(&hook_threads_lock);
}

/* Determines this thread's stack. Frames elsewhere, as of a signal handler on an alternate stack,
 * cannot be compared with it. */
void hook_thread_stack(struct call_thread *t)
{
	pthread_attr_t a;
	void *low;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &a))
		return;
	if (!pthread_attr_getstack(&a, &low, &size)) {
		hook_self.stack_low = (uintptr_t)low;
		hook_self.stack_high = (uintptr_t)low + size;
	}
	pthread_attr_destroy(&a);
	/* A sentinel above all frames. */
	t->frames[-1].at.frame = hook_self.stack_high;
}

static struct call_thread *take_tree(void)
{
	struct call_thread *t = NULL;

	pthread_mutex_lock(&hook_threads_lock);
	if (trees >= TREES && resting) {
		t = resting;
		resting = t->next_resting;
	}
	pthread_mutex_unlock(&hook_threads_lock);
	return t;
}

struct call_thread *hook_tree_new(void)
{
	struct call_thread *t = call_thread_new(metrics_count());

	if (!t)
		return NULL;
	t->plain = hook_plain;
	t->pops = true;
	return t;
}

static struct call_thread *new_tree(void)
{
	struct call_thread *t = hook_tree_new();

	if (!t)
		return NULL;
	if (levels)
		call_thread_levels(t, levels);
	pthread_mutex_lock(&hook_threads_lock);
	t->ring = tracing ? call_ring_new(t->metrics) : NULL;
	t->tid = gettid();
	*last = t;
	last = &t->next_thread;
	trees++;
	pthread_mutex_unlock(&hook_threads_lock);
	return t;
}

void hook_thread_begin(void)
{
	const char *why = hook_reading == HOOK_METRICS ? metrics_thread_begin() : NULL;
	struct call_thread *t;

	if (why) {
		refuse(why);
		return;
	}
	hook_self.wait = mmap(NULL, HOOK_WAITING * sizeof(*hook_self.wait), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	t = hook_self.wait == MAP_FAILED ? NULL : take_tree();
	if (!t && hook_self.wait != MAP_FAILED)
		t = new_tree();
	if (!t) {
		refuse("there is no memory for its tree");
		return;
	}
	hook_thread_stack(t);
	if (fatal_signals_watched())
		hook_self.overflow = overflow_stack_give();
	pthread_mutex_lock(&hook_threads_lock);
	has_key = has_key || !pthread_key_create(&key, ends);
	pthread_mutex_unlock(&hook_threads_lock);
	/* The main thread's destructors are not called: it ends with the program. */
	if (has_key && gettid() != getpid())
		pthread_setspecific(key, t);
	hook_self.tree = t;
	hook_read_late(t);
}

void hook_threads_trace(void)
{
	tracing = true;
}

void hook_threads_depth(uint32_t depth)
{
	levels = depth;
}

void hook_threads_anew(void)
{
	pthread_mutex_lock(&hook_threads_lock);
	for (struct call_thread *t = first; t; t = t->next_thread) {
		__atomic_store_n(&t->plain, false, __ATOMIC_RELAXED);
		__atomic_store_n(&t->anew, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&hook_threads_lock);
}

/* ---- fork ------------------------------------------------------------------------------------ */

/* Copies the nodes along the frames: those functions are on the stack, but were not called in the
 * child. */
static void copy_path(struct call_thread *to, const struct call_thread *t)
{
	uint32_t n = t->depth < t->deepest ? t->depth : t->deepest;

	to->frames[-1].at = t->frames[-1].at;
	for (uint32_t i = 0; i < n; i++) {
		const struct call_frame *f = &t->frames[i];

		to->frames[i].at = f->at;
		to->frames[i].known = f->known;
		call_enter(to, f->method, t->nodes[f->node].type, NULL);
	}
	for (uint32_t i = 0; i < to->used; i++)
		to->nodes[i].calls = to->nodes[i].calls_made = 0;
	to->entries = 0;
}

void hook_threads_forked(void)
{
	struct call_thread *mine = hook_self.tree, *t, *next;

	t = first;
	first = resting = NULL;
	last = &first;
	trees = 0;
	refused = 0;
	tracing = false;
	for (; t; t = next) {
		next = t->next_thread;
		if (t != mine)
			call_thread_free(t);
	}
	if (!mine->nodes)
		return;
	if (hook_reading == HOOK_METRICS)
		(void)metrics_thread_begin();
	t = new_tree();
	hook_self.tree = t ? t : &hook_left_out;
	if (t) {
		copy_path(t, mine);
		hook_read_late(t);
	}
	call_thread_free(mine);
}

/* ---- for the logs ---------------------------------------------------------------------------- */

void hook_threads_each(void (*each)(void *arg, const struct call_thread *t), void *arg)
{
	pthread_mutex_lock(&hook_threads_lock);
	for (struct call_thread *t = first; t; t = t->next_thread)
		if (!__atomic_load_n(&t->anew, __ATOMIC_ACQUIRE))
			each(arg, t);
	pthread_mutex_unlock(&hook_threads_lock);
}

uint64_t hook_threads_refused(const char **why)
{
	*why = refused_why;
	return refused;
}

void hook_threads_settle(void)
{
	pthread_mutex_lock(&hook_threads_lock);
	for (struct call_thread *t = first; t; t = t->next_thread)
		call_settle(t);
	pthread_mutex_unlock(&hook_threads_lock);
}

void hook_threads_name(void)
{
	pthread_mutex_lock(&hook_threads_lock);
	for (struct call_thread *t = first; t; t = t->next_thread)
		take_name(t);
	pthread_mutex_unlock(&hook_threads_lock);
}
