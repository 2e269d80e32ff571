/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each thread's switches in order, and the position of the current pass in them. */
#include "model/switches.h"

#include <string.h>

#define LONGEST_CALL 15 /* bytes of the instruction */

struct switches_made {
	uint64_t time, caller, function;
	uint64_t since; /* ON: it was off since this time */
	uint32_t next;  /* the thread's next switch, or NO_KEY */
	uint8_t how;    /* enum pitrace_itrace_switched */
	bool begins;    /* the process's first one, and its trace was on before */
};

struct switches_thread {
	uint32_t pid, tid;
	uint32_t first, last, at; /* at: the next one of this pass */
	uint64_t caller;          /* return address of the library call, if `own` */
	bool own, fresh;
};

struct switches_process {
	uint32_t pid;
	bool switched;  /* it has switched its trace */
	uint64_t off;   /* time when it was last switched off */
	uint64_t begin; /* runs before this are omitted; 0: none */
	uint32_t tid;   /* except those of this thread, which has its own limit */
};

static struct switches_thread *find_thread(const struct switches *s, uint32_t pid, uint32_t tid)
{
	uint32_t i = keys_find(&s->by_tid, hash_mix(tid, pid), s->thread, e,
			       e->tid == tid && e->pid == pid);

	return i == NO_KEY ? NULL : &s->thread[i];
}

static struct switches_thread *get_thread(struct switches *s, uint32_t pid, uint32_t tid)
{
	struct switches_thread *th = find_thread(s, pid, tid);

	if (th)
		return th;
	if (keys_next(&s->by_tid, hash_mix(tid, pid), s->thread, s->nthread, s->room_thread))
		return NULL;
	th = &s->thread[s->nthread++];
	*th = (struct switches_thread){
		.pid = pid,
		.tid = tid,
		.first = NO_KEY,
		.last = NO_KEY,
		.at = NO_KEY,
	};
	return th;
}

static struct switches_process *find_process(const struct switches *s, uint32_t pid)
{
	uint32_t i = keys_find(&s->by_pid, hash_mix(pid, 5), s->process, e, e->pid == pid);

	return i == NO_KEY ? NULL : &s->process[i];
}

static struct switches_process *get_process(struct switches *s, uint32_t pid)
{
	struct switches_process *p = find_process(s, pid);

	if (p)
		return p;
	if (keys_next(&s->by_pid, hash_mix(pid, 5), s->process, s->nprocess, s->room_process))
		return NULL;
	p = &s->process[s->nprocess++];
	*p = (struct switches_process){ .pid = pid };
	return p;
}

/* ---- the first pass -------------------------------------------------------------------------- */

static int add(struct switches *s, const struct pifile_user *u)
{
	struct switches_thread *th = get_thread(s, u->pid, u->tid);
	struct switches_process *p = get_process(s, u->pid);
	struct switches_made *m;

	if (!th || !p || array_next(s->made, s->n, s->room))
		return -ENOMEM;
	m = &s->made[s->n];
	*m = (struct switches_made){
		.time = u->time,
		.caller = pifile_user_int(u, 1),
		.function = pifile_user_int(u, 3),
		.since = p->off,
		.next = NO_KEY,
		.how = (uint8_t)pifile_user_int(u, 2),
	};
	if (m->how == PITRACE_SWITCHED_AGAIN && !p->switched) {
		m->begins = true;
		p->begin = u->time;
		p->tid = u->tid;
	}
	p->switched = true;
	if (m->how == PITRACE_SWITCHED_OFF)
		p->off = u->time;
	if (th->last == NO_KEY)
		th->first = s->n;
	else
		s->made[th->last].next = s->n;
	th->last = s->n++;
	return 0;
}

int switches_record(struct switches *s, const struct pirecord *r)
{
	struct pifile_user u;

	if (r->major != PITRACE_MTE || r->minor != PITRACE_MTE_JIT || s->ignored ||
	    pifile_user_record(r, &u) || u.ints < 4 ||
	    pifile_user_int(&u, 0) != PITRACE_JIT_ITRACE ||
	    pifile_user_int(&u, 2) > PITRACE_SWITCHED_AGAIN)
		return 0;
	return add(s, &u);
}

