/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three threads and the locks that they wait for, how often being known: a mutex and a mutex with
 * priority inheritance, which one thread has until both others wait for it; a condition variable; a
 * wait whose time is over. Prints "WHAT ADDRESS" of each, and ROUNDS.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAITERS 2

pthread_mutex_t plain_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t heirs_lock;
static int signal_word, timeout_word;
static atomic_int round_no, ready;
static atomic_int tids[WAITERS];
static int rounds;

static long futex(int *word, int op, int value, const struct timespec *time)
{
	return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, time, NULL, 0);
}

/* Until the kernel says that both wait. */
static void until_they_sleep(void)
{
	int i;

	for (i = 0; i < WAITERS; i++) {
		char path[64], text[256], *p;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", atomic_load(&tids[i]));
		do {
			usleep(1000);
			f = fopen(path, "r");
			p = f && fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
			if (f)
				fclose(f);
		} while (!p || p[2] != 'S');
	}
}

static __attribute__((noinline)) void wait_for(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
	pthread_mutex_unlock(m);
	__asm__ volatile("");
}

static void *waiter(void *arg)
{
	int i = (int)(long)arg, mine = 0;

	prctl(PR_SET_NAME, i ? "second" : "first");
	atomic_store(&tids[i], (int)syscall(SYS_gettid));
	while (mine < 3 * rounds) {
		/* Without a futex: it would be counted. */
		while (atomic_load(&round_no) <= mine)
			usleep(200);
		if (mine % 3 == 2)
			futex(&signal_word, FUTEX_WAIT, 0, NULL);
		else
			wait_for(mine % 3 ? &heirs_lock : &plain_lock);
		mine++;
		atomic_fetch_add(&ready, 1);
	}
	return NULL;
}

static void until_ready(int n)
{
	while (atomic_load(&ready) < n)
		usleep(200);
}

int main(int argc, char **argv)
{
	const struct timespec soon = { 0, 2000000 };
	pthread_mutexattr_t heirs;
	pthread_t t[WAITERS];
	int i, r;

	rounds = argc > 1 ? atoi(argv[1]) : 20;
	pthread_mutexattr_init(&heirs);
	pthread_mutexattr_setprotocol(&heirs, PTHREAD_PRIO_INHERIT);
	if (pthread_mutex_init(&heirs_lock, &heirs))
		return 1;
	prctl(PR_SET_NAME, "owner");
	for (i = 0; i < WAITERS; i++)
		if (pthread_create(&t[i], NULL, waiter, (void *)(long)i))
			return 1;
	while (!atomic_load(&tids[0]) || !atomic_load(&tids[1]))
		usleep(200);
	for (r = 0; r < 3 * rounds; r++) {
		pthread_mutex_t *m = r % 3 == 2 ? NULL : r % 3 ? &heirs_lock : &plain_lock;

		if (m)
			pthread_mutex_lock(m);
		atomic_fetch_add(&round_no, 1);
		usleep(2000);
		until_they_sleep();
		if (m)
			pthread_mutex_unlock(m);
		else
			futex(&signal_word, FUTEX_WAKE, WAITERS, NULL);
		until_ready(WAITERS * (r + 1));
	}
	for (r = 0; r < rounds; r++)
		if (futex(&timeout_word, FUTEX_WAIT, 0, &soon) != -1 || errno != ETIMEDOUT)
			return 1;
	for (i = 0; i < WAITERS; i++)
		pthread_join(t[i], NULL);
	printf("plain %p\nheirs %p\nsignal %p\ntimeout %p\nrounds %d\n", (void *)&plain_lock,
	       (void *)&heirs_lock, (void *)&signal_word, (void *)&timeout_word, rounds);
	return 0;
}
