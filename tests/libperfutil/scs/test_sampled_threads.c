/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of sampled threads: which is found by which number, what full, gone and ended ones
 * leave behind; whoever changes it holds its lock. Ticks are the test's own.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include "scs/sampled_threads.h"
#include "unit.h"

#define STEPS 256 /* places that a number may have */

int __real_pthread_mutex_lock(pthread_mutex_t *m);
int __real_pthread_mutex_unlock(pthread_mutex_t *m);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *m);
int __wrap_cpu_ticks_begin(struct cpu_ticks *c, pid_t tid, uint64_t period, int signal);
void __wrap_cpu_ticks_end(struct cpu_ticks *c);

static int held, begun, ended, began_error;

int __wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	int err = __real_pthread_mutex_lock(m);

	held++;
	return err;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *m)
{
	held--;
	return __real_pthread_mutex_unlock(m);
}

int __wrap_cpu_ticks_begin(struct cpu_ticks *c, pid_t tid, uint64_t period, int signal)
{
	CU_ASSERT_EQUAL(held, 1);
	CU_ASSERT(tid > 0 && period == 5 && signal == 6);
	if (began_error)
		return began_error;
	begun++;
	c->fd = tid;
	return 0;
}

void __wrap_cpu_ticks_end(struct cpu_ticks *c)
{
	CU_ASSERT_EQUAL(held, 1);
	ended += c->fd > 0;
	*c = (struct cpu_ticks){ .fd = -1 };
}

static void begin(uint64_t period)
{
	sampled_threads_begin(period, 6);
	held = begun = ended = began_error = 0;
}

static int add(pid_t tid, uint64_t java, void *env)
{
	int err = sampled_threads_add(tid, java, env);

	CU_ASSERT_EQUAL(held, 0);
	return err;
}

static void take_out(pid_t tid)
{
	sampled_threads_remove(tid);
	CU_ASSERT_EQUAL(held, 0);
}

static void scan(pid_t except)
{
	sampled_threads_scan(except);
	CU_ASSERT_EQUAL(held, 0);
}

static void end(void)
{
	sampled_threads_end();
	CU_ASSERT_EQUAL(held, 0);
}

/* The only thread with the number; count: of all that there are. */
static struct sampled_thread *only(pid_t tid, unsigned int *count)
{
	struct sampled_thread *t, *found = NULL;
	unsigned int at = 0;

	*count = 0;
	while ((t = sampled_threads_next(&at))) {
		++*count;
		if (t->tid != (uint32_t)tid)
			continue;
		CU_ASSERT_PTR_NULL(found);
		found = t;
	}
	return found;
}

static unsigned int count(void)
{
	unsigned int n;

	only(0, &n);
	return n;
}

