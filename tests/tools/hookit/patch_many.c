/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * patch_many ROUNDS THREADS: functions, of which there are many, are patched and unpatched so
 * often while threads run in all of them. Half of the threads block all signals. The code is
 * afterwards as it was; while it was on, functions were counted; no page was ever both writable and
 * executable.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "patch_counter.h"

extern int (*const t_all[])(int);
extern const int t_count;

static volatile int over;
static unsigned long long rounds;

static void *run(void *arg)
{
	sigset_t all;

	if (arg) {
		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, NULL);
	}
	while (!over) {
		for (int i = 0; i < t_count; i++) {
			int got = t_all[i](i);

			if (got != i + i % 1000) {
				fprintf(stderr, "function %d gave %d\n", i, got);
				abort();
			}
		}
		__atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static unsigned char *code(void)
{
	unsigned char *copy = malloc((size_t)t_count * 16);

	for (int i = 0; i < t_count; i++)
		memcpy(copy + (size_t)i * 16, (const void *)t_all[i], 16);
	return copy;
}

/* Pages that are writable and executable at once; or code that is not executable. */
static int bad_pages(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0, code = 0;
	unsigned long start, end, at = (unsigned long)t_all[0];

	while (fgets(line, sizeof(line), f)) {
		char *rights = strchr(line, ' ') + 1;

		sscanf(line, "%lx-%lx", &start, &end);
		n += rights[1] == 'w' && rights[2] == 'x';
		code += at >= start && at < end && rights[2] == 'x' && rights[1] != 'w';
	}
	fclose(f);
	return n + !code;
}

/* Looks at them as often as it can. */
static void *watch(void *arg)
{
	while (!over)
		__atomic_fetch_add((int *)arg, bad_pages(), __ATOMIC_RELAXED);
	return NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, n_threads = argc > 2 ? atoi(argv[2]) : 8;
	unsigned char *before = code(), *after;
	unsigned long long between, events;
	pthread_t thread[64], watcher;
	long functions = 0;
	double began;
	int bad = bad_pages();

	patch_counter_find();
	for (int i = 0; i < n_threads; i++)
		pthread_create(&thread[i], NULL, run, i % 2 ? thread : NULL);
	pthread_create(&watcher, NULL, watch, &bad);
	began = now();
	for (int i = 0; i < n; i++) {
		functions = patch_counter_on();
		patch_counter_off();
	}
	fprintf(stderr, "%.3f ms each time\n", (now() - began) * 1000 / n);
	/* Until each thread has come round while they are on. */
	patch_counter_on();
	between = rounds;
	while (__atomic_load_n(&rounds, __ATOMIC_RELAXED) < between + 2 * (unsigned int)n_threads)
		;
	patch_counter_off();
	over = 1;
	for (int i = 0; i < n_threads; i++)
		pthread_join(thread[i], NULL);
	pthread_join(watcher, NULL);
	events = patch_counter_events();
	between = events;
	after = code();
	printf("%ld of %d functions, %s, the code is %s, %s page was both\n", functions, t_count,
	       events >= (unsigned long long)t_count ? "counted" : "not counted",
	       memcmp(before, after, (size_t)t_count * 16) ? "another" : "as it was",
	       bad ? "a" : "no");
	for (int i = 0; i < t_count; i++)
		t_all[i](i);
	printf("%llu events when off\n", patch_counter_events() - between);
	return 0;
}
