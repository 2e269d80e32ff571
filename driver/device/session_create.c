// SPDX-License-Identifier: GPL-2.0
/* Creates and destroys sessions. core/access.c checks the permissions. */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "core/access.h"
#include "core/pages.h"
#include "core/quota.h"
#include "core/scope.h"
#include "core/session.h"
#include "itrace/itrace.h"
#include "records/event.h"
#include "records/stack.h"
#include "device/session_create.h"
#include "ring/clock.h"

static unsigned long taken; /* session slots; id = slot + 1 */
static bool system_wide;    /* one of them is system-wide */
static u32 made;            /* sessions created so far */

unsigned int sessions_alive(void)
{
	return hweight_long(READ_ONCE(taken));
}

void session_destroy(struct session *s)
{
	unsigned int cpu;

	stack_free(s);
	itrace_free(s);
	session_wake_free(s);
	for (cpu = 0; s->cpu && cpu < s->ncpus; cpu++) {
		if (s->cpu[cpu])
			vfree(s->cpu[cpu]->data);
		kfree(s->cpu[cpu]);
	}
	kfree(s->cpu);
	vfree(s->control);
	vfree(s->pids);
	vfree(s->seen);
	vfree(s->calls);
	put_pid(s->root);
	pages_uncharge(&s->charge);
	mutex_lock(&sessions_lock);
	if (s->scope == PITRACE_SCOPE_SYSTEM)
		system_wide = false;
	clear_bit(s->id - 1, &taken);
	mutex_unlock(&sessions_lock);
	quota_give(s->quota, QUOTA_SESSIONS, 1);
	session_owner_exit(s);
	kfree(s);
}

/* Sizes: powers of two, at least four segments a ring, no more than 1 GB a CPU. */
static int get_sizes(struct session *s, const struct pitrace_session_args *args)
{
	u64 segment = args->segment_bytes ?: 64 * 1024;
	u64 mte = args->mte_bytes ?: 2 * 1024 * 1024;
	u64 trace = args->trace_bytes ?: 4 * 1024 * 1024;

	if (!is_power_of_2(segment) || segment < 2 * PITRACE_MAX_RECORD || segment > 1024 * 1024 ||
	    mte > SZ_1G || trace > SZ_1G)
		return -EINVAL;
	s->segment_bytes = segment;
	s->mte_bytes = roundup_pow_of_two(max(mte, 4 * segment));
	s->trace_bytes = roundup_pow_of_two(max(trace, 4 * segment));
	return 0;
}

/* A ring is full: a session in normal mode ends here, and reports which ring it was. */
static void ring_full(struct ring *r)
{
	struct session *s = r->owner;

	if (s->mode == PITRACE_MODE_NORMAL)
		session_stop(s, r->cpu, r->kind);
	else
		session_wake(s);
}

static void ring_crossed(struct ring *r)
{
	if (!r->wrap)
		session_wake(r->owner);
}

static void make_ring(struct session *s, struct ring *r, u32 cpu, u16 kind, void *data,
		      unsigned long size)
{
	*r = (struct ring){
		.data = data,
		.size = size,
		.segment = s->segment_bytes,
		.clock = s->clock,
		.session = s->id,
		.cpu = cpu,
		.kind = kind,
		.page = s->cpu[cpu]->page,
		.wrap = s->mode == PITRACE_MODE_WRAP && kind == PITRACE_RING_TRACE,
		.owner = s,
		.full = ring_full,
		.crossed = ring_crossed,
	};
	ring_reset(r);
}

