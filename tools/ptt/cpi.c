// SPDX-License-Identifier: GPL-3.0-or-later
/* Finds the two metrics for cycles per instruction; both must count the same code. */
#include <string.h>
#include "complain.h"
#include "tool.h"

/* Returns whether this metric, without its modifiers, is one of `names`; sets *modifiers. */
static bool is_one(const char *metric, const char *const *names, const char **modifiers)
{
	size_t length = strcspn(metric, ":");

	*modifiers = metric + length;
	for (; *names; names++)
		if (strlen(*names) == length && !strncasecmp(*names, metric, length))
			return true;
	return false;
}

static int find(const struct dump *d, const char *const *names, const char *like, const char **what)
{
	for (uint32_t i = 0; i < d->info.metrics; i++)
		if (is_one(d->info.metric[i], names, what) && (!like || !strcmp(*what, like)))
			return (int)i;
	return -1;
}

/* The kernel's and the vendors' names. */
static const char *const cycles[] = { "cycles",           "cpu-cycles", "unhalted_core_cycles",
				      "cpu_clk_unhalted", "cpu_cycles", "pm_cyc",
				      "pm_run_cyc",       NULL };
static const char *const instructions[] = { "instructions",         "instruction_retired",
					    "inst_retired",         "instructions_retired",
					    "retired_instructions", "pm_inst_cmpl",
					    "pm_run_inst_cmpl",     NULL };

bool dump_cpi(struct dump *d)
{
	const char *of = NULL, *same;

	d->cpi[0] = find(d, cycles, NULL, &of);
	d->cpi[1] = d->cpi[0] < 0 ? -1 : find(d, instructions, of, &same);
	if (d->cpi[1] >= 0)
		return true;
	d->cpi[0] = -1;
	complain(
		"-cpi: cycles and instructions are not both among the metrics (ptt init cycles instructions)");
	return false;
}

bool cpi_of(const struct dump *d, const uint64_t *value, double *cpi)
{
	uint64_t n = value[d->cpi[1]];

	*cpi = n ? (double)value[d->cpi[0]] / (double)n : 0;
	return n;
}
