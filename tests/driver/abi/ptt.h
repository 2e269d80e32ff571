/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ptt seen through its pages. */
#ifndef ABI_PTT_H
#define ABI_PTT_H

#include "abi.h"

struct ptt {
	int fd;
	const struct pitrace_ptt_control *control;
	const char *cpus, *threads; /* NULL: not shown */
	size_t cpus_bytes, threads_bytes;
};

struct pitrace_ptt_args ptt_args(void);
int ptt_open(const struct pitrace_ptt_args *args);
bool ptt_view(struct ptt *p, int fd);
void ptt_close(struct ptt *p);
long ptt_add(int fd, pid_t tid, uint32_t flags);
long ptt_remove(int fd, pid_t tid, uint32_t flags);
const struct pitrace_ptt_thread *ptt_thread(const struct ptt *p, long slot);
const struct pitrace_ptt_cpu *ptt_cpu(const struct ptt *p, unsigned int cpu);
/* One state of a page that others write. */
struct pitrace_ptt_thread ptt_copy(const struct pitrace_ptt_thread *page);
struct pitrace_ptt_cpu ptt_copy_cpu(const struct pitrace_ptt_cpu *page);
/* The machine's counter. */
uint64_t counter(void);
/* The calling thread's own value; *retries grows. */
uint64_t ptt_own(const struct pitrace_ptt_thread *page, unsigned long *retries);
/* The machine counts in 1/hz seconds. */
uint64_t to_ns(const struct ptt *p, uint64_t counts);
/* On each CPU a metric's buckets add up. Returns the sum of watched threads' on all. */
uint64_t ptt_books(const struct ptt *p, uint32_t metric);
/* Returns the use of all threads that are or were watched. */
uint64_t ptt_all(const struct ptt *p, uint32_t metric);
void no_ptt_left(void);

#endif
