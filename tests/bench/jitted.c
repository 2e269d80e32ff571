/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jitted FUNCTIONS SECONDS: a program that makes so many functions while it runs, tells of them in
 * a jitdump ($JITDUMPDIR, else here), and runs one after the other at random, those made so far,
 * for so much CPU time; all are made in its first half.
 */
#include <errno.h>
#include <jitdump.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "xorshift.h"

#if !defined(__x86_64__)
int main(void)
{
	fputs("jitted: makes code for x86-64 only\n", stderr);
	return 1;
}
#else
/* Counts its argument down. */
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };

#define LEAST 64u /* bytes of a function, in multiples of this */
#define LOOPS 8000

static uint64_t random_state = 88172645463325252ull;

static uint64_t draw(void)
{
	return xorshift(&random_state);
}

static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run(const uint8_t *at)
{
	void (*f)(long);

	memcpy(&f, &at, sizeof(f));
	f(LOOPS);
}

int main(int argc, char **argv)
{
	size_t want = argc == 3 ? strtoull(argv[1], NULL, 10) : 0, n = 0;
	double seconds = argc == 3 ? atof(argv[2]) : 0, now;
	struct jitdump_writer *dump;
	const uint8_t **starts = calloc(want + 1, sizeof(*starts));
	uint8_t *area, *next;
	char name[96];

	if (!want || seconds <= 0) {
		fputs("usage: jitted FUNCTIONS SECONDS\n", stderr);
		return 2;
	}
	area = mmap(NULL, want * LEAST * 8, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	next = area;
	if (!starts || area == MAP_FAILED || jitdump_create(&dump, NULL)) {
		perror("jitted");
		return 1;
	}
	while ((now = used()) < seconds) {
		while (n < want && (double)n <= 2 * (double)want * now / seconds) {
			size_t size = LEAST * (1 + draw() % 8);

			snprintf(name, sizeof(name), "org.example.package%zu.Class%zu.method%zu",
				 n % 97, n / 20, n);
			memcpy(next, code, sizeof(code));
			if (jitdump_load(dump, name, (uintptr_t)next, size, next, NULL, 0, NULL)) {
				perror("jitted: jitdump");
				return 1;
			}
			starts[n++] = next;
			next += size;
		}
		for (int i = 0; i < 20; i++)
			run(starts[draw() % n]);
	}
	return n < want || jitdump_end(dump);
}
#endif
