/* SPDX-License-Identifier: GPL-3.0-or-later */
/* signals WAY: calls leaf() 1,000 times, and then ends by a signal: its own, or that of who waits
 * for "ready". */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
static char *volatile nowhere = (char *)8;
static volatile size_t eight = 8;

__attribute__((noinline)) void leaf(int n)
{
	sink += n;
}

__attribute__((noinline)) void counted(void)
{
	for (int i = 0; i < 1000; i++)
		leaf(i);
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void own(int sig)
{
	(void)sig;
	_exit(7);
}

static void *spin(void *arg)
{
	for (;;)
		sink++;
	return arg;
}

/* ---- ends of its own ------------------------------------------------------------------------- */

static void fault(void)
{
	*(volatile int *)nowhere = 1;
}

static void copy(void)
{
	char text[100] = "";

	memcpy(nowhere, text, sizeof(text));
}

static void length(void)
{
	sink += (int)strlen(nowhere);
}

static void print(void)
{
	printf("%s\n", nowhere);
	fflush(stdout);
}

static int compare(const void *a, const void *b)
{
	(void)a, (void)b;
	return *(volatile int *)nowhere;
}

static void sort(void)
{
	int two[2] = { 2, 1 };

	qsort(two, 2, sizeof(two[0]), compare);
}

/* The allocator finds these errors itself. */
static void wrong_free(void)
{
	char *volatile p = malloc(64);

	free(p + eight);
}

static void free_twice(void)
{
	char *volatile p = malloc(64);

	free(p);
	free(p);
}

/* Nothing can be allocated any more, also by a new thread's creator. */
static void exhaust(void)
{
	struct rlimit none = { 0, 0 };

	for (size_t size = 1 << 20; size; size /= 2)
		for (int i = 0; i < 10000 && malloc(size); i++)
			setrlimit(RLIMIT_AS, &none);
	abort();
}

/* A part of this memory belongs to the library that measures. */
static void unmap(void)
{
	FILE *in = fopen("/proc/self/maps", "r");
	static uintptr_t from[1000], to[1000];
	char line[4096], path[4096], rights[8];
	int n = 0, parts;
	stack_t own;

	sigaltstack(NULL, &own);
	while (in && n < 1000 && fgets(line, sizeof(line), in)) {
		parts = sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &from[n], &to[n], rights,
			       path);
		n += parts == 3 && to[n] - from[n] > 400000 && !strcmp(rights, "rw-p");
	}
	for (int i = 0; i < n; i++)
		if ((uintptr_t)own.ss_sp - from[i] >= to[i] - from[i])
			munmap((void *)from[i], to[i] - from[i]);
	abort();
}

__attribute__((noinline)) int overflow(int n)
{
	volatile char room[200];

	room[n % 200] = (char)n;
	return overflow(n + 1) + room[n % 200];
}

static void deep(void)
{
	sink += overflow(0);
}

static void *deep_thread(void *arg)
{
	deep();
	return arg;
}

static void in_thread(void *(*what)(void *))
{
	pthread_t t;

	pthread_create(&t, NULL, what, NULL);
	pthread_join(t, NULL);
}

static void thread_deep(void)
{
	in_thread(deep_thread);
}

static void *free_thread(void *arg)
{
	wrong_free();
	return arg;
}

static void thread_free(void)
{
	in_thread(free_thread);
}

static void trap(void)
{
	__builtin_trap();
}

static void raises(void)
{
	raise(SIGUSR1);
}

static void pipes(void)
{
	for (;;)
		ready();
}

static void child(void)
{
	if (!fork()) {
		counted();
		kill(getpid(), SIGTERM);
	}
	wait(NULL);
	exit(0);
}

/* Nothing can be written then; what writes each call has had time before. */
static void killed(void)
{
	sleep(1);
	kill(getpid(), SIGKILL);
}

static const struct way {
	const char *name;
	void (*end)(void);
} ways[] = {
	{ "fault", fault },
	{ "copy", copy },
	{ "length", length },
	{ "print", print },
	{ "sort", sort },
	{ "free", wrong_free },
	{ "twice", free_twice },
	{ "exhaust", exhaust },
	{ "unmap", unmap },
	{ "deep", deep },
	{ "thread_deep", thread_deep },
	{ "thread_free", thread_free },
	{ "trap", trap },
	{ "abort", abort },
	{ "raise", raises },
	{ "pipe", pipes },
	{ "child", child },
	{ "kill", killed },
};

int main(int argc, char **argv)
{
	static const struct rlimit no_core;
	const char *way = argc > 1 ? argv[1] : "";
	pthread_t t;

	setrlimit(RLIMIT_CORE, &no_core);
	if (!strcmp(way, "own"))
		signal(SIGTERM, own);
	counted();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(way, ways[i].name) != 0)
			continue;
		ways[i].end();
		return 9;
	}
	if (!strcmp(way, "threads"))
		for (int i = 0; i < 4; i++)
			pthread_create(&t, NULL, spin, NULL);
	ready();
	for (;;) {
		if (!strcmp(way, "block"))
			pause();
		else if (!strcmp(way, "read"))
			(void)!read(0, &t, 1);
		else if (!strcmp(way, "allocate"))
			free(memset(malloc(4096), 1, 4096));
		else if (!strcmp(way, "events"))
			leaf(1);
		else
			sink++;
	}
}
