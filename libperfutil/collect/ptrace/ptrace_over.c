/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps one thread over a breakpoint; the other threads are halted while the breakpoint is removed.
 * */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collect/ptrace/ptrace_session.h"

#define POLL_US 50
#define POLLS   400 /* 20 ms: after a longer step the others wait no more */

bool ptrace_over_waits(const struct ptrace_thread *t)
{
	return t->p->stepper && t->p->stepper != t;
}

/* A thread in uninterruptible sleep in the kernel stops before it returns to user code. */
static bool is_out(const struct ptrace_thread *t)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)t->p->pid, (int)t->tid);
	f = fopen(path, "re");
	if (!f)
		return true;
	/* A name with a bracket cannot be parsed: waits for that thread. */
	if (fscanf(f, "%*d (%*15[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'D' || state == 'Z' || state == 'X';
}

/* Returns its next stop if it comes soon. */
static bool stop_of(const struct ptrace_thread *t, bool out_is_enough, int *status)
{
	for (unsigned int i = 0; i < POLLS; i++) {
		pid_t r = waitpid(t->tid, status, __WALL | __WNOTHREAD | WNOHANG);

		if (r)
			return r > 0;
		if (out_is_enough && i > 1 && is_out(t))
			return false;
		usleep(POLL_US);
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