static int make_rings(struct session *s)
{
	struct pitrace_control *c;
	u32 stride = sizeof(struct pitrace_cpu);
	unsigned int cpu;

	s->ncpus = nr_cpu_ids;
	s->control_bytes = PAGE_ALIGN(PAGE_SIZE + (size_t)s->ncpus * stride);
	s->cpu = kcalloc(s->ncpus, sizeof(*s->cpu), GFP_KERNEL);
	s->seen = pages_alloc(PITRACE_SEEN * sizeof(*s->seen));
	s->control = c = pages_alloc(s->control_bytes);
	if (!s->cpu || !c || !s->seen)
		return -ENOMEM;
	c->size = sizeof(*c);
	c->version = PITRACE_ABI_VERSION;
	c->session = s->id;
	c->ncpus = s->ncpus;
	c->cpu_offset = PAGE_SIZE;
	c->cpu_stride = stride;
	c->segment_bytes = s->segment_bytes;
	c->mte_bytes = s->mte_bytes;
	c->trace_bytes = s->trace_bytes;
	c->data_offset = s->control_bytes;
	c->data_stride = s->mte_bytes + s->trace_bytes;
	c->mode = s->mode;
	c->clock = s->clock;
	c->clock_hz = clock_hz(s->clock);
	c->serial = s->serial;
	for_each_present_cpu(cpu) {
		struct session_cpu *sc = kzalloc_node(sizeof(*sc), GFP_KERNEL, cpu_to_node(cpu));

		if (!sc)
			return -ENOMEM;
		s->cpu[cpu] = sc;
		sc->page = (void *)c + c->cpu_offset + cpu * stride;
		sc->data = pages_alloc(c->data_stride);
		if (!sc->data)
			return -ENOMEM;
		sc->page->present = 1;
		sc->page->online = cpu_online(cpu);
		make_ring(s, &sc->ring[PITRACE_RING_MTE], cpu, PITRACE_RING_MTE, sc->data,
			  s->mte_bytes);
		make_ring(s, &sc->ring[PITRACE_RING_TRACE], cpu, PITRACE_RING_TRACE,
			  sc->data + s->mte_bytes, s->trace_bytes);
		cond_resched();
	}
	return 0;
}

static int charge(struct session *s)
{
	unsigned long pages = num_present_cpus() * ((s->mte_bytes + s->trace_bytes) >> PAGE_SHIFT);

	if (s->pids)
		pages += PITRACE_PIDS / 8 >> PAGE_SHIFT;
	return pages_charge(&s->charge, pages);
}

/* Never returns a serial whose bits of PITRACE_SERIAL_MASK are all 0. */
static u32 next_serial(unsigned long slot)
{
	do
		made += PITRACE_MAX_SESSIONS;
	while (!(made & PITRACE_SERIAL_MASK));
	return made + slot;
}

/* Takes a slot, and one session of the owner's quota. */
static int take_slot(struct session *s, bool whole_system)
{
	unsigned long slot;
	int err = 0;

	mutex_lock(&sessions_lock);
	slot = find_first_zero_bit(&taken, PITRACE_MAX_SESSIONS);
	if (whole_system && s->cred)
		err = -EPERM;
	else if (whole_system && system_wide)
		err = -EBUSY;
	else if (slot >= PITRACE_MAX_SESSIONS)
		err = -EUSERS;
	else
		err = quota_take(s->quota, QUOTA_SESSIONS, 1);
	if (!err) {
		set_bit(slot, &taken);
		system_wide |= whole_system;
		s->id = slot + 1;
		s->serial = next_serial(slot);
	}
	mutex_unlock(&sessions_lock);
	return err;
}

struct session *session_create(const struct pitrace_session_args *args)
{
	struct session *s;
	int err;

	if (args->mode > PITRACE_MODE_WRAP || args->scope > PITRACE_SCOPE_PROCESS ||
	    args->clock > PITRACE_CLOCK_MONOTONIC)
		return ERR_PTR(-EINVAL);
	if (args->flags && args->scope != PITRACE_SCOPE_PROCESS)
		return ERR_PTR(-EINVAL);
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return ERR_PTR(-ENOMEM);

	err = session_owner_init(s);
	if (!err) {
		err = take_slot(s, args->scope == PITRACE_SCOPE_SYSTEM);
		if (err)
			session_owner_exit(s);
	}
	if (err) {
		kfree(s);
		return ERR_PTR(err);
	}

	s->flags = args->flags;
	s->mode = args->mode;
	s->scope = args->scope;
	s->clock = clock_pick(args->clock);
	s->rate = 997;
	s->dither = 100;
	__set_bit(PITRACE_TPROF, s->majors);
	mutex_init(&s->lock);
	mutex_init(&s->consumer);
	event_init(s);
	err = session_wake_init(s);
	if (!err)
		err = s->clock ? get_sizes(s, args) : -EOPNOTSUPP;
	if (!err)
		err = scope_get(s, args);
	if (!err)
		err = access_check_scope(s);
	if (!err)
		err = charge(s);
	if (!err)
		err = make_rings(s);
	if (err) {
		session_destroy(s);
		return ERR_PTR(err);
	}
	return s;
}
