/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How ptt takes the state of one moment while threads run and end: how often it reads, what it
 * reads again, what it says of the result. The module's view and the time are the test's own.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tool.h"
#include "unit.h"

enum { SLOTS = 3, CPUS = 3, METRICS = 2 };

static struct {
	uint64_t now, step; /* ns; each look at the clock takes so many */
	int rounds;         /* of reading the CPUs */
	int behind;         /* so many of them find threads that have run on */
	int metric;         /* … by this metric */
	int torn;           /* so many find that a thread has gone meanwhile */
	int cpus;
	int reads[SLOTS], gone; /* how often each was read */
	int ended;              /* the slot of a thread that ended */
} view;

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	CU_ASSERT_EQUAL(clock, CLOCK_MONOTONIC);
	t->tv_sec = (time_t)(view.now / 1000000000);
	t->tv_nsec = (long)(view.now % 1000000000);
	view.now += view.step;
	return 0;
}

int __wrap_pttview_slots(const struct pttview *v);
int __wrap_pttview_slots(const struct pttview *v)
{
	CU_ASSERT_PTR_EQUAL(v, &view);
	return SLOTS;
}

int __wrap_pttview_cpus(const struct pttview *v);
int __wrap_pttview_cpus(const struct pttview *v)
{
	CU_ASSERT_PTR_EQUAL(v, &view);
	return view.cpus;
}

int __wrap_pttview_charged(const struct pttview *v);
int __wrap_pttview_charged(const struct pttview *v)
{
	CU_ASSERT_PTR_EQUAL(v, &view);
	return 1;
}

void __wrap_pttview_info_sized(const struct pttview *v, struct ptt_info *info, size_t size);
void __wrap_pttview_info_sized(const struct pttview *v, struct ptt_info *info, size_t size)
{
	CU_ASSERT(v == (void *)&view && size == sizeof(*info));
	*info = (struct ptt_info){ .metrics = METRICS, .threads = SLOTS };
}

/* Slot 1 is free. Two threads use 100 and 200, what is gone 50; that is what CPUs have. */
int __wrap_pttview_thread_sized(const struct pttview *v, int slot, struct ptt_thread_data *t,
				size_t size);
int __wrap_pttview_thread_sized(const struct pttview *v, int slot, struct ptt_thread_data *t,
				size_t size)
{
	CU_ASSERT(v == (void *)&view && size == sizeof(*t) && slot >= 0 && slot < SLOTS);
	view.reads[slot]++;
	if (slot == 1)
		return 0;
	*t = (struct ptt_thread_data){
		.pid = -5, /* of no process: it keeps its name */
		.tid = -5 - slot,
		.ended = slot == view.ended,
		.metrics = METRICS,
		.value = { slot ? 200 : 100, slot ? 2000 : 1000 },
		.generation = (uint64_t)view.reads[slot],
		.name = "thread",
	};
	return 1;
}

void __wrap_pttview_gone_sized(const struct pttview *v, struct pttview_gone *gone, size_t size);
void __wrap_pttview_gone_sized(const struct pttview *v, struct pttview_gone *gone, size_t size)
{
	CU_ASSERT(v == (void *)&view && size == sizeof(*gone));
	*gone = (struct pttview_gone){ .threads = 7, .value = { 50, 500 } };
	/* Every second read is behind those of the threads. */
	if (view.torn && view.rounds <= view.torn)
		gone->threads += (uint64_t)view.gone;
	view.gone++;
}

int __wrap_pttview_cpu_sized(const struct pttview *v, int cpu, struct pttview_cpu *c, size_t size);
int __wrap_pttview_cpu_sized(const struct pttview *v, int cpu, struct pttview_cpu *c, size_t size)
{
	CU_ASSERT(v == (void *)&view && size == sizeof(*c) && cpu >= 0 && cpu < view.cpus);
	view.rounds += !cpu;
	*c = (struct pttview_cpu){
		.online = 1,
		.dispatches = (uint64_t)cpu,
		.bucket[PTTVIEW_THREADS] = { cpu ? 150 : 200, cpu ? 1500 : 2000 },
	};
	if (!cpu && view.rounds <= view.behind)
		c->bucket[PTTVIEW_THREADS][view.metric]--;
	return cpu != 1;
}

static struct dump take(int behind, int torn)
{
	struct dump d;

