// SPDX-License-Identifier: GPL-3.0-or-later
/* Shared by the tests of instruction traces: children that wait and are released, and the trace of
 * them. */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "itrace.h"

/* ---- children -------------------------------------------------------------------------------- */

pid_t child_of(struct gate *g, void (*part)(void))
{
	pid_t pid;
	char c;

	if (pipe(g->fd))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	close(g->fd[1]);
	if (read(g->fd[0], &c, 1) != 1)
		_exit(2);
	part();
	_exit(0);
}

bool keep_hooks(struct view *v)
{
	struct pitrace_session_args own = plain();
	struct pitrace_itrace_args none = itrace_of(NULL);

	none.scope = PITRACE_ITRACE_NONE;
	none.listed = 0;
	own.scope = PITRACE_SCOPE_PROCESS;
	own.pid = getpid();
	return begin_itrace(v, own, &none) && want(0, ioctl(v->fd, PITRACE_IOC_ON)) == 0;
}

void let_go(struct gate *g)
{
	check(write(g->fd[1], "", 1) == 1);
}

int status_of(pid_t pid)
{
	int status = -1;

	check(waitpid(pid, &status, 0) == pid);
	return status;
}

void done(struct gate *g)
{
	close(g->fd[0]);
	close(g->fd[1]);
}

void all_alive(const pid_t *pid, long turn)
{
	int status, k;

	for (k = 0; k < STORM_CHILDREN; k++)
		if (waitpid(pid[k], &status, WNOHANG) != 0)
			wrong("turn %ld: child %d ended, status %#x", turn, k, status);
}

/* Theirs, too: what one of them had just begun has the sessions open that we had. */
void end_children(const pid_t *pid, struct gate *g)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int k = 0; k < STORM_CHILDREN; k++) {
		kill(pid[k], SIGKILL);
		status_of(pid[k]);
		done(&g[k]);
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static volatile int go_on = 1;

void part_spin(void)
{
	while (go_on)
		;
}

/* ---- what a trace says ----------------------------------------------------------------------- */

static void look(const struct pitrace_rec *rec, void *arg)
{
	const uint32_t *who = (const void *)(rec + 1); /* pid, tid, count come first in all */
	struct seen *s = arg;
	uint32_t kind = rec->minor & 0xFF;
	unsigned long i;

	switch (rec->major) {
	case PITRACE_BRANCH_USER:
	case PITRACE_BREAK_USER:
	case PITRACE_ITRACE_START:
	case PITRACE_ITRACE_STOP:
		break;
	case PITRACE_CODE:
		s->code++;
		return;
	default:
		return;
	}
	if (s->pid && who[0] != s->pid) {
		s->other++;
		return;
	}
	s->gaps += !!(rec->minor & PITRACE_BRANCH_GAP);
	s->instructions += who[2];
	for (i = 0; i < s->threads && s->tids[i] != who[1]; i++)
		;
	if (i == s->threads && i < 64)
		s->tids[s->threads++] = who[1];
	if (rec->major == PITRACE_BRANCH_USER)
		s->branches++;
	else if (rec->major == PITRACE_BREAK_USER)
		s->breaks[kind & 15]++;
	else if (rec->major == PITRACE_ITRACE_START)
		s->start[kind & 15]++;
	else
		s->stop[kind & 15]++;
	if (rec->major == PITRACE_ITRACE_START && !s->first_start)
		s->first_start = ((const struct pitrace_itrace_mark *)who)->address;
	if (rec->major == PITRACE_ITRACE_STOP)
		s->last_stop = ((const struct pitrace_itrace_mark *)who)->address;
}

struct seen seen_of(const struct view *v, uint32_t pid)
{
	struct seen s = { .pid = pid };

	each_record(v, PITRACE_RING_TRACE, look, &s);
	return s;
}

uint64_t sum_pages(const struct view *v, size_t at)
{
	uint64_t sum = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < v->control->ncpus; cpu++)
		if (page_of(v, cpu)->present)
			sum += *(const uint64_t *)((const char *)page_of(v, cpu) + at);
	return sum;
}

uint64_t instructions(const struct view *v)
{
	return sum_pages(v, offsetof(struct pitrace_cpu, instructions));
}

uint64_t branches_of(const struct view *v)
{
	return sum_pages(v, offsetof(struct pitrace_cpu, branches));
}

void wait_branches(const struct view *v, uint64_t than)
{
	int i;

	for (i = 0; i < 1000 && branches_of(v) <= than; i++)
		nap(10);
}

void consume_all(const struct view *v)
{
	unsigned int cpu;

	for (cpu = 0; cpu < v->control->ncpus; cpu++)
		if (page_of(v, cpu)->present)
			consume(v, cpu, PITRACE_RING_TRACE, head(v, cpu, PITRACE_RING_TRACE));
}

uint64_t waits_at(const struct view *v)
{
	uint64_t before = 1, now = 0;
	int i;

	for (i = 0; i < 200 && (!now || now != before); i++) {
		before = now;
		nap(200);
		now = sum_pages(v, offsetof(struct pitrace_cpu, branches));
	}
	check(now == before);
	return now;
}
