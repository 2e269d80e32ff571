/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples repeat addresses, so answers are kept in a small direct-mapped cache. Each entry has the
 * count of changes to its process's mappings; an entry with an older count is resolved again.
 */
#include "top_names.h"

#include <a2n.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/proc_cgroup.h"

#define ANSWERS    4096 /* entries of the cache */
#define CHANGES    1024 /* counters of changes; pids with the same remainder share one */
#define KERNEL_PID UINT32_MAX
#define HIDDEN     "kernel (hidden)"

struct top_answer {
	uint64_t address;
	uint32_t pid, change, generation, row;
};

struct top_names {
	struct a2n *a;
	uint32_t change[CHANGES], kernel_change;
	struct top_answer answer[ANSWERS];
	uint32_t *traced, ntraced, room; /* pids */
	struct keys by_pid;
};

struct top_names *top_names_open(void)
{
	const struct a2n_options options = { .demangle = true };
	struct top_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	for (uint32_t i = 0; i < ANSWERS; i++)
		n->answer[i].row = NO_KEY;
	n->a = a2n_open(&options);
	if (n->a)
		return n;
	free(n);
	return NULL;
}

void top_names_close(struct top_names *n)
{
	if (!n)
		return;
	a2n_close(n->a);
	free(n->traced);
	keys_free(&n->by_pid);
	free(n);
}

bool top_names_traced(const struct top_names *n, uint32_t pid)
{
	return keys_find(&n->by_pid, hash_mix(pid, 0), n->traced, e, *e == pid) != NO_KEY;
}

static int note_traced(struct top_names *n, const struct pirecord *r)
{
	struct pitrace_mte_task task;

	if (r->major != PITRACE_MTE || r->size < sizeof(task) ||
	    (r->minor != PITRACE_MTE_PROCESS && r->minor != PITRACE_MTE_FORK &&
	     r->minor != PITRACE_MTE_CLONE))
		return 0;
	memcpy(&task, r->data, sizeof(task));
	if (task.flags & PITRACE_TASK_ANCESTOR || top_names_traced(n, task.pid))
		return 0;
	if (keys_next(&n->by_pid, hash_mix(task.pid, 0), n->traced, n->ntraced, n->room))
		return -ENOMEM;
	n->traced[n->ntraced++] = task.pid;
	return 0;
}

int top_names_learn(struct top_names *n, const struct pirecord *r)
{
	int rc = a2n_feed_record(n->a, r);

	/* Malformed records are ignored. */
	return rc == -ENOMEM ? rc : note_traced(n, r);
}

int top_names_section(struct top_names *n, uint32_t type, const void *data, size_t size)
{
	return a2n_feed_section(n->a, type, data, size) == -ENOMEM ? -ENOMEM : 0;
}

void top_names_pass(struct top_names *n, const struct pirecord *r)
{
	uint32_t pid;

	/* All other MTE records begin with the pid. */
	if (r->major != PITRACE_MTE || r->size < sizeof(pid) || r->minor == PITRACE_MTE_BUILDID)
		return;
	memcpy(&pid, r->data, sizeof(pid));
	if (!pid)
		n->kernel_change++;
	n->change[pid % CHANGES]++;
}

void top_names_forget(struct top_names *n)
{
	/* This count is also part of every process's count. */
	n->kernel_change++;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Returns the row of a symbol. liba2n keeps it in the symbol's user pointer for us, with the
 * generation of the table, so that it is invalid once rows have moved. */
static uint32_t row_of(struct top_model *m, struct a2n_symbol *s)
{
	uintptr_t known = (uintptr_t)s->user;
	uint32_t row = (uint32_t)known, generation = m->function.generation + 1;

	if (sizeof(known) == 8 && (uint32_t)((uint64_t)known >> 32) == generation)
		return row;
	row = top_model_function(m, s->name, s->module->name);
	/* The call may have compacted the table, which moved other rows. */
	generation = m->function.generation + 1;
	if (sizeof(known) == 8 && row != NO_KEY)
		s->user = (void *)(uintptr_t)((uint64_t)generation << 32 | row);
	return row;
}

uint32_t top_names_function(struct top_names *n, struct top_model *m, uint32_t pid, uint64_t time,
			    uint64_t address, enum top_address where)
{
	uint32_t space = where == TOP_KERNEL ? KERNEL_PID : pid;
	uint32_t change = n->kernel_change + (where == TOP_KERNEL ? 0 : n->change[pid % CHANGES]);
	struct top_answer *kept = &n->answer[hash_mix(address, space) % ANSWERS];
	struct a2n_answer answer;

	if (!address && where == TOP_KERNEL)
		return top_model_function(m, HIDDEN, HIDDEN);
	if (kept->row != NO_KEY && kept->address == address && kept->pid == space &&
	    kept->change == change && kept->generation == m->function.generation)
		return kept->row;
	a2n_resolve(n->a, pid, time, address, where == TOP_KERNEL, &answer);
	*kept = (struct top_answer){ .address = address,
				     .pid = space,
				     .change = change,
				     .row = row_of(m, answer.symbol) };
	kept->generation = m->function.generation;
	return kept->row;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

uint32_t top_names_thread(struct top_names *n, struct top_model *m, uint32_t pid, uint32_t tid,
			  uint64_t time)
{
	char path[TOP_NAME_BYTES];
	bool fresh, look;
	int unified;
	uint32_t at = top_model_thread(m, pid, tid, &fresh);

	if (at == NO_KEY || !fresh)
		return at;
	look = top_model_wants_cgroup(m, at);
	/* The process may have exited meanwhile. */
	if (look && !proc_cgroup(pid, path, sizeof(path), &unified))
		snprintf(path, sizeof(path), "unknown");
	top_model_name(m, at, a2n_thread_name(n->a, pid, tid, time),
		       a2n_process_name(n->a, pid, time), look ? path : NULL);
	return at;
}
