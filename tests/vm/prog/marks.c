// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Programs' own records, counted by who writes them.
 *	marks RECORDS THREADS WORK	each thread writes its share: thread, number; WORK turns of
 *					a loop between two
 *	marks cost RECORDS FILE		ns (under icount: instructions) of a record, of the cheapest
 *					hundred in a row, of one for nobody, of a line of text
 *					written to FILE
 *	marks killed RECORDS THREADS	killed when so many are written: those that it was told of
 *	marks self FILE MODE		in a session of its own, whose records must be written at
 *					once; MODE of TraceSetMode
 * The last line is: written N lost N nobody N
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <perfutil.h>

#define MAJOR   0xD1
#define NOBODYS 0xD8

struct thread {
	pthread_t thread;
	uint64_t who, records, written, lost, nobody, failed;
};
static unsigned long turns;

static void work(unsigned long n)
{
	while (n--)
		__asm__ volatile("" : : : "memory");
}

static void *writer(void *arg)
{
	struct thread *t = arg;

	for (uint64_t i = 0; i < t->records; i++) {
		uint64_t ints[2] = { t->who, i };
		int rc = TraceHook(0, MAJOR, 1, 2, 0, ints, NULL, NULL);

		if (rc == PI_OK)
			t->written++;
		else if (rc == PI_BUFFER_FULL)
			t->lost++;
		else if (rc == TRACE_NOBODY)
			t->nobody++;
		else
			t->failed++;
		work(turns);
	}
	return NULL;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int cost(uint64_t records, const char *file)
{
	/* The text for ftrace's marker: the same two numbers. */
	static const char text[] = "mark 0 4711\n";
	uint64_t ints[2] = { 0, 4711 }, start, i;
	uint64_t least = UINT64_MAX, clock = UINT64_MAX, from, took;
	int fd = open(file, O_WRONLY);

	for (i = 0; i < 100; i++)
		TraceHook(0, MAJOR, 1, 2, 0, ints, NULL, NULL);
	start = now();
	for (i = 0; i < records; i++)
		TraceHook(0, MAJOR, 1, 2, 0, ints, NULL, NULL);
	printf("record %llu\n", (unsigned long long)((now() - start) / records));
	for (unsigned int n = 0; n < 100; n++) {
		from = now();
		took = now() - from;
		if (took < clock)
			clock = took;
		from = now();
		for (i = 0; i < 100; i++)
			TraceHook(0, MAJOR, 1, 2, 0, ints, NULL, NULL);
		took = now() - from;
		if (took < least)
			least = took;
	}
	printf("usual %.2f\n", (double)(least - clock) / 100);
	start = now();
	for (i = 0; i < records; i++)
		TraceHook(0, NOBODYS, 1, 2, 0, ints, NULL, NULL);
	printf("nobody %llu\n", (unsigned long long)((now() - start) / records));
	start = now();
	for (i = 0; fd >= 0 && i < records; i++)
		if (write(fd, text, sizeof(text) - 1) < 0)
			return 1;
	if (fd >= 0)
		printf("marker %llu\n", (unsigned long long)((now() - start) / records));
	return 0;
}

/* ---- killed ---------------------------------------------------------------------------------- */

#define MOST 64
static volatile uint64_t *told;

static void *writes_on(void *arg)
{
	uint64_t ints[2] = { (uintptr_t)arg, 0 };

	for (;; ints[1]++)
		if (!TraceHook(0, MAJOR, 1, 2, 0, ints, NULL, NULL))
			told[ints[0]] = ints[1] + 1;
	return NULL;
}

static uint64_t told_of(uintptr_t n)
{
	uint64_t sum = 0;

	for (uintptr_t i = 0; i < n; i++)
		sum += told[i];
	return sum;
}

static int killed(uint64_t records, uintptr_t n)
{
	pthread_t thread;
	pid_t pid;

	told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED || !n || n > MOST)
		return 1;
	pid = fork();
	if (!pid) {
		for (uintptr_t i = 1; i < n; i++)
			pthread_create(&thread, NULL, writes_on, (void *)i);
		writes_on(NULL);
	}
	while (told_of(n) < records)
		usleep(1000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("written %llu lost 0 nobody 0\n", (unsigned long long)told_of(n));
	return 0;
}

/* ---- in a session of its own ----------------------------------------------------------------- */

static int put_one(uint64_t number)
{
	uint64_t ints[2] = { 0, number };

	return TraceHook(0, MAJOR, 1, 2, 0, ints, NULL, NULL);
}

static int must(const char *what, int rc, int want)
{
	if (rc == want)
		return 0;
	printf("%s: %d, not %d: %s\n", what, rc, want, TraceLastError());
	return 1;
}

/* Nobody listens before TraceOn and after TraceOff; in between somebody does, at once. */
static int self(const char *file, int mode)
{
	int wrong = must("before", put_one(9), TRACE_NOBODY);
	uint64_t number = 0;

	TraceSetMode(mode);
	TraceSetName(file);
	TraceSetScope(TRACE_PROCESS, getpid());
	wrong += must("init", TraceInit(0), 0);
	for (int i = 0; i < 3; i++) {
		wrong += must("enable", TraceEnable(MAJOR), 0);
		wrong += must("off", put_one(9), TRACE_NOBODY);
		wrong += must("on", TraceOn(), 0);
		wrong += must("first", put_one(number++), 0);
		wrong += must("suspend", TraceSuspend(), 0);
		wrong += must("suspended", put_one(9), TRACE_NOBODY);
		wrong += must("resume", TraceResume(), 0);
		wrong += must("resumed", put_one(number++), 0);
		wrong += must("end", TraceOff(), 0);
		wrong += must("ended", put_one(9), TRACE_NOBODY);
		/* A continuous trace begins a file at each TraceOn. */
		if (mode == TRACE_NORMAL)
			wrong += must("write", TraceWriteBufferToFile(NULL), 0);
		number = 0;
	}
	wrong += must("terminate", TraceTerminate(), 0);
	wrong += must("after", put_one(9), TRACE_NOBODY);
	printf("written 2 lost 0 nobody 0\n");
	return wrong != 0;
}

int main(int argc, char **argv)
{
	struct thread *t, sum = { 0 };
	unsigned int n;

	if (argc == 4 && !strcmp(argv[1], "killed"))
		return killed(strtoull(argv[2], NULL, 0), strtoul(argv[3], NULL, 0));
	if (argc == 4 && !strcmp(argv[1], "self"))
		return self(argv[2], atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "cost"))
		return cost(strtoull(argv[2], NULL, 0), argv[3]);
	if (argc != 4)
		return 2;
	n = (unsigned int)atoi(argv[2]);
	turns = strtoul(argv[3], NULL, 0);
	t = calloc(n, sizeof(*t));
	for (unsigned int i = 0; t && i < n; i++) {
		t[i].who = i;
		t[i].records = strtoull(argv[1], NULL, 0) / n;
		if (pthread_create(&t[i].thread, NULL, writer, &t[i]))
			return 1;
	}
	for (unsigned int i = 0; t && i < n; i++) {
		pthread_join(t[i].thread, NULL);
		sum.written += t[i].written;
		sum.lost += t[i].lost;
		sum.nobody += t[i].nobody;
		sum.failed += t[i].failed;
	}
	printf("written %llu lost %llu nobody %llu\n", (unsigned long long)sum.written,
	       (unsigned long long)sum.lost, (unsigned long long)sum.nobody);
	return !t || sum.failed != 0;
}
