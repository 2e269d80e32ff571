// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reads the current names of threads. PTT knows the names from when threads were added and when
 * they exited; many set a name in between.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tool.h"

bool pids_are_ours(void)
{
	static const char initial[] = "pid:[4026531836]"; /* PROC_PID_INIT_INO */
	char is[64];
	ssize_t n = readlink("/proc/self/ns/pid", is, sizeof(is));

	return n == (ssize_t)sizeof(initial) - 1 && !memcmp(is, initial, sizeof(initial) - 1);
}

void dump_name(struct dump *d)
{
	bool ours = pids_are_ours();

	for (int i = 0; i < d->rows && ours; i++) {
		struct ptt_thread_data *t = &d->row[i].t;
		char path[64], name[sizeof(t->name)];
		FILE *f;

		if (t->ended)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", t->pid, t->tid);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fgets(name, sizeof(name), f) && strcspn(name, "\n")) {
			name[strcspn(name, "\n")] = 0;
			strcpy(t->name, name);
		}
		fclose(f);
	}
}
