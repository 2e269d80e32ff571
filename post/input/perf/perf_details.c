/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data of a perf.data that our own records lack (record/detail.h): branch stacks, raw data, data
 * addresses, control groups, namespaces, changes of kernel code. Also the tracepoints that become
 * our records: dispatches and wake-ups, system calls.
 */
#include "input/perf/perf_details.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/search.h"
#include "input/perf/perf_bytes.h"
#include "input/perf/perf_cgroups.h"
#include "record/detail.h"
#include "record/registers.h"
#include "record/tracepoints.h"

struct task {
	uint32_t tid, pid;
};

#define SWITCH_FIELDS 5
#define WAKEUP_FIELDS 3

/* The fields of a system call's tracepoint: nr.event is 0 for other tracepoints. */
struct call_fields {
	struct tracepoint_field nr, result;
	bool is, leaves;
	bool all; /* raw_syscalls: its arguments are an array of words */
};

struct perf_details {
	bool looked; /* the scheduler's tracepoint fields have been looked up: */
	struct tracepoint_field switches[SWITCH_FIELDS], wakeups[WAKEUP_FIELDS];
	struct tracepoint_field news[WAKEUP_FIELDS];
	struct call_fields *call; /* by event of the file */
	struct task *task;
	uint32_t ntasks, room_tasks;
	struct keys by_tid;
	struct perf_left **left; /* by CPU; NULL: no sample of sched_switch yet */
	uint32_t nleft;
	uint8_t *record; /* the record being made */
	size_t room;
};

struct perf_details *perf_details_new(void)
{
	return calloc(1, sizeof(struct perf_details));
}

void perf_details_free(struct perf_details *d)
{
	if (!d)
		return;
	free(d->call);
	free(d->task);
	keys_free(&d->by_tid);
	for (uint32_t i = 0; i < d->nleft; i++)
		free(d->left[i]);
	free(d->left);
	free(d->record);
	free(d);
}

/* Returns room for a record, zeroed. */
static void *make(struct perf_details *d, size_t size)
{
	if (array_room(d->record, d->room, size))
		return NULL;
	return memset(d->record, 0, size);
}

static uint32_t minor_of(enum detail_kind kind, uint32_t attr)
{
	uint32_t event = attr < EVENT_NUMBERS ? attr : EVENT_NUMBERS - 1;

	return kind | (event + 1) << PITRACE_TPROF_EVENT_SHIFT;
}

/* ---- details of samples ---------------------------------------------------------------------- */

static uint64_t branch_flags(uint64_t v, bool big)
{
	uint64_t flags = 0;
	unsigned int low = 0;

	if (!big)
		return v;
	for (size_t i = 0; i < sizeof(perf_branch_width); i++) {
		flags |= (v >> (64 - low - perf_branch_width[i]) &
			  ((1ull << perf_branch_width[i]) - 1))
			 << low;
		low += perf_branch_width[i];
	}
	return flags;
}

static int put_branches(struct perf *p, const struct perf_item *i, uint32_t attr, perf_put put,
			void *arg)
{
	bool big = p->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	size_t size = sizeof(struct detail_branches) +
		      (size_t)i->nbranches * sizeof(struct detail_branch);
	struct detail_branches *b = make(p->details, size);

	if (!b)
		return -ENOMEM;
	*b = (struct detail_branches){
		.pid = i->pid,
		.tid = i->tid,
		.count = (uint32_t)i->nbranches,
		.index = i->branch_index,
		.has_counters = i->branch_counters != NULL,
		.counters = (uint8_t)p->branch_counters,
		.bits = (uint8_t)p->branch_bits,
	};
	for (uint32_t k = 0; k < b->count; k++) {
		b->branch[k] = (struct detail_branch){
			.from = perf_word(i, i->branches, 3 * k),
			.to = perf_word(i, i->branches, 3 * k + 1),
			.flags = branch_flags(perf_word(i, i->branches, 3 * k + 2), big),
			.counters = i->branch_counters ? perf_word(i, i->branch_counters, k) : 0,
		};
	}
	return put(arg, DETAIL_RECORD, minor_of(DETAIL_BRANCHES, attr), b, size, i->time);
}

