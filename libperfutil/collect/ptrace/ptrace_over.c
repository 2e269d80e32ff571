/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Over a breakpoint, one thread alone: the others are halted while it is taken out. */
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

void ptrace_over_halt(struct ptrace_session *s, const struct ptrace_thread *t)
{
	for (struct ptrace_thread *o = s->threads; o; o = o->next)
		if (o->p == t->p && o != t && !o->stopped)
			o->halting = !ptrace(PTRACE_INTERRUPT, o->tid, 0, 0);
}

struct ptrace_thread *ptrace_over_halted(struct ptrace_session *s, const struct ptrace_process *p,
					 int *status)
{
	for (struct ptrace_thread *o = s->threads; o; o = o->next)
		if (o->p == p && o->halting) {
			o->halting = false;
			if (stop_of(o, true, status))
				return o;
		}
	return NULL;
}

void ptrace_over_step(struct ptrace_thread *t, int request)
{
	t->over = t->pc;
	ptrace_break_clear(t, t->pc);
	ptrace(request, t->tid, 0, t->delivered);
}

bool ptrace_over_stop(const struct ptrace_thread *t, int *status)
{
	return stop_of(t, false, status);
}

struct ptrace_thread *ptrace_over_parked(struct ptrace_session *s, const struct ptrace_process *p)
{
	for (struct ptrace_thread *o = s->threads; o; o = o->next)
		if (o->p == p && o->parked)
			return o;
	return NULL;
}
