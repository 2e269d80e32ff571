// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Interrupts: each kind's entries and exits are as many as the kernel itself counted meanwhile, in
 * /proc/interrupts and /proc/softirqs.
 */
#include <linux/membarrier.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "abi.h"
#include "work.h"

#define SOURCES (PITRACE_IRQ_OTHER + 1)
#define NUMBERS 512

/* By sources; softirqs and devices' by their numbers too. */
struct interrupts {
	unsigned long all[SOURCES], softirq[NUMBERS], device[NUMBERS];
	bool shared[NUMBERS]; /* by several handlers: a record each */
};

static void add(struct interrupts *n, unsigned int source, unsigned long number,
		unsigned long count)
{
	n->all[source] += count;
	if (number < NUMBERS && source == PITRACE_IRQ_DEVICE)
		n->device[number] += count;
	if (number < NUMBERS && source == PITRACE_IRQ_SOFTIRQ)
		n->softirq[number] += count;
}

/* Maps the text before the colon, or the words after the counts, to the driver's number. */
static unsigned int source_of(const char *label, const char *words)
{
	static const struct {
		const char *label, *words;
		unsigned int source;
	} known[] = {
		{ "LOC", NULL, PITRACE_IRQ_TIMER },      /* x86, powerpc */
		{ "RES", NULL, PITRACE_IRQ_RESCHEDULE }, /* x86 */
		{ "CAL", NULL, PITRACE_IRQ_CALL },
		{ "IWI", NULL, PITRACE_IRQ_WORK },
		{ "DBL", NULL, PITRACE_IRQ_IPI },                  /* powerpc */
		{ "IPI", "Rescheduling", PITRACE_IRQ_RESCHEDULE }, /* arm64 */
		{ "IPI", "Function call", PITRACE_IRQ_CALL },
		{ "IPI", "IRQ work", PITRACE_IRQ_WORK },
		{ "EXT", NULL, PITRACE_IRQ_DEVICE }, /* s390x: all handlers */
		{ "I/O", NULL, PITRACE_IRQ_DEVICE },
		{ "AIO", NULL, PITRACE_IRQ_DEVICE },
	};

	if (*label >= '0' && *label <= '9')
		return strstr(words, "timer") ? PITRACE_IRQ_TIMER : PITRACE_IRQ_DEVICE;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(label, known[i].label, 3) &&
		    (!known[i].words || strstr(words, known[i].words)))
			return known[i].source;
	return 0;
}

/* The kernel's own accounts, since it booted. */
static void read_counts(struct interrupts *n)
{
	FILE *hard = fopen("/proc/interrupts", "r"), *soft = fopen("/proc/softirqs", "r");
	unsigned long cpus = 0, vector = 0, count;
	char line[4096], *p, *end, *label;

	memset(n, 0, sizeof(*n));
	if (!hard || !soft || !fgets(line, sizeof(line), hard)) {
		wrong("no /proc/interrupts");
		return;
	}
	for (p = line; (p = strstr(p, "CPU")); p++)
		cpus++;
	while (fgets(line, sizeof(line), hard)) {
		unsigned int source;

		label = line + strspn(line, " ");
		p = strchr(line, ':');
		if (!p)
			continue;
		p++;
		count = 0;
		for (unsigned long i = 0; i < cpus; i++, p = end)
			count += strtoul(p, &end, 10);
		source = source_of(label, p);
		if (!source)
			continue;
		add(n, source, strtoul(label, NULL, 10), count);
		if (source == PITRACE_IRQ_DEVICE && strchr(p, ','))
			n->shared[strtoul(label, NULL, 10) % NUMBERS] = true;
	}
	while (fgets(line, sizeof(line), soft)) {
		p = strchr(line, ':');
		if (!p)
			continue;
		for (p++, count = 0; strspn(p, " ") != strcspn(p, "\n"); p = end)
			count += strtoul(p, &end, 10);
		add(n, PITRACE_IRQ_SOFTIRQ, vector++, count);
	}
	fclose(hard);
	fclose(soft);
}

static struct interrupts entered, left;
static unsigned int last; /* CPU */

static void count_interrupt(const struct pitrace_rec *rec, void *unused)
{
	const struct pitrace_interrupt *data = (const void *)(rec + 1);
	unsigned int source = rec->minor & ~PITRACE_EXIT;

	(void)unused;
	if (rec->major != PITRACE_INTERRUPT)
		return;
	if (source < 1 || source >= SOURCES)
		wrong("an interrupt of source %u", source);
	else
		add(rec->minor & PITRACE_EXIT ? &left : &entered, source, data->number, 1);
}

