/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tiny function many times: prints how often, and the CPU time of the thread in ns. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile int sum;

__attribute__((noinline)) int tiny(int n)
{
	__asm__ volatile("");
	return (n ^ 5) + 3;
}

__attribute__((noinline)) void turns(long n)
{
	int value = 1;

	while (n--)
		value = tiny(value);
	sum = value;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 3000000;
	double begin;

	turns(n / 10);
	begin = cpu_ns();
	turns(n);
	printf("%ld %.0f\n", n, cpu_ns() - begin);
	return 0;
}
