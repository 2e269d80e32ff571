/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * itrace_long BRANCHES: so many taken branches, of calls, returns and a loop; and how much memory
 * its parent (who traces and writes) had at most by a tenth of them, and by their end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define OF_A_TURN 3

__attribute__((noinline)) static void nothing(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) static void turns(unsigned long n)
{
	while (n--) {
		nothing();
		/* Not several turns in one, by any compiler. */
		__asm__ volatile("" : "+r"(n));
	}
}

static unsigned long most_memory(void)
{
	char path[64], line[200];
	unsigned long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", getppid());
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lu", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* Its code is there before it is traced, from main on: QEMU's POWER10 forgets a trap where the next
 * instruction is not in memory yet. */
__attribute__((constructor)) static void settle(void)
{
	mlockall(MCL_CURRENT);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) / OF_A_TURN : 0, tenth;

	turns(n / 10);
	tenth = most_memory();
	turns(n - n / 10);
	printf("memory %lu %lu\n", tenth, most_memory());
	return 0;
}
