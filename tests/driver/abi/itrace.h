/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the tests of instruction traces. */
#ifndef ABI_ITRACE_H
#define ABI_ITRACE_H

#include "abi.h"

/* Machines on which the driver traces programs. */
#if defined(__x86_64__) || defined(__powerpc64__) || defined(__s390x__)
#define TRACED_HERE
#endif
/* … and the kernel's side. */
#if defined(__x86_64__) || defined(__s390x__)
#define KERNEL_TRACED_HERE
#endif

/* A child waits until a byte comes. */
struct gate {
	int fd[2];
};

struct pitrace_itrace_args itrace_of(int32_t *pid);
struct pitrace_session_args itrace_plain(void);
/* A session set up for instruction traces, off. */
bool begin_itrace(struct view *v, struct pitrace_session_args args,
		  const struct pitrace_itrace_args *it);

/* An active session that traces no thread, which keeps the hooks registered. In an emulated machine
 * it takes seconds to register and to remove them. */
bool keep_hooks(struct view *v);

int leave_sleeper(void);
/* The same of who sleeps in calls whose kernel side was traced: their pids. */
int leave_kernel_sleepers(void);

/* A child that does `part` when it is let go; its status. */
pid_t child_of(struct gate *g, void (*part)(void));
void let_go(struct gate *g);
int status_of(pid_t pid);
void done(struct gate *g);
/* Checks that none of a storm's three children has exited so far; ends them. */
#define STORM_CHILDREN 3
void all_alive(const pid_t *pid, long turn);
void end_children(const pid_t *pid, struct gate *g);
/* Parts without an end: it computes; short threads come and go; a function of it is probed, and its
 * results are looked at; its calls are refused by seccomp. */
void part_spin(void);
void part_churn(void);
void part_steps_probe(void);
void part_refused(void);
/* That probe. False: there are none here. */
bool probe_on(void);
void probe_off(void);
/* This program with root's credentials, while a test runs that puts it there. */
#define GAINS "/usr/local/bin/gains"

/* A process as seen in a trace. */
struct seen {
	uint32_t pid; /* 0: of all */
	unsigned long branches, breaks[16], start[16], stop[16], gaps, code, threads;
	uint32_t tids[64], pids;
	uint32_t other; /* another process's */
	uint64_t instructions;
	uint64_t first_start, last_stop;
	bool code_seen;
};

struct seen seen_of(const struct view *v, uint32_t pid);
/* A number of struct pitrace_cpu, of all CPUs. */
uint64_t sum_pages(const struct view *v, size_t at);
uint64_t instructions(const struct view *v);
uint64_t branches_of(const struct view *v);
/* Until there are more branches than that; 10 s at most: the host may be busy. */
void wait_branches(const struct view *v, uint64_t than);
void consume_all(const struct view *v);
/* Without a reader: returns after how many branches the thread stops. An emulated machine may be
 * slow. */
uint64_t waits_at(const struct view *v);

#endif
