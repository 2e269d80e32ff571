/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cost OUT RUNS COMMAND...: run a command RUNS times, its output into the file OUT, and print what
 * it took: the least CPU seconds (its children's too), the least wall seconds, the greatest peak
 * memory in MB. Fails as soon as the command does.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run(const char *out, char **argv)
{
	int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd >= 0 && dup2(fd, 1) >= 0 && dup2(fd, 2) >= 0)
		execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	int runs = argc > 3 ? atoi(argv[2]) : 0, status;
	double cpu = 1e9, wall = 1e9, begin, took;
	struct rusage u;
	long rss = 0;

	if (runs < 1) {
		fputs("usage: cost OUT RUNS COMMAND...\n", stderr);
		return 2;
	}
	while (runs--) {
		pid_t pid;

		begin = now();
		pid = fork();
		if (!pid)
			run(argv[1], argv + 3);
		if (pid < 0 || wait4(pid, &status, 0, &u) != pid || status)
			return 1;
		took = now() - begin;
		wall = took < wall ? took : wall;
		took = seconds(u.ru_utime) + seconds(u.ru_stime);
		cpu = took < cpu ? took : cpu;
		rss = u.ru_maxrss > rss ? u.ru_maxrss : rss;
	}
	printf("%.3f %.3f %.1f\n", cpu, wall, (double)rss / 1024);
	return 0;
}