static void added_and_removed(void)
{
	struct sampled_thread *t;
	unsigned int n;
	int env[2];

	begin(5);
	CU_ASSERT_EQUAL(count(), 0);
	CU_ASSERT_EQUAL(add(1001, 0, &env[0]), 0);
	CU_ASSERT_EQUAL(add(1002, 7, &env[1]), 0);
	CU_ASSERT_EQUAL(begun, 2);
	t = only(1001, &n);
	CU_ASSERT_EQUAL(n, 2);
	CU_ASSERT_FATAL(t && t->ticks.fd == 1001 && !t->java && t->env == &env[0] && !t->asked);
	t->asked = 3;
	/* Once more: what it is of Java's, and no second ticks. */
	CU_ASSERT_EQUAL(add(1001, 8, &env[1]), 0);
	CU_ASSERT(t->java == 8 && t->env == &env[1]);
	CU_ASSERT_EQUAL(add(1001, 0, NULL), 0);
	CU_ASSERT(t->java == 8 && t->env == &env[1] && t->asked == 3 && t->ticks.fd == 1001);
	CU_ASSERT_EQUAL(begun, 2);
	CU_ASSERT_EQUAL(count(), 2);
	take_out(1001);
	CU_ASSERT_EQUAL(ended, 1);
	CU_ASSERT_EQUAL(count(), 1);
	take_out(1001);
	take_out(999);
	CU_ASSERT_EQUAL(ended, 1);
	/* Its number again: another thread. */
	CU_ASSERT_EQUAL(add(1001, 0, NULL), 0);
	t = only(1001, &n);
	CU_ASSERT(n == 2 && t && !t->java && !t->env && !t->asked);
	end();
	CU_ASSERT_EQUAL(begun, 3);
	CU_ASSERT_EQUAL(ended, 3);
	CU_ASSERT_EQUAL(count(), 0);
	end();
	CU_ASSERT_EQUAL(ended, 3);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* All threads are asked a hundred times a second: it costs what they are, not what may be. */
static void looked_at(void)
{
	uint64_t since;

	begin(5);
	CU_ASSERT_EQUAL(add(1001, 0, NULL), 0);
	CU_ASSERT_EQUAL(add(1002, 0, NULL), 0);
	since = cpu_ns();
	for (int i = 0; i < 2000; i++)
		CU_ASSERT_EQUAL_FATAL(count(), 2);
	since = cpu_ns() - since;
	CU_ASSERT(since < 10000000);
	if (since >= 10000000)
		printf("# 2000 looks took %llu ns\n", (unsigned long long)since);
	end();
}

static void no_ticks(void)
{
	begin(5);
	began_error = -EMFILE;
	CU_ASSERT_EQUAL(add(1001, 0, NULL), -EMFILE);
	CU_ASSERT_EQUAL(count(), 0);
	began_error = 0;
	CU_ASSERT_EQUAL(add(1001, 0, NULL), 0);
	CU_ASSERT_EQUAL(count(), 1);
	end();
	/* Threads that are asked by the wall's clock have none. */
	begin(0);
	CU_ASSERT_EQUAL(add(1001, 0, NULL), 0);
	CU_ASSERT_EQUAL(count(), 1);
	CU_ASSERT_EQUAL(begun, 0);
	end();
	CU_ASSERT_EQUAL(ended, 0);
}

/* Numbers of the same place: as many as there are steps; one that is gone is a place for another,
 * and is stepped over where one is looked for. */
static void the_same_place(void)
{
	static pid_t number[STEPS + 2];
	unsigned int n = 0, found;

	for (uint32_t tid = 1; n < STEPS + 2; tid++)
		if ((tid * 2654435761u) >> 18 == 16380) /* they go on at the table's beginning */
			number[n++] = (pid_t)tid;
	begin(5);
	for (n = 0; n < STEPS; n++)
		CU_ASSERT_EQUAL(add(number[n], n + 1, NULL), 0);
	CU_ASSERT_EQUAL(add(number[STEPS], 1, NULL), -ENOSPC);
	CU_ASSERT_EQUAL(count(), STEPS);
	for (n = 0; n < STEPS; n++) {
		struct sampled_thread *t = only(number[n], &found);

		CU_ASSERT(t && t->java == n + 1);
	}
	take_out(number[0]);
	take_out(number[200]);
	CU_ASSERT_EQUAL(add(number[STEPS - 1], 77, NULL), 0);
	CU_ASSERT_EQUAL(count(), STEPS - 2);
	CU_ASSERT_EQUAL(add(number[STEPS], 1, NULL), 0);
	CU_ASSERT_EQUAL(add(number[STEPS + 1], 1, NULL), 0);
	CU_ASSERT_EQUAL(add(number[0], 1, NULL), -ENOSPC);
	take_out(number[STEPS - 1]);
	CU_ASSERT_EQUAL(count(), STEPS - 1);
	end();
	CU_ASSERT_EQUAL(begun, STEPS + 2);
	CU_ASSERT_EQUAL(ended, STEPS + 2);
	CU_ASSERT_EQUAL(count(), 0);
}

static sem_t ready, go;
static pid_t other;

static void *another(void *unused)
{
	struct sampled_thread *t;

	other = gettid();
	sem_post(&ready);
	sem_wait(&go);
	t = sampled_threads_enter();
	CU_ASSERT(t && t->tid == (uint32_t)other);
	sampled_threads_leave();
	return unused;
}

/* As the kernel lists them. */
static unsigned int threads_here(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned int n = 0;
	struct dirent *e;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static void looked_for(void)
{
	pid_t self = gettid();
	unsigned int n;
	pthread_t p;

	sem_init(&ready, 0, 0);
	sem_init(&go, 0, 0);
	begin(5);
	CU_ASSERT_PTR_NULL(sampled_threads_enter());
	sampled_threads_leave();
	CU_ASSERT_EQUAL_FATAL(pthread_create(&p, NULL, another, NULL), 0);
	sem_wait(&ready);
	CU_ASSERT_EQUAL(add(999999, 0, NULL), 0); /* it has ended */
	CU_ASSERT_EQUAL(add(other, 5, NULL), 0);
	scan(0);
	CU_ASSERT_PTR_NOT_NULL(only(self, &n));
	CU_ASSERT_PTR_NULL(only(999999, &n));
	CU_ASSERT(only(other, &n) && only(other, &n)->java == 5);
	CU_ASSERT_EQUAL(n, threads_here());
	/* The scanning thread is excluded, even if it was found before. */
	scan(self);
	CU_ASSERT_PTR_NULL(only(self, &n));
	CU_ASSERT_EQUAL(n, threads_here() - 1);
	sem_post(&go);
	pthread_join(p, NULL);
	while (threads_here() > 1)
		usleep(1000);
	scan(0);
	CU_ASSERT_PTR_NULL(only(other, &n));
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_PTR_NOT_NULL(sampled_threads_enter());
	sampled_threads_leave();
	CU_ASSERT_EQUAL(ended, begun - 1);
	end();
	CU_ASSERT_EQUAL(ended, begun);
	sem_destroy(&ready);
	sem_destroy(&go);
}

/* A handler that does not come to its end keeps what it may read. */
static void a_handler_at_work(void)
{
	begin(5);
	CU_ASSERT_EQUAL(add(gettid(), 0, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(sampled_threads_enter());
	end();
	CU_ASSERT_EQUAL(count(), 0);
	CU_ASSERT_EQUAL(ended, 0);
	CU_ASSERT_PTR_NULL(sampled_threads_enter());
	sampled_threads_leave();
	sampled_threads_leave();
	end();
	CU_ASSERT_EQUAL(ended, 1);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "looked_at", looked_at },
		{ "added_and_removed", added_and_removed },
		{ "no_ticks", no_ticks },
		{ "the_same_place", the_same_place },
		{ "looked_for", looked_for },
		{ "a_handler_at_work", a_handler_at_work },
		{ NULL, NULL },
	};

	return unit_run("sampled_threads", tests);
}
