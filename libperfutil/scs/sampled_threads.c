/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scs/sampled_threads.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PLACES  16384 /* a power of two */
#define STEPS   256
#define GONE    UINT32_MAX
#define WAIT_MS 2000

static struct sampled_thread thread[PLACES];
/* Those places that were ever taken: who looks at all threads has no need to look at the others. */
static uint16_t taken[PLACES];
static atomic_uint taken_count;
static struct {
	pthread_mutex_t lock;
	uint64_t period;
	int signal;
	uint32_t round;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static atomic_uint inside; /* handlers that may be using a thread */

static uint32_t first_of(uint32_t tid)
{
	return (tid * 2654435761u) >> 18;
}

static struct sampled_thread *find(pid_t tid)
{
	uint32_t first = first_of((uint32_t)tid);

	for (uint32_t i = 0; i < STEPS; i++) {
		struct sampled_thread *t = &thread[(first + i) & (PLACES - 1)];
		uint32_t is = atomic_load_explicit(&t->tid, memory_order_acquire);

		if (is == (uint32_t)tid)
			return t;
		if (!is)
			return NULL;
	}
	return NULL;
}

struct sampled_thread *sampled_threads_enter(void)
{
	atomic_fetch_add(&inside, 1);
	return find((pid_t)syscall(SYS_gettid));
}

void sampled_threads_leave(void)
{
	atomic_fetch_sub(&inside, 1);
}

static struct sampled_thread *free_place(uint32_t tid)
{
	uint32_t first = first_of(tid);

	for (uint32_t i = 0; i < STEPS; i++) {
		struct sampled_thread *t = &thread[(first + i) & (PLACES - 1)];

		if (!t->tid || t->tid == GONE)
			return t;
	}
	return NULL;
}

void sampled_threads_begin(uint64_t period, int signal)
{
	all.period = period;
	all.signal = signal;
}

/* With the lock held. */
static int add(pid_t tid, uint64_t java, void *env)
{
	struct sampled_thread *t = find(tid);
	bool is_new = !t, is_fresh;
	int err = 0;

	if (is_new)
		t = free_place((uint32_t)tid);
	if (!t)
		return -ENOSPC;
	if (java || is_new) {
		t->env = env;
		t->java = java;
	}
	t->round = all.round;
	if (!is_new)
		return 0;
	is_fresh = !t->tid;
	t->asked = 0;
	t->ticks = (struct cpu_ticks){ .fd = -1 };
	/* A signal that arrives before the call returns finds no ticks. */
	if (all.period)
		err = cpu_ticks_begin(&t->ticks, tid, all.period, all.signal);
	if (err)
		return err;
	atomic_store_explicit(&t->tid, (uint32_t)tid, memory_order_release);
	if (is_fresh) {
		taken[taken_count] = (uint16_t)(t - thread);
		atomic_fetch_add_explicit(&taken_count, 1, memory_order_release);
	}
	return 0;
}

int sampled_threads_add(pid_t tid, uint64_t java, void *env)
{
	int err;

	pthread_mutex_lock(&all.lock);
	err = add(tid, java, env);
	pthread_mutex_unlock(&all.lock);
	return err;
}

/* With the lock held. Its handler may be running, on the thread itself: but not if the thread
 * removes itself, or has ended. */
static void remove_place(struct sampled_thread *t)
{
	struct cpu_ticks ticks = t->ticks;

	atomic_store(&t->tid, GONE);
	t->ticks = (struct cpu_ticks){ .fd = -1 };
	cpu_ticks_end(&ticks);
}

void sampled_threads_remove(pid_t tid)
{
	struct sampled_thread *t;

	pthread_mutex_lock(&all.lock);
	t = find(tid);
	if (t)
		remove_place(t);
	pthread_mutex_unlock(&all.lock);
}

struct sampled_thread *sampled_threads_next(unsigned int *at)
{
	while (*at < atomic_load_explicit(&taken_count, memory_order_acquire)) {
		struct sampled_thread *t = &thread[taken[(*at)++]];

		if (t->tid && t->tid != GONE)
			return t;
	}
	return NULL;
}

void sampled_threads_scan(pid_t except)
{
	DIR *list = opendir("/proc/self/task");
	struct sampled_thread *t;
	unsigned int at = 0;
	struct dirent *e;

	if (!list)
		return;
	pthread_mutex_lock(&all.lock);
	all.round++;
	while ((e = readdir(list))) {
		pid_t tid = (pid_t)strtoul(e->d_name, NULL, 10);

		if (tid > 0 && tid != except)
			add(tid, 0, NULL);
	}
	while ((t = sampled_threads_next(&at)))
		if (t->round != all.round)
			remove_place(t);
	pthread_mutex_unlock(&all.lock);
	closedir(list);
}

/* A handler may read the mapped memory of ticks: that is kept if a handler does not finish in
 * time. */
static bool wait_for_handlers(void)
{
	const struct timespec pause = { 0, 1000000 };

	for (unsigned int i = 0; inside && i < WAIT_MS; i++)
		nanosleep(&pause, NULL);
	return !inside;
}

void sampled_threads_end(void)
{
	uint32_t i;
	bool none;

	pthread_mutex_lock(&all.lock);
	for (i = 0; i < taken_count; i++)
		atomic_store(&thread[taken[i]].tid, GONE);
	none = wait_for_handlers();
	for (i = 0; none && i < taken_count; i++)
		cpu_ticks_end(&thread[taken[i]].ticks);
	pthread_mutex_unlock(&all.lock);
}
