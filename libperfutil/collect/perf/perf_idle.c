/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the functions in which idle CPUs wait, in /proc/kallsyms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/search.h"
#include "collect/perf/perf_idle.h"
#include "base/proc_text.h"

/* largest size of such a function: the next symbol may be far away */
#define LONGEST 4096

static const char *const names[] = {
	/* x86 */
	"default_idle", "native_safe_halt", "pv_native_safe_halt", "native_halt", "acpi_safe_halt",
	"acpi_idle_do_entry", "acpi_processor_ffh_cstate_enter", "intel_idle", "intel_idle_ibrs",
	"intel_idle_irq", "intel_idle_xstate", "intel_idle_hlt", "mwait_idle",
	"mwait_idle_with_hints", "mwait_idle_with_hints.constprop.0", "xen_safe_halt",
	/* arm64, powerpc, s390 */
	"cpu_do_idle", "arch_cpu_idle", "psci_enter_idle_state", "cede_processor",
	"pseries_dedicated_idle_sleep", "shared_cede_loop", "snooze_loop", "power9_idle_stop",
	"psw_idle", "psw_idle_exit", "enabled_wait",
	/* all */
	"poll_idle", "cpu_idle_poll", "cpu_idle_poll.isra.0", "default_idle_call", "do_idle", NULL
};

static bool is_idle(const char *name, size_t length)
{
	for (size_t i = 0; names[i]; i++)
		if (strlen(names[i]) == length && !memcmp(name, names[i], length))
			return true;
	return false;
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* kallsyms is not sorted: a function ends at the nearest higher symbol. */
static void set_ends(struct perf_idle *idle, uint64_t *starts, size_t n)
{
	qsort(starts, n, sizeof(*starts), ascending);
	for (size_t i = 0; i < idle->n; i++) {
		size_t low = search_sorted(k, 0, n, starts[k] <= idle->range[i].start);

		idle->range[i].end = idle->range[i].start + LONGEST;
		if (low < n && starts[low] < idle->range[i].end)
			idle->range[i].end = starts[low];
	}
}

void perf_idle_read(struct perf_idle *idle)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	uint64_t *starts = NULL;
	size_t n = 0, room = 0, line_room = 0;
	char *line = NULL;
	ssize_t got;

	idle->n = 0;
	while (f && (got = getline(&line, &line_room, f)) > 0) {
		struct proc_symbol s;

		if (!proc_symbol_parse(line, (size_t)got - (line[got - 1] == '\n'), &s) ||
		    !s.address || !strchr("tTwW", s.type))
			continue;
		if (array_next(starts, n, room))
			break;
		starts[n++] = s.address;
		if (is_idle(s.name, s.name_len) &&
		    idle->n < sizeof(idle->range) / sizeof(idle->range[0]))
			idle->range[idle->n++].start = s.address;
	}
	free(line);
	if (f)
		fclose(f);
	set_ends(idle, starts, n);
	free(starts);
}

bool perf_idle_at(const struct perf_idle *idle, uint64_t address)
{
	for (size_t i = 0; i < idle->n; i++)
		if (address >= idle->range[i].start && address < idle->range[i].end)
			return true;
	return false;
}