static int put_raw(struct perf *p, const struct perf_item *i, uint32_t attr, perf_put put,
		   void *arg)
{
	size_t size = (sizeof(struct detail_raw) + i->nraw + 3) & ~(size_t)3;
	struct detail_raw *r = make(p->details, size);

	if (!r)
		return -ENOMEM;
	*r = (struct detail_raw){ .pid = i->pid, .tid = i->tid, .bytes = i->nraw };
	memcpy(r->data, i->raw, i->nraw);
	return put(arg, DETAIL_RECORD, minor_of(DETAIL_RAW, attr), r, size, i->time);
}

static int put_group(struct perf *p, const struct perf_item *i, uint32_t minor, const char *path,
		     perf_put put, void *arg)
{
	size_t n = strlen(path), size = (sizeof(struct detail_cgroup) + n + 4) & ~(size_t)3;
	struct detail_cgroup *g = make(p->details, size);

	if (!g)
		return -ENOMEM;
	*g = (struct detail_cgroup){ .pid = i->pid, .tid = i->tid, .id = i->cgroup };
	memcpy(g->path, path, n);
	return put(arg, DETAIL_RECORD, minor, g, size, i->time);
}

static int put_registers(struct perf *p, const struct perf_item *i, uint32_t attr, bool intr,
			 perf_put put, void *arg)
{
	const struct perf_shape *shape = &p->attr[attr].shape;
	uint32_t n = intr ? i->nintr_regs : i->nregs;
	const uint8_t *words = intr ? i->intr_regs : i->regs;
	size_t size = sizeof(struct detail_registers) + n * sizeof(uint64_t);
	struct detail_registers *g = make(p->details, size);

	if (!g)
		return -ENOMEM;
	*g = (struct detail_registers){
		.pid = i->pid,
		.tid = i->tid,
		.count = n,
		.machine = registers_machine(p->in->header.machine),
		.abi = intr ? i->intr_abi : i->abi,
		.mask = intr ? shape->regs_intr : shape->regs_user,
	};
	for (uint32_t k = 0; k < n; k++)
		g->value[k] = perf_word(i, words, k);
	return put(arg, DETAIL_RECORD, minor_of(intr ? DETAIL_REGS_INTR : DETAIL_REGS_USER, attr),
		   g, size, i->time);
}

#define ACCESS                                                                    \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT |      \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

int perf_details_sample(struct perf *p, const struct perf_item *i, uint32_t attr, perf_put put,
			void *arg)
{
	uint64_t type = p->attr[attr].shape.sample_type;
	int rc = 0;

	if (type & PERF_SAMPLE_CGROUP)
		rc = put_group(p, i, minor_of(DETAIL_CGROUP_OF, attr),
			       perf_cgroups_name(p->cgroups, i->cgroup), put, arg);
	if (!rc && type & ACCESS) {
		struct detail_access a = {
			.pid = i->pid,
			.tid = i->tid,
			.address = i->address,
			.weight = i->weight,
			.source = i->source,
			.transaction = i->transaction,
			.physical = i->physical,
			.data_page = i->data_page,
			.code_page = i->code_page,
		};

		rc = put(arg, DETAIL_RECORD, minor_of(DETAIL_ACCESS, attr), &a, sizeof(a), i->time);
	}
	if (!rc && i->has_branches)
		rc = put_branches(p, i, attr, put, arg);
	if (!rc && type & PERF_SAMPLE_RAW)
		rc = put_raw(p, i, attr, put, arg);
	if (!rc && type & PERF_SAMPLE_REGS_USER)
		rc = put_registers(p, i, attr, false, put, arg);
	if (!rc && type & PERF_SAMPLE_REGS_INTR)
		rc = put_registers(p, i, attr, true, put, arg);
	return rc;
}

/* ---- separate records ------------------------------------------------------------------------ */

