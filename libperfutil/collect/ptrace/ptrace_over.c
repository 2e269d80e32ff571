/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Over a breakpoint: it is taken out, the thread is stepped, and it is set again. Meanwhile the
 * other threads of the process must not execute anything: one that came by would miss it.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collect/ptrace/ptrace_session.h"

#define LOOK_US		50
#define LOOKS		400		/* 20 ms: what takes longer may wait for them */

bool ptrace_over_waits(const struct ptrace_thread *t)
{
	return t->p->stepper && t->p->stepper != t;
}

/* In the kernel, where no signal reaches it: it stops before it returns from there. */
static bool is_out(const struct ptrace_thread *t)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)t->p->pid, (int)t->tid);
	f = fopen(path, "re");
	if (!f)
		return true;
	/* Of a name with a bracket in it nothing is known: that thread is waited for. */
	if (fscanf(f, "%*d (%*15[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'D' || state == 'Z' || state == 'X';
}

/* Its next stop, if it comes soon. */
static bool stop_of(const struct ptrace_thread *t, bool out_is_enough, int *status)
{
	for (unsigned int i = 0; i < LOOKS; i++) {
		pid_t r = waitpid(t->tid, status, __WALL | __WNOTHREAD | WNOHANG);

		if (r)
			return r > 0;
		if (out_is_enough && i > 1 && is_out(t))
			return false;
		usleep(LOOK_US);
	}
	return false;
}

static struct ptrace_thread *next_of(struct ptrace_session *s, const struct ptrace_process *p,
				     bool held)
{
	for (struct ptrace_thread *t = s->threads; t; t = t->next)
		if (t->p == p && (held ? t->held : t->halting))
			return t;
	return NULL;
}

static void halt_others(struct ptrace_session *s, const struct ptrace_thread *t)
{
	struct ptrace_thread *o;
	int status;

	for (o = s->threads; o; o = o->next)
		if (o->p == t->p && o != t && !o->stopped)
			o->halting = !ptrace(PTRACE_INTERRUPT, o->tid, 0, 0);
	while ((o = next_of(s, t->p, false))) {
		o->halting = false;
		if (stop_of(o, true, &status))
			ptrace_tell(s, o, status);
	}
}

/* The others go on. One of them may come to a breakpoint at once. */
static void release(struct ptrace_session *s, struct ptrace_process *p)
{
	struct ptrace_thread *o;

	p->stepper = NULL;
	while (!p->stepper && (o = next_of(s, p, true))) {
		o->held = false;
		ptrace_go_on(s, o);
	}
}

void ptrace_over(struct ptrace_session *s, struct ptrace_thread *t, int request)
{
	struct ptrace_process *p = t->p;
	uint64_t address = t->pc;
	struct ptrace_thread *o;
	pid_t tid = t->tid;
	int status;

	t->over = address;
	if (p->threads == 1) {
		ptrace_break_clear(t, address);
		ptrace(request, tid, 0, t->delivered);
		return;
	}
	p->threads++;			/* it stays until we are done */
	p->stepper = t;
	halt_others(s, t);
	ptrace_break_clear(t, address);
	ptrace(request, tid, 0, t->delivered);
	/* A stop that was asked for before may come first. */
	while (t && t->over && stop_of(t, false, &status)) {
		ptrace_tell(s, t, status);
		t = ptrace_thread_find(s, tid);
	}
	o = next_of(s, p, true);
	if (!t && o)
		ptrace_break_set(o, address);
	release(s, p);
	ptrace_process_put(s, p);
}