/* Preempts the thread on another CPU (of two runnable ones, one gets a lower priority), and makes
 * that CPU serialize its memory. */
static void disturb(void)
{
	struct timespec t = { .tv_nsec = 3000000 };
	int ready[2];
	pid_t pid[2];
	char c;

	check(pipe(ready) == 0);
	fflush(stdout);
	for (int k = 0; k < 2; k++) {
		pid[k] = fork();
		if (!pid[k]) {
			on_cpu(last);
			syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
			if (write(ready[1], "", 1) != 1)
				_exit(1);
			for (;;)
				turns(1000);
		}
		check(read(ready[0], &c, 1) == 1);
	}
	on_cpu(0);
	for (int i = 0; i < 50; i++) {
		for (int k = 0; k < 2; k++)
			check(setpriority(PRIO_PROCESS, (id_t)pid[k], 1 + i % 2 * 5) == 0);
		check(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0);
		nanosleep(&t, NULL);
	}
	on_all_cpus();
	for (int k = 0; k < 2; k++) {
		kill(pid[k], SIGKILL);
		waitpid(pid[k], NULL, 0);
	}
	close(ready[0]);
	close(ready[1]);
}

/* Counted by the kernel surely while it was on, and perhaps: one on each CPU may be half done. */
static void check_count(const char *name, unsigned long number, unsigned long had,
			unsigned long gone, unsigned long least, unsigned long most)
{
	unsigned long cpus = last + 1ul;

	if (had + cpus < least || had > most + cpus || gone > had || gone + cpus < had)
		wrong("%s %lu: %lu entries and %lu exits, the kernel counted %lu to %lu", name,
		      number, had, gone, least, most);
}

void test_interrupts(void)
{
	static const char *const names[] = {
		"", "device", "softirq", "timer", "reschedule", "call", "work", "ipi", "other",
	};
	static struct interrupts before, on, off, after;
	struct view v;

	last = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	if (!begin_major(&v, PITRACE_INTERRUPT))
		return;
	memset(&entered, 0, sizeof(entered));
	memset(&left, 0, sizeof(left));
	read_counts(&before);
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	read_counts(&on);
	disturb();
	read_counts(&off);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	read_counts(&after);
	check(lost(&v, PITRACE_LOST_INTERRUPT) == 0);
	each_record(&v, PITRACE_RING_TRACE, count_interrupt, NULL);
	printf("# interrupts (by the kernel):");
	for (unsigned int i = PITRACE_IRQ_SOFTIRQ; i < PITRACE_IRQ_OTHER; i++) {
		printf(" %s %lu (%lu)", names[i], entered.all[i], off.all[i] - on.all[i]);
		check_count(names[i], 0, entered.all[i], left.all[i], off.all[i] - on.all[i],
			    after.all[i] - before.all[i]);
	}
	printf("\n");
	for (unsigned int i = 0; i < NUMBERS; i++) {
		check_count("softirq", i, entered.softirq[i], left.softirq[i],
			    off.softirq[i] - on.softirq[i], after.softirq[i] - before.softirq[i]);
#ifndef __s390x__
		if (!before.shared[i])
			check_count("device", i, entered.device[i], left.device[i],
				    off.device[i] - on.device[i],
				    after.device[i] - before.device[i]);
#endif
	}
#ifdef __s390x__
	check_count("device", 0, entered.all[PITRACE_IRQ_DEVICE], left.all[PITRACE_IRQ_DEVICE],
		    off.all[PITRACE_IRQ_DEVICE] - on.all[PITRACE_IRQ_DEVICE],
		    after.all[PITRACE_IRQ_DEVICE] - before.all[PITRACE_IRQ_DEVICE]);
	check(entered.all[PITRACE_IRQ_DEVICE] > 20);
#else
	check(entered.all[PITRACE_IRQ_TIMER] > 20);
#endif
	check(entered.all[PITRACE_IRQ_SOFTIRQ] > 20);
#if defined(__x86_64__) || defined(__aarch64__)
	check(!last || entered.all[PITRACE_IRQ_RESCHEDULE] >= 20);
	check(!last || entered.all[PITRACE_IRQ_CALL] >= 20);
#endif
	unview(&v);
	no_session_left();
}
