/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/own_samples.h"

#include <errno.h>
#include <string.h>

#include "record/input.h"
#include "record/record_as.h"
#include "record/stack_record.h"

#define HEAD 2 /* integers before the addresses */

static const char *const event_names[PITRACE_SAMPLED_KINDS] = {
	[PITRACE_SAMPLED_WALL] = "wall",
	[PITRACE_SAMPLED_ALLOC] = "alloc",
	[PITRACE_SAMPLED_LOCK] = "lock",
};

void own_samples_begin(struct own_samples *o)
{
	for (uint32_t i = 0; i < o->n; i++)
		o->thread[i].samples = false;
	o->named = 0;
	o->has_kept = false;
}

void own_samples_free(struct own_samples *o)
{
	free(o->thread);
	keys_free(&o->by_tid);
	free(o->made);
	memset(o, 0, sizeof(*o));
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct own_thread *find_thread(const struct own_samples *o, uint32_t tid)
{
	uint32_t i = keys_find(&o->by_tid, hash_mix(tid, 0), o->thread, t, t->tid == tid);

	return i == NO_KEY ? NULL : &o->thread[i];
}

static int samples_itself(struct own_samples *o, uint32_t pid, uint32_t tid)
{
	struct own_thread *t = find_thread(o, tid);

	if (!t) {
		if (keys_next(&o->by_tid, hash_mix(tid, 0), o->thread, o->n, o->room))
			return -ENOMEM;
		t = &o->thread[o->n++];
	}
	*t = (struct own_thread){ .tid = tid, .pid = pid, .samples = true };
	return 0;
}

static void ended(struct own_samples *o, uint32_t pid)
{
	for (uint32_t i = 0; i < o->n; i++)
		if (o->thread[i].pid == pid)
			o->thread[i].samples = false;
}

/* The tid has a new owner. */
static void task_record(struct own_samples *o, const struct pirecord *r)
{
	const struct pitrace_mte_task *task = RECORD_AS(r, struct pitrace_mte_task);
	struct own_thread *t = task ? find_thread(o, task->tid) : NULL;

	if (t)
		t->samples = false;
}

/* Only samples of the timer are dropped: events count something else. */
static bool is_left_out(const struct own_samples *o, const struct pirecord *r)
{
	const struct pitrace_sample *s = RECORD_AS(r, struct pitrace_sample);
	const struct own_thread *t;

	if (!o->n || !s || r->minor >> PITRACE_TPROF_EVENT_SHIFT ||
	    (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE)
		return false;
	t = find_thread(o, s->tid);
	return t && t->samples && t->pid == s->pid;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Returns an event number that no collector uses. */
static uint32_t event_number(uint32_t kind)
{
	return EVENT_NUMBERS - PITRACE_SAMPLED_KINDS + kind;
}

static void put_addresses(uint8_t *to, const struct pifile_user *u, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = pifile_user_int(u, first + i);

		memcpy(to + 8ull * i, &address, sizeof(address));
	}
}

/* Makes the record that a collector would write, with the stack after the sample. */
static int make_sample(struct own_samples *o, struct pirecord *r, const struct pifile_user *u,
		       uint32_t kind)
{
	uint64_t period = pifile_user_int(u, 0), counts = pifile_user_int(u, 1);
	uint32_t ticks = (uint32_t)counts, user = counts >> 32 & 0xffff,
		 kernel = (uint32_t)(counts >> 48), first = kernel ? HEAD + user : HEAD;
	struct pitrace_sample s = {
		.pid = u->pid,
		.tid = u->tid,
		.period = period < UINT32_MAX ? (uint32_t)period : UINT32_MAX,
	};
	struct pitrace_stack stack = {
		.kernel = (uint16_t)kernel,
		.user = (uint16_t)user,
		.flags = STACK_BY_AGENT,
	};
	uint8_t *to;

	if (!ticks || HEAD + user + kernel != u->ints || u->ints == HEAD)
		return 0;
	if (!o->made)
		o->made = malloc(sizeof(s) + sizeof(stack) + PITRACE_USER_MAX);
	if (!o->made)
		return -ENOMEM;
	s.address = pifile_user_int(u, first);
	to = o->made;
	memcpy(to, &s, sizeof(s));
	memcpy(to + sizeof(s), &stack, sizeof(stack));
	to += sizeof(s) + sizeof(stack);
	put_addresses(to, u, HEAD + user, kernel);
	put_addresses(to + 8ull * kernel, u, HEAD, user);
	r->major = PITRACE_TPROF;
	r->type = PITRACE_TYPE_STRUCT;
	r->minor = (kernel ? PITRACE_TPROF_KERNEL : PITRACE_TPROF_USER) | PITRACE_TPROF_STACK;
	if (kind != PITRACE_SAMPLED_CPU)
		r->minor |= (event_number(kind) + 1) << PITRACE_TPROF_EVENT_SHIFT;
	r->data = o->made;
	r->size = (uint32_t)(sizeof(s) + sizeof(stack) + 8ull * (user + kernel));
	r->repeats = ticks - 1;
	return 1;
}

/* The event's name record precedes its first sample. */
static int name_event(struct own_samples *o, struct pirecord *r, uint32_t kind)
{
	if (o->named >> kind & 1)
		return 1;
	o->named |= 1u << kind;
	o->kept = *r;
	o->has_kept = true;
	o->event = (struct pitrace_event_rec){ .event = event_number(kind) };
	memcpy(o->event.name, event_names[kind], strlen(event_names[kind]) + 1);
	r->major = PITRACE_SYSINFO;
	r->minor = PITRACE_SYSINFO_EVENT;
	r->type = PITRACE_TYPE_STRUCT;
	r->data = &o->event;
	r->size = sizeof(o->event);
	r->repeats = 0;
	return 1;
}

bool own_samples_kept(struct own_samples *o, struct pirecord *r)
{
	bool had = o->has_kept;

	if (had)
		*r = o->kept;
	o->has_kept = false;
	return had;
}

static int user_record(struct own_samples *o, struct pirecord *r)
{
	uint32_t kind = r->minor - PITRACE_HOOKIT_SAMPLE;
	struct pifile_user u;
	int rc;

	if (pifile_user_record(r, &u))
		return 1;
	if (r->minor == PITRACE_HOOKIT_SAMPLES_END) {
		ended(o, u.pid);
		return 0;
	}
	rc = make_sample(o, r, &u, kind);
	if (rc <= 0)
		return rc;
	if (kind != PITRACE_SAMPLED_CPU)
		return name_event(o, r, kind);
	rc = samples_itself(o, u.pid, u.tid);
	return rc ? rc : 1;
}

int own_samples_record(struct own_samples *o, struct pirecord *r)
{
	if (r->major == PITRACE_TPROF)
		return !is_left_out(o, r);
	if (r->major == PITRACE_MTE &&
	    (r->minor == PITRACE_MTE_THREAD || r->minor == PITRACE_MTE_PROCESS ||
	     r->minor == PITRACE_MTE_CLONE || r->minor == PITRACE_MTE_FORK))
		task_record(o, r);
	if (r->major != PITRACE_HOOKIT ||
	    (r->minor - PITRACE_HOOKIT_SAMPLE >= PITRACE_SAMPLED_KINDS &&
	     r->minor != PITRACE_HOOKIT_SAMPLES_END))
		return 1;
	return user_record(o, r);
}
