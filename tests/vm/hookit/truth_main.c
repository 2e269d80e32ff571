/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled as it is in each program. */
#include "truth.h"

#include <stdio.h>
#include <string.h>

volatile int truth_sink;

__attribute__((weak)) void HookitOn(void);
__attribute__((weak)) void HookitOff(void);

OUTSIDE void truth_begin(void);
OUTSIDE void truth_end(void);

OUTSIDE void truth_begin(void)
{
	if (HookitOn)
		HookitOn();
}

OUTSIDE void truth_end(void)
{
	if (HookitOff)
		HookitOff();
}

/* Timer interrupts of this machine: they hit what is measured. */
OUTSIDE static unsigned long interrupts(void)
{
	FILE *in = fopen("/proc/interrupts", "re");
	unsigned long n = 0, all = 0;
	char line[512], *p;

	while (in && fgets(line, sizeof(line), in)) {
		p = strstr(line, "LOC:");
		if (p && sscanf(p + 4, "%lu", &n) == 1)
			all += n;
	}
	if (in)
		fclose(in);
	return all;
}

OUTSIDE int truth_main(const struct truth_program *all, int argc, char **argv)
{
	int (*volatile work)(int) = NULL;
	unsigned long before;
	int sum;

	for (; all->name; all++)
		if (argc > 1 && !strcmp(argv[1], all->name))
			work = all->work;
	if (!work)
		return 2;
	sum = work(3);
	before = interrupts();
	truth_begin();
	for (int i = 0; i < 5; i++)
		sum += work(3);
	truth_end();
	printf("%d\n%lu interrupts\n", sum, interrupts() - before);
	return 0;
}
