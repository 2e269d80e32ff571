// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The cost of a traced step, by the time stamp counter (under icount: instructions).
 *	itrace_work cost		lines "steps N" and "branches N": hundredths of a tick that an
 *					instruction and a jump takes, the least of many rounds
 *	itrace_work timed COMMAND...	"ticks N" on its standard error: as long as it takes
 *	itrace_work stepped COMMAND...	steps a command by ptrace, and does nothing else
 *	itrace_work counted COMMAND...	the same, and says how many steps it had
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define ROUNDS 200
#define RUN    1000 /* instructions of each */

__attribute__((noinline)) static uint64_t steps(void)
{
	uint64_t begun = __rdtsc();

	__asm__ volatile(".rept 1000\n\tnop\n\t.endr");
	return __rdtsc() - begun;
}

__attribute__((noinline)) static uint64_t branches(void)
{
	uint64_t begun = __rdtsc();

	__asm__ volatile(".rept 1000\n\tjmp 1f\n1:\n\t.endr");
	return __rdtsc() - begun;
}

static uint64_t least(uint64_t (*run)(void))
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t ticks = run();

		best = ticks < best ? ticks : best;
	}
	return best * 100 / RUN;
}

static int stepped(char **command, int say)
{
	uint64_t n = 0;
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(command[0], command);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);

		n++;
		ptrace(PTRACE_SINGLESTEP, pid, 0, signal);
	}
	if (say)
		printf("counted %llu\n", (unsigned long long)n);
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

/* As long as it takes, its start included; standard input is what it compresses. */
static int timed(char **command)
{
	uint64_t begun = __rdtsc();
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	fprintf(stderr, "ticks %llu\n", (unsigned long long)(__rdtsc() - begun));
	return status != 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "cost")) {
		printf("steps %llu\n", (unsigned long long)least(steps));
		printf("branches %llu\n", (unsigned long long)least(branches));
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "timed"))
		return timed(argv + 2);
	if (argc > 2 && (!strcmp(argv[1], "stepped") || !strcmp(argv[1], "counted")))
		return stepped(argv + 2, *argv[1] == 'c');
	fputs("usage: itrace_work cost | timed|stepped|counted COMMAND...\n", stderr);
	return 2;
}
