// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A 32-bit program, with the C library's help: work whose shares and callers are known, in the
 * program, in the library and in the vdso; system calls that can be counted; sleeps.
 *	narrow PART CALLS
 * A part is so many turns; by_three and by_one call inner, 3 parts and 1, alone has 4 parts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "work.h"

#define WHOLE __attribute__((noinline, noclone))
#define HERE  __asm__ volatile("" : : : "memory") /* what stands before is not a tail call */

WHOLE void inner(unsigned long n);
WHOLE void by_three(unsigned long part);
WHOLE void by_one(unsigned long part);
WHOLE void alone(unsigned long part);
WHOLE void scramble(unsigned long rounds);
WHOLE void clocks(unsigned long n);
WHOLE void calls(unsigned long n);
WHOLE void sleeps(unsigned long n);

static char buffer[65536];
static volatile int64_t when;

void inner(unsigned long n)
{
	turns(n);
}

void by_three(unsigned long part)
{
	inner(3 * part);
	HERE;
}

void by_one(unsigned long part)
{
	inner(part);
	HERE;
}

void alone(unsigned long part)
{
	turns(4 * part);
}

/* A function of the library that is one loop and calls none. */
void scramble(unsigned long rounds)
{
	while (rounds--)
		memfrob(buffer, sizeof(buffer));
	HERE;
}

void clocks(unsigned long n)
{
	while (n--)
		when = clock_ns(CLOCK_MONOTONIC);
}

/* Their numbers mean something else in the table of 64-bit programs. */
void calls(unsigned long n)
{
	while (n--) {
		syscall(SYS_getppid);
		syscall(SYS_umask, 022);
	}
}

void sleeps(unsigned long n)
{
	struct timespec t = { .tv_nsec = 2000000 };

	while (n--)
		nanosleep(&t, NULL);
	HERE;
}

int main(int argc, char **argv)
{
	unsigned long part, count, i;

	if (argc != 3)
		return 2;
	part = strtoul(argv[1], NULL, 0);
	count = strtoul(argv[2], NULL, 0);
	for (i = 0; i < 10; i++) {
		by_three(part);
		by_one(part);
		alone(part);
	}
	scramble(part / 1000);
	clocks(part / 10);
	calls(count);
	sleeps(20);
	printf("getppid %ld umask %ld\n", (long)SYS_getppid, (long)SYS_umask);
	return 0;
}