static int put_spaces(struct perf *p, const struct perf_item *i, perf_put put, void *arg)
{
	size_t size = sizeof(struct detail_namespaces) +
		      (size_t)i->nspaces * sizeof(struct detail_space);
	struct detail_namespaces *n = make(p->details, size);

	if (!n)
		return -ENOMEM;
	*n = (struct detail_namespaces){
		.pid = i->of_pid,
		.tid = i->of_tid,
		.count = (uint32_t)i->nspaces,
	};
	for (uint32_t k = 0; k < n->count; k++) {
		n->space[k] = (struct detail_space){
			perf_word(i, i->spaces, 2 * k),
			perf_word(i, i->spaces, 2 * k + 1),
		};
	}
	return put(arg, DETAIL_RECORD, DETAIL_NAMESPACES, n, size, i->time);
}

static int put_poke(struct perf *p, const struct perf_item *i, perf_put put, void *arg)
{
	size_t bytes = (size_t)i->poke_old + i->poke_new;
	size_t size = (sizeof(struct detail_poke) + bytes + 3) & ~(size_t)3;
	struct detail_poke *poke = make(p->details, size);

	if (!poke)
		return -ENOMEM;
	*poke = (struct detail_poke){
		.address = i->start,
		.before = i->poke_old,
		.after = i->poke_new,
	};
	memcpy(poke->code, i->poke, bytes);
	return put(arg, DETAIL_RECORD, DETAIL_POKE, poke, size, i->time);
}

int perf_details_record(struct perf *p, const struct perf_item *i, perf_put put, void *arg)
{
	struct perf_item nobody = *i;

	if (!(p->what & INPUT_DETAILS))
		return 0;
	switch (i->type) {
	case PERF_RECORD_CGROUP:
		nobody.pid = nobody.tid = 0;
		return put_group(p, &nobody, DETAIL_CGROUP,
				 perf_cgroups_name(p->cgroups, i->cgroup), put, arg);
	case PERF_RECORD_NAMESPACES:
		return put_spaces(p, i, put, arg);
	case PERF_RECORD_TEXT_POKE:
		return put_poke(p, i, put, arg);
	}
	return 0;
}

int perf_details_event(struct perf *p, uint32_t attr, perf_put put, void *arg)
{
	const struct perf_attr *a = &p->attr[attr];
	struct detail_event e = {
		.type = a->type,
		.config = a->config,
		.config1 = a->config1,
		.config2 = a->config2,
		.sample_type = a->shape.sample_type,
		.branch_type = a->branch,
		.regs_user = a->shape.regs_user,
		.regs_intr = a->shape.regs_intr,
		.flags = a->flags,
	};

	return put(arg, DETAIL_RECORD, minor_of(DETAIL_EVENT, attr), &e, sizeof(e), p->first);
}

/* ---- the scheduler's tracepoints ------------------------------------------------------------- */

static uint32_t find_task(const struct perf_details *d, uint32_t tid)
{
	return keys_find(&d->by_tid, hash_mix(tid, 0), d->task, e, e->tid == tid);
}

int perf_details_task(struct perf_details *d, uint32_t pid, uint32_t tid)
{
	uint32_t i = find_task(d, tid);

	if (!tid || tid == UINT32_MAX)
		return 0;
	if (i == NO_KEY) {
		if (keys_next(&d->by_tid, hash_mix(tid, 0), d->task, d->ntasks, d->room_tasks))
			return -ENOMEM;
		i = d->ntasks++;
	}
	d->task[i] = (struct task){ tid, pid };
	return 0;
}

/* Returns the pid of a thread; for a thread without a name record, its own tid. */
static uint32_t pid_of(const struct perf_details *d, uint32_t tid)
{
	uint32_t i = find_task(d, tid);

	return i == NO_KEY ? tid : d->task[i].pid;
}

static bool number(const struct perf_item *i, const struct tracepoint_field *f, uint64_t *value)
{
	return tracepoint_number(f, i->raw, i->nraw, value);
}

static struct perf_left *left_of(struct perf_details *d, uint32_t cpu)
{
	if (array_reach(d->left, d->nleft, cpu))
		return NULL;
	if (!d->left[cpu])
		d->left[cpu] = calloc(1, sizeof(**d->left));
	return d->left[cpu];
}

/* Processes a sample of sched_switch. A switch record that follows names both threads; if there are
 * none, `alone` emits the dispatch. */
