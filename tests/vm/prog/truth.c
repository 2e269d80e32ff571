// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Five functions that work 16:8:4:2:1 by exact numbers of instructions, in cycles; three sets of
 * them, whose cycles last 1, 5 and 1.37 sampling periods. Under an instruction counter (1 ns each)
 * a profile can be held against what truly happened.
 *	truth PERIOD_NS PERIODS [SET...]
 * Says for each set: set NAME cpu NS wall NS instructions N, and at the end: total cpu NS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "work.h"

#define FUNCTION(name, parts)                                                 \
	__attribute__((noinline, aligned(64))) void name(unsigned long part); \
	void name(unsigned long part)                                         \
	{                                                                     \
		turns(parts *part);                                           \
	}

#define SET(name)               \
	FUNCTION(name##_16, 16) \
	FUNCTION(name##_8, 8)   \
	FUNCTION(name##_4, 4)   \
	FUNCTION(name##_2, 2)   \
	FUNCTION(name##_1, 1)

SET(one)
SET(five)
SET(odd)
/* Enough code that symbols moved by a page are still inside: wrong, but not impossible. */
__asm__(".pushsection .text\n\t.balign 4096\n\t.skip 8192\n\t.popsection");

static const struct set {
	const char *name;
	void (*function[5])(unsigned long);
	double periods;
} sets[] = {
	{ "one", { one_16, one_8, one_4, one_2, one_1 }, 1 },
	{ "five", { five_16, five_8, five_4, five_2, five_1 }, 5 },
	{ "odd", { odd_16, odd_8, odd_4, odd_2, odd_1 }, 1.37 },
};

__attribute__((noinline)) void calibrate(unsigned long n);
void calibrate(unsigned long n)
{
	turns(n / 2);
}

static void run(const struct set *s, double instructions, double periods)
{
	/* 31 parts of 2 instructions a turn; calls are a constant few more. */
	unsigned long part = instructions * s->periods / 62, cycles = periods / s->periods, i;
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), wall = clock_ns(CLOCK_MONOTONIC);

	for (i = 0; i < cycles; i++) {
		s->function[0](part);
		s->function[1](part);
		s->function[2](part);
		s->function[3](part);
		s->function[4](part);
	}
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = clock_ns(CLOCK_MONOTONIC) - wall;
	printf("set %s cpu %lld wall %lld instructions %lu cycles %lu\n", s->name, (long long)cpu,
	       (long long)wall, 62 * part * cycles, cycles);
}

int main(int argc, char **argv)
{
	const unsigned long n = 20000000;
	double period, periods, instructions;
	unsigned int i;
	int64_t wall;
	int k;

	if (argc < 3) {
		fprintf(stderr, "usage: truth PERIOD_NS PERIODS [SET...]\n");
		return 2;
	}
	period = atof(argv[1]);
	periods = atof(argv[2]);
	/* A tick itself takes time: what is left of a period for our instructions? */
	wall = clock_ns(CLOCK_MONOTONIC);
	calibrate(n);
	wall = clock_ns(CLOCK_MONOTONIC) - wall;
	instructions = n * period / wall;
	printf("instructions a period %.1f\n", instructions);
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		int chosen = argc == 3;

		for (k = 3; k < argc; k++)
			chosen |= !strcmp(argv[k], sets[i].name);
		if (chosen)
			run(&sets[i], instructions, periods);
	}
	printf("total cpu %lld\n", (long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
