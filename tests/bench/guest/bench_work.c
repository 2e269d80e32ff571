// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Work that tracers slow down: bench_work FILE WHAT COUNT, or FILE run COMMAND..., writes to FILE
 * how many ns it took (under icount: instructions), without the program's own start.
 * 	spin	turns of a loop			calls	getppid 	yield	two threads yield in
 * turn	echo	a byte to another process and back
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *yields(void *count)
{
	for (unsigned long i = *(unsigned long *)count; i; i--)
		sched_yield();
	return NULL;
}

static int two_yield(unsigned long count)
{
	pthread_t other;

	if (pthread_create(&other, NULL, yields, &count))
		return 1;
	yields(&count);
	return pthread_join(other, NULL);
}

static int echo(unsigned long count)
{
	int to[2], from[2];
	char byte = 0;
	pid_t pid;

	if (pipe(to) || pipe(from) || (pid = fork()) < 0)
		return 1;
	if (!pid) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1)
			if (write(from[1], &byte, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (; count; count--)
		if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			return 1;
	close(to[1]);
	return waitpid(pid, NULL, 0) != pid;
}

static int run(char **command)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

int main(int argc, char **argv)
{
	unsigned long count;
	int rc = 0;
	FILE *to;
	uint64_t start;

	if (argc < 4)
		return 2;
	count = strtoul(argv[3], NULL, 0);
	start = now();
	if (!strcmp(argv[2], "spin"))
		for (unsigned long i = 0; i < count; i++)
			__asm__ volatile("" : : : "memory");
	else if (!strcmp(argv[2], "calls"))
		for (unsigned long i = 0; i < count; i++)
			syscall(SYS_getppid);
	else if (!strcmp(argv[2], "yield"))
		rc = two_yield(count);
	else if (!strcmp(argv[2], "echo"))
		rc = echo(count);
	else if (!strcmp(argv[2], "run"))
		rc = run(argv + 3);
	else
		return 2;
	start = now() - start;
	to = rc ? NULL : fopen(argv[1], "w");
	if (!to || fprintf(to, "%llu\n", (unsigned long long)start) < 0 || fclose(to))
		return 1;
	return 0;
}