static int take_switch(struct perf_details *d, const struct perf_item *i, uint32_t cpu,
		       const struct perf_stacks *stacks, bool alone, perf_put put, void *arg)
{
	const struct tracepoint_field *f = d->switches;
	uint64_t old, new, state, old_priority, new_priority;
	struct pitrace_dispatch s;
	struct perf_left *l;

	if (!number(i, &f[0], &old) || !number(i, &f[1], &old_priority) ||
	    !number(i, &f[2], &state) || !number(i, &f[3], &new) ||
	    !number(i, &f[4], &new_priority))
		return 0;
	l = left_of(d, cpu);
	if (!l)
		return -ENOMEM;
	perf_left_take(l, i, state, (int16_t)old_priority, (int16_t)new_priority, stacks);
	if (!alone)
		return 0;
	s = (struct pitrace_dispatch){
		.old_tid = (uint32_t)old,
		.new_tid = (uint32_t) new,
		.old_pid = pid_of(d, (uint32_t)old),
		.new_pid = pid_of(d, (uint32_t) new),
	};
	/* An exiting thread's sample has no tid. */
	l->tid = s.old_tid;
	return perf_left_put(l, PITRACE_LEFT_RUNNING, &s, i->time, put, arg);
}

int perf_details_dispatch(struct perf_details *d, uint32_t cpu, uint32_t minor,
			  const struct pitrace_dispatch *s, uint64_t time, perf_put put, void *arg)
{
	if (cpu >= d->nleft || !d->left[cpu])
		return put(arg, PITRACE_DISPATCH, minor, s, sizeof(*s), time);
	return perf_left_put(d->left[cpu], minor, s, time, put, arg);
}

static int put_wakeup(struct perf_details *d, const struct perf_item *i, bool new, perf_put put,
		      void *arg)
{
	const struct tracepoint_field *f = new ? d->news : d->wakeups;
	uint64_t tid, cpu, priority;
	struct pitrace_wakeup w;

	if (!number(i, &f[0], &tid) || !number(i, &f[1], &priority) || !number(i, &f[2], &cpu))
		return 0;
	w = (struct pitrace_wakeup){
		.pid = pid_of(d, (uint32_t)tid),
		.tid = (uint32_t)tid,
		.waker_pid = i->pid,
		.waker_tid = i->tid,
		.cpu = (uint32_t)cpu,
		.priority = (int16_t)priority,
	};
	return put(arg, PITRACE_WAKEUP, new ? PITRACE_WAKE_NEW : 0, &w, sizeof(w), i->time);
}

/* Missing fields have size 0 and match no data. */
static void ask_fields(struct tracepoints *t, const char *event, const char *const *names, size_t n,
		       struct tracepoint_field *fields)
{
	for (size_t i = 0; i < n; i++) {
		if (!tracepoints_field(t, "sched", event, names[i], &fields[i]))
			fields[i] = (struct tracepoint_field){ 0 };
	}
}

/* raw_syscalls has one event for all entries and one for all exits; syscalls has one of each per
 * call. If both were recorded, calls would be counted twice. */
static bool is_call(const struct perf *p, const struct perf_attr *a)
{
	bool any = a->type == PERF_TYPE_TRACEPOINT && a->shape.sample_type & PERF_SAMPLE_RAW;

	if (any && !strncmp(a->name, "raw_syscalls:sys_e", 18))
		return true;
	if (!any || strncmp(a->name, "syscalls:sys_e", 14))
		return false;
	for (uint32_t i = 0; i < p->nattrs; i++) {
		if (!strncmp(p->attr[i].name, "raw_syscalls:sys_e", 18))
			return false;
	}
	return true;
}

static void look_at_call(struct tracepoints *t, const char *name, struct call_fields *c)
{
	const char *event = strchr(name, ':') + 1;
	bool all = !strncmp(name, "raw_", 4);
	char system[16];

	snprintf(system, sizeof(system), "%.*s", (int)(event - 1 - name), name);
	c->all = all;
	c->leaves = !strncmp(event, "sys_exit", 8);
	c->is = tracepoints_field(t, system, event, all ? "id" : "__syscall_nr", &c->nr) ||
		(!all && tracepoints_field(t, system, event, "nr", &c->nr));
	if (c->is && c->leaves)
		c->is = tracepoints_field(t, system, event, "ret", &c->result);
}