	view.rounds = view.gone = 0;
	memset(view.reads, 0, sizeof(view.reads));
	view.now = 9000000000;
	view.behind = behind;
	view.torn = torn;
	CU_ASSERT_EQUAL_FATAL(dump_take(&d, (struct pttview *)&view, 8000000000), 0);
	return d;
}

static void begin(void)
{
	memset(&view, 0, sizeof(view));
	view.cpus = CPUS;
	view.ended = -1;
}

static void at_once(void)
{
	struct dump d;

	begin();
	view.step = 1000;
	d = take(0, 0);
	CU_ASSERT(d.whole && !d.torn && d.charged && !d.partly && d.info.metrics == METRICS);
	CU_ASSERT(d.rows == 2 && d.row[0].slot == 0 && d.row[1].slot == 2);
	CU_ASSERT(d.row[0].t.value[0] == 100 && d.row[1].t.value[1] == 2000);
	CU_ASSERT(d.row[0].t.tid == -5 && d.row[1].t.tid == -7);
	CU_ASSERT_STRING_EQUAL(d.row[0].t.name, "thread");
	CU_ASSERT(d.cpus == 2 && d.cpu_number[0] == 0 && d.cpu_number[1] == 2);
	CU_ASSERT(d.cpu[0].dispatches == 0 && d.cpu[1].dispatches == 2);
	CU_ASSERT(d.gone.threads == 7 && d.gone.value[1] == 500);
	CU_ASSERT(d.at == 9000001000 && d.elapsed == 1000001000 && d.cycles != 0);
	CU_ASSERT(d.cpi[0] == -1 && d.cpi[1] == -1 && !d.interval && !d.ticks);
	CU_ASSERT(view.rounds == 1 && view.gone == 2 && view.reads[0] == 1 && view.reads[1] == 1);
	dump_free(&d);
	CU_ASSERT(!d.row && !d.cpu && !d.cpu_number);
}

/* Only threads that may have run since are read again. */
static void until_they_agree(void)
{
	struct dump d;

	begin();
	view.ended = 2;
	for (view.metric = 0; view.metric < METRICS; view.metric++) {
		d = take(4, 0);
		CU_ASSERT(d.whole && !d.torn && d.rows == 2 && view.rounds == 5);
		CU_ASSERT(view.reads[0] == 5 && view.reads[1] == 1 && view.reads[2] == 1);
		CU_ASSERT(d.row[0].t.generation == 5 && d.row[1].t.generation == 1);
		dump_free(&d);
	}
}

static void no_longer_than(void)
{
	struct dump d;

	begin();
	d = take(1000, 0);
	CU_ASSERT(!d.whole && !d.torn && view.rounds == 51);
	dump_free(&d);
	/* 50 ms, and not a nanosecond more. */
	view.step = 10000000;
	d = take(1000, 0);
	CU_ASSERT(!d.whole && !d.torn && view.rounds == 3);
	dump_free(&d);
	view.step = 25000000;
	d = take(1000, 0);
	CU_ASSERT_EQUAL(view.rounds, 2);
	dump_free(&d);
}

/* While threads go, all are read anew: however long it takes, up to a hundred times. */
static void threads_that_go(void)
{
	struct dump d;

	begin();
	view.ended = 2;
	view.step = 40000000;
	d = take(0, 3);
	CU_ASSERT(d.whole && !d.torn && view.rounds == 4 && d.rows == 2);
	CU_ASSERT(view.reads[0] == 4 && view.reads[1] == 4 && view.reads[2] == 4);
	dump_free(&d);
	d = take(0, 1000);
	CU_ASSERT(!d.whole && d.torn && view.rounds == 100 && d.rows == 2);
	dump_free(&d);
}

/* A user who may not see the CPUs gets only the threads. */
static void no_cpus(void)
{
	struct dump d;

	begin();
	view.cpus = 0;
	d = take(0, 0);
	CU_ASSERT(!d.whole && !d.torn && !d.cpus && d.rows == 2 && view.reads[0] == 1);
	dump_free(&d);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "at_once", at_once },
		{ "until_they_agree", until_they_agree },
		{ "no_longer_than", no_longer_than },
		{ "threads_that_go", threads_that_go },
		{ "no_cpus", no_cpus },
		{ NULL, NULL },
	};

	return unit_run("ptt_take", tests);
}