/* ---- the second pass ------------------------------------------------------------------------- */

static void enter(struct switches *s, struct switches_thread *th)
{
	th->own = true;
	th->caller = s->made[th->at].caller;
	th->at = s->made[th->at].next;
}

void switches_rewind(struct switches *s)
{
	uint32_t i;

	s->runs = s->instructions = 0;
	for (i = 0; i < s->nthread; i++) {
		struct switches_thread *th = &s->thread[i];

		th->at = th->first;
		th->own = th->fresh = false;
		if (th->at != NO_KEY && s->made[th->at].begins)
			enter(s, th);
	}
}

void switches_start(struct switches *s, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct switches_thread *th = s->n ? find_thread(s, pid, tid) : NULL;
	const struct switches_made *m;

	if (!th || (th->own && th->first != NO_KEY && s->made[th->first].begins &&
		    time < s->made[th->first].time))
		return;
	while (th->at != NO_KEY && s->made[th->at].time < time)
		th->at = s->made[th->at].next;
	m = th->at == NO_KEY ? NULL : &s->made[th->at];
	th->own = false;
	if (m && m->how == PITRACE_SWITCHED_ON && time >= m->since)
		enter(s, th);
}

/* Returns whether the run ends with a call that returns there, or with a jump, which may be a tail
 * call. */
static bool may_call(const struct switches_made *m, const struct itrace_run *run)
{
	if (run->what != ITRACE_BRANCH)
		return false;
	if (run->type == PITRACE_BRANCH_CALL)
		return m->caller - run->end - 1 < LONGEST_CALL;
	return run->type == PITRACE_BRANCH_JUMP;
}

static enum switches_run own(struct switches *s, const struct itrace_run *run)
{
	s->runs++;
	s->instructions += run->count;
	return SWITCHES_OWN;
}

static enum switches_run shown(struct switches_thread *th)
{
	enum switches_run how = th->fresh ? SWITCHES_FIRST : SWITCHES_SHOWN;

	th->fresh = false;
	return how;
}

enum switches_run switches_run(struct switches *s, const struct itrace_run *run, uint64_t *calls)
{
	const struct switches_process *p;
	struct switches_thread *th;
	const struct switches_made *m;

	*calls = 0;
	if (!s->n)
		return SWITCHES_SHOWN;
	p = find_process(s, run->pid);
	if (!p)
		return SWITCHES_SHOWN;
	if (p->tid != run->tid && run->time < p->begin) {
		/* It has not switched anything yet, but needs an entry to mark it as fresh. */
		th = get_thread(s, run->pid, run->tid);
		if (th)
			th->fresh = true;
		return own(s, run);
	}
	th = find_thread(s, run->pid, run->tid);
	if (!th)
		return SWITCHES_SHOWN;
	if (th->own) {
		if (run->what == ITRACE_BRANCH && run->to == th->caller) {
			th->own = false;
			th->fresh = true;
		}
		return own(s, run);
	}
	m = th->at == NO_KEY ? NULL : &s->made[th->at];
	if (m && run->time > m->time) {
		/* The call was not recognized: the library is omitted from here on. */
		if (m->how == PITRACE_SWITCHED_ON) {
			th->at = m->next;
			return shown(th);
		}
		enter(s, th);
		return own(s, run);
	}
	if (m && may_call(m, run))
		*calls = m->function;
	return shown(th);
}

void switches_call(struct switches *s, const struct itrace_run *run)
{
	struct switches_thread *th = find_thread(s, run->pid, run->tid);

	if (th && th->at != NO_KEY)
		enter(s, th);
}

bool switches_own(const struct switches *s, uint32_t pid, uint32_t tid)
{
	const struct switches_thread *th = s->n ? find_thread(s, pid, tid) : NULL;

	return th && th->own;
}

void switches_free(struct switches *s)
{
	free(s->made);
	free(s->thread);
	free(s->process);
	keys_free(&s->by_tid);
	keys_free(&s->by_pid);
	*s = (struct switches){ 0 };
}