static void look_at_calls(struct perf *p, struct tracepoints *t)
{
	struct perf_details *d = p->details;

	d->call = calloc(p->nattrs, sizeof(*d->call));
	for (uint32_t i = 0; d->call && i < p->nattrs; i++) {
		if (is_call(p, &p->attr[i]))
			look_at_call(t, p->attr[i].name, &d->call[i]);
	}
}

static int put_call(const struct perf_item *i, const struct call_fields *c, perf_put put, void *arg)
{
	struct pitrace_sysenter enter = { .pid = i->pid, .tid = i->tid };
	struct pitrace_sysexit leave = { .pid = i->pid, .tid = i->tid };
	uint64_t nr, result = 0;
	uint32_t call;

	if (!number(i, &c->nr, &nr) || (c->leaves && !number(i, &c->result, &result)))
		return 0;
	call = (uint32_t)nr & ~(PITRACE_EXIT | PITRACE_SYSCALL_COMPAT);
	if (c->leaves) {
		leave.result = (int64_t)result;
		return put(arg, PITRACE_SYSCALL, call | PITRACE_EXIT, &leave, sizeof(leave),
			   i->time);
	}
	/* The words after the call number, which is padded to a word. */
	for (uint32_t k = 0; k < 3; k++) {
		struct tracepoint_field word = c->nr;
		uint64_t value = 0;

		word.size = c->all ? c->nr.size : 8;
		word.is_signed = false;
		word.offset += word.size * (k + 1);
		number(i, &word, &value);
		enter.arguments[k] = value;
	}
	return put(arg, PITRACE_SYSCALL, call, &enter, sizeof(enter), i->time);
}

static void look_at_formats(struct perf *p)
{
	static const char *const switches[SWITCH_FIELDS] = {
		"prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio",
	};
	static const char *const wakeups[WAKEUP_FIELDS] = { "pid", "prio", "target_cpu" };
	struct perf_details *d = p->details;
	struct tracepoints *t;
	struct perf_view v;

	d->looked = true;
	v = perf_feature(p, PERF_TRACING_DATA);
	t = v.data ? tracepoints_open(v.data, v.size) : NULL;
	perf_view_free(&v);
	if (!t)
		return;
	ask_fields(t, "sched_switch", switches, SWITCH_FIELDS, d->switches);
	ask_fields(t, "sched_wakeup", wakeups, WAKEUP_FIELDS, d->wakeups);
	ask_fields(t, "sched_wakeup_new", wakeups, WAKEUP_FIELDS, d->news);
	look_at_calls(p, t);
	tracepoints_close(t);
}

bool perf_details_sched_wanted(const struct perf *p)
{
	for (uint32_t i = 0; i < p->nattrs; i++) {
		const struct perf_attr *a = &p->attr[i];

		if (a->type == PERF_TYPE_TRACEPOINT && a->shape.sample_type & PERF_SAMPLE_RAW &&
		    (!strncmp(a->name, "sched:", 6) || is_call(p, a)))
			return true;
	}
	return false;
}

int perf_details_sched(struct perf *p, const struct perf_item *i, uint32_t attr, uint32_t cpu,
		       perf_put put, void *arg)
{
	const struct perf_attr *a = &p->attr[attr];
	struct perf_details *d = p->details;

	uint64_t id;

	if (a->type != PERF_TYPE_TRACEPOINT || !i->nraw)
		return 0;
	if (!d->looked)
		look_at_formats(p);
	if (d->call && d->call[attr].is)
		return put_call(i, &d->call[attr], put, arg);
	if (strncmp(a->name, "sched:", 6))
		return 0;
	/* The kernel's own switch records hold the same dispatches; a recording of single processes
	 * lacks those that switch to their threads. */
	if (number(i, &d->switches[0], &id))
		return take_switch(d, i, cpu, &a->stacks,
				   !p->narrow && !p->count[PERF_RECORD_SWITCH] &&
					   !p->count[PERF_RECORD_SWITCH_CPU_WIDE],
				   put, arg);
	if (number(i, &d->wakeups[0], &id))
		return put_wakeup(d, i, false, put, arg);
	if (number(i, &d->news[0], &id))
		return put_wakeup(d, i, true, put, arg);
	return 0;
}
