// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a record, by the time stamp counter (one instruction = one tick under icount): write
 * "WHAT COUNT" to the parameter `run` and read the result there: hundredths of a tick per turn,
 * bytes of a hundred records. WHAT is `floor` (clock read and store), `ring` (the driver's),
 * `kernel` (the kernel's ring_buffer) or the name of a tracepoint, which is fired with whatever is
 * attached to it. `steps COUNT` and `branches COUNT` run a thousand instructions or jumps that
 * often: hundredths of a tick per instruction, the least of all turns. `probe NAME` attaches an
 * empty probe to a tracepoint until the module is unloaded.
 */
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/version.h>
#include <linux/vmalloc.h>
#include <asm/tsc.h>
#include "ring/ring.h"

#define RING_BYTES    (8 << 20)
#define SEGMENT_BYTES (64 << 10)
#define MOST          200000 /* records that fit into it */

/* The recorded data: a dispatch. */
struct data {
	u32 old_pid, old_tid, new_pid, new_tid;
	s16 old_priority, new_priority;
};

static char result[64] = "none";
static struct ring ring;
static struct trace_buffer *kernel_ring;
static unsigned long segments;

/* ---- records that are written ---------------------------------------------------------------- */

static __always_inline void fill(struct data *data, u32 turn)
{
	data->old_pid = turn;
	data->old_tid = turn;
	data->new_pid = turn;
	data->new_tid = turn;
	data->old_priority = turn;
	data->new_priority = turn;
}

static unsigned long floor_at;

static noinline void put_floor(u32 turn)
{
	struct pitrace_rec *rec = ring.data + floor_at;

	rec->stamp = rdtsc();
	fill((struct data *)(rec + 1), turn);
	floor_at += sizeof(*rec) + sizeof(struct data);
}

static noinline void put_ring(u32 turn)
{
	struct data *data = ring_reserve(&ring, PITRACE_DISPATCH, 0, sizeof(*data),
					 PITRACE_LOST_DISPATCH);

	if (!data)
		return;
	fill(data, turn);
	ring_commit(&ring);
}

static noinline void put_kernel(u32 turn)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(kernel_ring,
								   sizeof(struct data));

	if (!event)
		return;
	fill(ring_buffer_event_data(event), turn);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	ring_buffer_unlock_commit(kernel_ring, event);
#else
	ring_buffer_unlock_commit(kernel_ring);
#endif
}

static void segment_closed(struct ring *r)
{
	segments++;
}

static int ring_begin(u32 clock)
{
	static struct pitrace_cpu page;

	ring.size = RING_BYTES;
	ring.segment = SEGMENT_BYTES;
	ring.page = &page;
	ring.kind = PITRACE_RING_TRACE;
	ring.clock = clock;
	ring.full = ring.crossed = segment_closed;
	ring.session = 1;
	ring_reset(&ring);
	return 0;
}

/* ---- tracepoints that are fired -------------------------------------------------------------- */

struct wanted {
	const char *name;
	struct tracepoint *tp;
};

static void look(struct tracepoint *tp, void *arg)
{
	struct wanted *w = arg;

	if (!strcmp(tp->name, w->name))
		w->tp = tp;
}

static struct tracepoint *find(const char *name)
{
	struct wanted w = { .name = name };

	for_each_kernel_tracepoint(look, &w)
		;
	return w.tp;
}

/* As the kernel does at the tracepoint: preemption off, all probes one by one. */
static int fire(const char *name, u32 count)
{
	struct tracepoint *tp = find(name);
	u32 i;

	if (!tp)
		return -ENOENT;
	if (!strcmp(name, "sched_switch")) {
		int (*call)(void *, bool, struct task_struct *, struct task_struct *,
			    unsigned int) = tp->iterator;

		for (i = 0; i < count; i++) {
			preempt_disable_notrace();
			call(NULL, false, current, current, 0);
			preempt_enable_notrace();
		}
	} else if (!strcmp(name, "sched_waking")) {
		int (*call)(void *, struct task_struct *) = tp->iterator;

		for (i = 0; i < count; i++) {
			preempt_disable_notrace();
			call(NULL, current);
			preempt_enable_notrace();
		}
	} else if (!strcmp(name, "softirq_entry")) {
		/* In pairs, as they nest. */
		int (*call)(void *, unsigned int) = tp->iterator, (*left)(void *, unsigned int);

		tp = find("softirq_exit");
		if (!tp)
			return -ENOENT;
		left = tp->iterator;
		for (i = 0; i < count; i += 2) {
			preempt_disable_notrace();
			call(NULL, TIMER_SOFTIRQ);
			left(NULL, TIMER_SOFTIRQ);
			preempt_enable_notrace();
		}
	} else {
		return -EINVAL;
	}
	return 0;
}

static void nothing(void *data) { }

#define PROBES 4
static struct tracepoint *probed[PROBES];

static int probe(const char *name)
{
	struct tracepoint *tp = find(name);
	int i, err;

	if (!tp)
		return -ENOENT;
	for (i = 0; i < PROBES && probed[i]; i++)
		;
	if (i == PROBES)
		return -ENOSPC;
	err = tracepoint_probe_register(tp, nothing, NULL);
	if (!err)
		probed[i] = tp;
	return err;
}

static void unprobe(void)
{
	int i;

	for (i = 0; i < PROBES && probed[i]; i++) {
		tracepoint_probe_unregister(probed[i], nothing, NULL);
		probed[i] = NULL;
	}
	tracepoint_synchronize_unregister();
}

/* ---- code that is stepped -------------------------------------------------------------------- */

#define RUN 1000 /* instructions of each */

static noinline u64 steps(void)
{
	u64 begun = rdtsc();

	asm volatile(".rept 1000\n\tnop\n\t.endr");
	return rdtsc() - begun;
}

static noinline u64 branches(void)
{
	u64 begun = rdtsc();

	asm volatile(".rept 1000\n\tjmp 1f\n1:\n\t.endr");
	return rdtsc() - begun;
}

/* Interrupts may come in between, whose turns are not the least. */
static u64 least(u64 (*run)(void), u32 count)
{
	u64 best = U64_MAX;
	u32 i;

	for (i = 0; i < count; i++) {
		best = min(best, run());
		cond_resched();
	}
	return best;
}

/* ---- the parameter --------------------------------------------------------------------------- */

static int measure(const char *what, u32 count)
{
	unsigned long bytes = 0;
	u64 start;
	int err = 0;
	u32 i;

	if (!count || count > MOST)
		return -ERANGE;
	if (!strcmp(what, "steps") || !strcmp(what, "branches")) {
		snprintf(result, sizeof(result), "%llu",
			 100 * least(*what == 's' ? steps : branches, count) / RUN);
		return 0;
	}
	if (!strcmp(what, "floor")) {
		floor_at = 0;
		start = rdtsc();
		for (i = 0; i < count; i++)
			put_floor(i);
		bytes = floor_at;
	} else if (!strcmp(what, "ring") || !strcmp(what, "ring-monotonic")) {
		ring_begin(what[4] ? PITRACE_CLOCK_MONOTONIC : PITRACE_CLOCK_TSC);
		preempt_disable();
		start = rdtsc();
		for (i = 0; i < count; i++)
			put_ring(i);
		preempt_enable();
		bytes = local_read(&ring.head);
	} else if (!strcmp(what, "kernel")) {
		ring_buffer_reset(kernel_ring);
		start = rdtsc();
		for (i = 0; i < count; i++)
			put_kernel(i);
		bytes = ring_buffer_bytes_cpu(kernel_ring, raw_smp_processor_id());
		if (ring_buffer_entries(kernel_ring) != count)
			err = -ENOSPC;
	} else {
		start = rdtsc();
		err = fire(what, count);
	}
	start = rdtsc() - start;
	if (!err)
		snprintf(result, sizeof(result), "%llu %lu", 100 * start / count,
			 100 * bytes / count);
	return err;
}

static int set(const char *value, const struct kernel_param *param)
{
	char what[32];
	u32 count;

	strscpy(result, "failed", sizeof(result));
	if (sscanf(value, "probe %31s", what) == 1)
		return probe(what);
	if (sscanf(value, "%31s %u", what, &count) == 2)
		return measure(what, count);
	return -EINVAL;
}

static int get(char *to, const struct kernel_param *param)
{
	return sysfs_emit(to, "%s\n", result);
}

static const struct kernel_param_ops ops = { .set = set, .get = get };
module_param_cb(run, &ops, NULL, 0600);

static int __init bench_init(void)
{
	ring.data = vzalloc(RING_BYTES);
	kernel_ring = ring_buffer_alloc(RING_BYTES, 0);
	if (ring.data && kernel_ring)
		return 0;
	vfree(ring.data);
	if (kernel_ring)
		ring_buffer_free(kernel_ring);
	return -ENOMEM;
}

static void __exit bench_exit(void)
{
	unprobe();
	ring_buffer_free(kernel_ring);
	vfree(ring.data);
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("pitrace's benchmark of records");
