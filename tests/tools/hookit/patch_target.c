/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * patch_target FILE: runs until FILE is there, and computes: by integers and by vectors, in a
 * thread that never waits, one that waits, and one that allocates. Says whether all of it was
 * right.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int over;
static unsigned long wrong, rounds;

__attribute__((noinline)) double t_scaled(double x, int n)
{
	return x * n + 0.5;
}

__attribute__((noinline)) int t_summed(const int *list, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += list[i] * 3;
	return sum;
}

__attribute__((noinline)) static void t_round(void)
{
	int list[64];
	double x = 1;

	for (int i = 0; i < 64; i++)
		list[i] = i;
	for (int i = 0; i < 100; i++)
		x = t_scaled(x, i % 3) / 2;
	if (t_summed(list, 64) != 6048 || x != 0.25)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
}

static void *busy(void *arg)
{
	while (!over)
		t_round();
	return arg;
}

static void *allocates(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (!over) {
		char *p = malloc(1 + rounds % 100000);

		memset(p, 1, 1);
		t_round();
		free(p);
	}
	return arg;
}

int main(int argc, char **argv)
{
	const char *file = argc > 1 ? argv[1] : "/nowhere";
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, busy, NULL);
	pthread_create(&thread[1], NULL, allocates, NULL);
	while (access(file, F_OK)) {
		t_round();
		usleep(2000);
	}
	over = 1;
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	printf("%lu wrong\n", wrong);
	return 0;
}
