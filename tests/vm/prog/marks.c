// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Programs' own records, counted by who writes them.
 *	marks RECORDS THREADS WORK	each thread writes its share: thread, number; WORK turns of
 *					a loop between two
 *	marks cost RECORDS FILE		ns (under icount: instructions) of a record, of one for
 *					nobody, of a line of text written to FILE
 * The last line is: written N lost N nobody N
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	/* What ftrace's marker is given: the same two numbers, as text. */
	static const char text[] = "mark 0 4711\n";
	uint64_t ints[2] = { 0, 4711 }, start, i;
	int fd = open(file, O_WRONLY);

	for (i = 0; i < 100; i++)
		TraceHook(0, MAJOR, 1, 2, 0, ints, NULL, NULL);
	start = now();
	for (i = 0; i < records; i++)
		TraceHook(0, MAJOR, 1, 2, 0, ints, NULL, NULL);
	printf("record %llu\n", (unsigned long long)((now() - start) / records));
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

int main(int argc, char **argv)
{
	struct thread *t, sum = { 0 };
	unsigned int n;

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
