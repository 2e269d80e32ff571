/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Used to judge tracepoints: makes 1234 calls of one kind, 57 that fail, sleeps 40 times in a known
 * place, and 25 times wakes its child and is woken by it. Prints how often, according to the
 * kernel, it had left its CPU when main began and at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noipa)) static int waits(long ms)
{
	struct timespec t = { 0, ms * 1000000 };
	int r = clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0);

	__asm__ volatile("");
	return r;
}

__attribute__((noipa)) static int known_place(long ms)
{
	int r = waits(ms);

	__asm__ volatile("");
	return r;
}

/* A pipe in both directions: each wakes the other, which certainly sleeps when the answer
 * arrives. */
static void ping_pong(int rounds)
{
	int there[2], back[2];
	char c = 0;

	if (pipe(there) || pipe(back))
		exit(1);
	if (!fork()) {
		while (rounds-- && read(there[0], &c, 1) == 1 && !waits(2) &&
		       write(back[1], &c, 1) == 1)
			;
		_exit(0);
	}
	while (rounds-- && write(there[1], &c, 1) == 1 && read(back[0], &c, 1) == 1)
		;
	wait(NULL);
}

/* How often it has left its CPU by now. */
static void counted(const char *when)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long n, sum = 0;
	char line[200];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %lu", &n) == 1)
			sum += n;
	if (f)
		fclose(f);
	printf("%s: %lu\n", when, sum);
}

int main(void)
{
	counted("begun");
	for (int i = 0; i < 1234; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < 57; i++)
		if (syscall(SYS_close, -1) != -1)
			return 1;
	for (int i = 0; i < 40; i++)
		known_place(2);
	ping_pong(25);
	counted("ends");
	printf("pid: %d\n", getpid());
	return 0;
}
