/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where AboveIdle's numbers come from, each field: files of /proc and a counter of dispatches, and
 * the module's view of the CPUs; all of them, and the time, are the test's own.
 */
#include <counters.h>
#include <cycles.h>
#include <errno.h>
#include <pttview.h>
#include <time.h>
#include <unistd.h>

#include "ai/ai_source.h"
#include "base/proc_lines.h"
#include "base/rc.h"
#include "unit.h"

/* ---- the machine ---- */

static struct {
	const char *stat, *interrupts, *softirqs, *schedstat; /* NULL: the file does not exist */
	uint64_t now;
	/* The counter of dispatches: an error instead; which CPUs; what it says of each. */
	int refused, not_on, open, opened;
	unsigned int cpus[8];
	uint32_t ncpus;
	uint64_t counted;
	int counts; /* how many it says; 0: all */
} machine;

FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode)
{
	static const char *const names[] = { "/proc/stat", "/proc/interrupts", "/proc/softirqs",
					     "/proc/schedstat" };
	const char *const texts[] = { machine.stat, machine.interrupts, machine.softirqs,
				      machine.schedstat };

	for (int i = 0; i < 4; i++) {
		if (strcmp(path, names[i]) != 0)
			continue;
		errno = ENOENT;
		return texts[i] ? fmemopen((char *)texts[i], strlen(texts[i]), "r") : NULL;
	}
	return __real_fopen64(path, mode);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	CU_ASSERT_EQUAL(clock, CLOCK_MONOTONIC);
	t->tv_sec = (time_t)(machine.now / 1000000000);
	t->tv_nsec = (long)(machine.now % 1000000000);
	return 0;
}

int __wrap_TraceFindEvents(const char *text, uint64_t period, int freq, int priv,
			   struct pitrace_event_args *list);
int __wrap_TraceFindEvents(const char *text, uint64_t period, int freq, int priv,
			   struct pitrace_event_args *list)
{
	CU_ASSERT_STRING_EQUAL(text, "context-switches");
	CU_ASSERT(!period && freq == 1 && priv == TRACE_PRIV_ANY);
	*list = (struct pitrace_event_args){ .name = "context-switches" };
	return 1;
}

struct counters *__wrap_whole_counters_open(const struct counters_options *o, int *rc);
struct counters *__wrap_whole_counters_open(const struct counters_options *o, int *rc)
{
	CU_ASSERT(o->scope == COUNTERS_CPUS && o->nevents == 1);
	CU_ASSERT_STRING_EQUAL(o->events->name, "context-switches");
	*rc = machine.refused;
	if (*rc)
		return NULL;
	CU_ASSERT_FATAL(o->ncpus <= 8);
	memcpy(machine.cpus, o->cpus, o->ncpus * sizeof(*o->cpus));
	machine.ncpus = o->ncpus;
	machine.open++;
	machine.opened++;
	return (struct counters *)&machine;
}

int __wrap_counters_on(struct counters *c);
int __wrap_counters_on(struct counters *c)
{
	CU_ASSERT_PTR_EQUAL(c, &machine);
	return machine.not_on;
}

int __wrap_whole_counters_read(struct counters *c, struct counter_value *list, unsigned int room);
int __wrap_whole_counters_read(struct counters *c, struct counter_value *list, unsigned int room)
{
	CU_ASSERT(c == (void *)&machine && room == machine.ncpus);
	for (uint32_t i = 0; i < machine.ncpus; i++)
		list[i].value = machine.counted + machine.cpus[i];
	return machine.counts ? machine.counts : (int)machine.ncpus;
}

void __wrap_counters_close(struct counters *c);
void __wrap_counters_close(struct counters *c)
{
	machine.open -= c != NULL;
}

/* Ticks of /proc/stat in ns. */
static uint64_t tick(void)
{
	return 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
}

static const char two_cpus[] = "cpu  1 2 3 4 5 6 7 8 0 0\n"
			       "cpu0 1 2 3 40 5 6 7 8 0 0\n"
			       "cpu3 1 2 3 50 6 0 2 1 0 0\n"
			       "intr 1 2 3\n";
static const char sched[] = "version 15\ntimestamp 1\n"
			    "cpu0 1 0 3 4 5 6 7000 8000 99\ndomain0 1 2\n"
			    "cpu3 1 0 3 4 5 6 7000 8000 77\ncpu5 1 0 3 4 5 6 7000 8000 55\n";

static void begin(void)
{
	memset(&machine, 0, sizeof(machine));
	machine.stat = two_cpus;
	machine.now = 5000000001;
}

static bool is(const struct ai_raw *r, const struct ai_raw *want)
{
	bool same = r->cpu == want->cpu && r->online == want->online && r->whole == want->whole &&
		    r->wall == want->wall && r->idle == want->idle &&
		    r->interrupt == want->interrupt && r->steal == want->steal &&
		    r->dispatches == want->dispatches && r->interrupts == want->interrupts;

	if (!same)
		printf("# CPU %u: wall %llu idle %llu interrupt %llu steal %llu dispatches %llu interrupts %llu\n",
		       r->cpu, (unsigned long long)r->wall, (unsigned long long)r->idle,
		       (unsigned long long)r->interrupt, (unsigned long long)r->steal,
		       (unsigned long long)r->dispatches, (unsigned long long)r->interrupts);
	return same;
}

/* ---- /proc ---- */

#define STEPS "as the kernel accounts for it, in steps of 10 ms; "
#define KNOWN "interrupts' time as it measures or samples it"

static void each_field(void)
{
	struct ai_info info = { .dispatches = 1 };
	struct ai_raw list[4] = { { .cpu = 0 } };

	begin();
	machine.interrupts = "     CPU0  CPU3\n  1:  10  20  IO-APIC\nLOC:  1  2\nERR: 500\n";
	machine.softirqs = "     CPU0  CPU3  CPU9\nHI: 100 200 300\nTIMER: 1 1 1\n";
	machine.counted = 1000;
	CU_ASSERT_EQUAL(ai_proc.open(&info), PI_OK);
	CU_ASSERT(info.dispatches == 1 && !info.exact);
	CU_ASSERT_STRING_EQUAL(info.note, STEPS KNOWN);
	CU_ASSERT(machine.ncpus == 2 && machine.cpus[0] == 0 && machine.cpus[1] == 3);
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 2);
	CU_ASSERT(is(&list[0], &(struct ai_raw){ 0, true, true, machine.now, 45 * tick(),
						 13 * tick(), 8 * tick(), 1000, 112 }));
	CU_ASSERT(is(&list[1], &(struct ai_raw){ 3, true, true, machine.now, 56 * tick(),
						 2 * tick(), 1 * tick(), 1003, 223 }));
	CU_ASSERT(machine.opened == 1 && machine.open == 1);
	ai_proc.close();
	CU_ASSERT_EQUAL(machine.open, 0);
}

/* Only the tick's own part of interrupts: no device's time ever. */
static void no_device_time(void)
{
	struct ai_info info = { .dispatches = 1 };

	begin();
	machine.stat = "cpu  1 2 3 4\ncpu0 1 2 3 4 5 0 7 8\n";
	CU_ASSERT_EQUAL(ai_proc.open(&info), PI_OK);
	CU_ASSERT_STRING_EQUAL(info.note, STEPS
			       "of interrupts' time only what the clock's tick met in softirqs: the rest is in busy");
	ai_proc.close();
}

static void by_the_scheduler(void)
{
	struct ai_info info = { .dispatches = 1 };
	struct ai_raw list[4];

	for (int way = 0; way < 2; way++) {
		begin();
		machine.refused = way ? 0 : PI_NO_PERMISSION;
		machine.not_on = way ? PI_NO_PERMISSION : 0;
		machine.schedstat = sched;
		CU_ASSERT_EQUAL(ai_proc.open(&info), PI_OK);
		CU_ASSERT(info.dispatches == 1 && machine.open == 0);
		CU_ASSERT_STRING_EQUAL(info.note,
				       STEPS KNOWN "; dispatches to idle are not counted");
		CU_ASSERT_EQUAL(ai_proc.read(list, 4), 2);
		CU_ASSERT(list[0].dispatches == 99 && list[1].dispatches == 77);
		CU_ASSERT(!list[0].interrupts && !list[1].interrupts);
		ai_proc.close();
	}
}

static void unknown_dispatches(void)
{
	static const char why[] = STEPS KNOWN
		"; dispatches are unknown: this user may not count them (run it as root), and /proc/schedstat is missing";
	struct ai_info info;
	struct ai_raw list[4];

	/* The values of only one CPU are not sufficient. */
	for (int way = 0; way < 2; way++) {
		begin();
		machine.refused = PI_NO_PERMISSION;
		machine.schedstat = way ? "cpu0 1 0 3 4 5 6 7000 8000 99\n" : NULL;
		info = (struct ai_info){ .dispatches = 1 };
		CU_ASSERT_EQUAL(ai_proc.open(&info), PI_OK);
		CU_ASSERT_EQUAL(info.dispatches, 0);
		CU_ASSERT_STRING_EQUAL(info.note, why);
		CU_ASSERT_EQUAL(ai_proc.read(list, 4), 2);
		CU_ASSERT(list[0].dispatches == AI_UNKNOWN && list[1].dispatches == AI_UNKNOWN);
		ai_proc.close();
	}
}

/* CPUs that come and go: counters begin anew, what they had counted stays. */
static void other_cpus(void)
{
	struct ai_info info = { .dispatches = 1 };
	struct ai_raw list[4];

	begin();
	CU_ASSERT_EQUAL(ai_proc.open(&info), PI_OK);
	machine.counted = 100;
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 2);
	CU_ASSERT_EQUAL(machine.opened, 1);
	machine.stat = "cpu  1\ncpu0 1 2 3 4\ncpu2 1 2 3 4\ncpu3 1 2 3 4\n";
	machine.counted = 200;
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 3);
	CU_ASSERT(machine.opened == 2 && machine.open == 1 && machine.ncpus == 3);
	CU_ASSERT(list[0].dispatches == 200 && list[1].cpu == 2 && !list[1].dispatches &&
		  list[2].dispatches == 203);
	machine.counted = 10;
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 3);
	CU_ASSERT(list[0].dispatches == 210 && list[1].dispatches == 12 &&
		  list[2].dispatches == 216);
	CU_ASSERT_EQUAL(machine.opened, 2);
	/* As many as before, but others. */
	machine.stat = "cpu  1\ncpu0 1 2 3 4\ncpu1 1 2 3 4\ncpu3 1 2 3 4\n";
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 3);
	CU_ASSERT(machine.opened == 3 && machine.cpus[1] == 1 && machine.open == 1);
	CU_ASSERT(list[0].dispatches == 210 && !list[1].dispatches && list[2].dispatches == 216);
	/* A reading that is not whole. */
	machine.counts = 2;
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 3);
	CU_ASSERT(list[0].dispatches == AI_UNKNOWN && list[2].dispatches == AI_UNKNOWN);
	/* No more of them: no counters either, nothing is read of them. */
	machine.counts = 0;
	machine.stat = two_cpus;
	machine.refused = PI_NO_PERMISSION;
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 2);
	CU_ASSERT(list[0].dispatches == 220 && list[1].dispatches == 229 && machine.open == 0);
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 2);
	CU_ASSERT(list[0].dispatches == AI_UNKNOWN && list[1].dispatches == AI_UNKNOWN);
	ai_proc.close();
}

static void odd_lists(void)
{
	struct ai_info info = { .dispatches = 1 };
	struct ai_raw list[4];

	begin();
	CU_ASSERT_EQUAL(ai_proc.open(&info), PI_OK);
	/* Twice, backwards, beyond all numbers; after other lines there are none. */
	machine.stat = "cpu  1\ncpu1 1 2 3 4\ncpu1 1 2 3 9\ncpu0 1 2 3 4\ncpu8192 1 2 3 4\n"
		       "cpu8191 1 2 3 4\nintr 1\ncpu9000 1 2 3 4\ncpu9001 1 2 3 4\n";
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 2);
	CU_ASSERT(list[0].cpu == 1 && list[0].idle == 4 * tick() && list[1].cpu == 8191);
	/* No more than there is room for. */
	machine.stat = two_cpus;
	CU_ASSERT_EQUAL(ai_proc.read(list, 1), 1);
	/* A table that does not begin with CPUs is refused. */
	machine.interrupts = "  1:  10  20  IO-APIC\n     CPU0  CPU3\n  1:  10  20  IO-APIC\n";
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), 2);
	CU_ASSERT(!list[0].interrupts && !list[1].interrupts);
	machine.stat = "cpu  1 2 3 4\nintr 1 2 3\n";
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), PI_NOT_SUPPORTED);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "/proc/stat has no CPUs");
	machine.stat = NULL;
	CU_ASSERT_EQUAL(ai_proc.read(list, 4), rc_of_errno(ENOENT));
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "/proc/stat: No such file or directory");
	ai_proc.close();
	CU_ASSERT_EQUAL(ai_proc.open(&info), rc_of_errno(ENOENT));
	CU_ASSERT_EQUAL(machine.open, 0);
}

/* ---- the module ---- */

static struct {
	int refused, ncpus, open, present, updated;
	double hz;
	const char *note;
} module;

struct pttview *__wrap_whole_pttview_open(const struct pttview_options *o, int *rc);
struct pttview *__wrap_whole_pttview_open(const struct pttview_options *o, int *rc)
{
	CU_ASSERT(o->count == 1 && o->priv == TRACE_PRIV_ANY && o->threads == 1 && !o->charged);
	CU_ASSERT_STRING_EQUAL(o->metrics[0], "tsc");
	*rc = module.refused;
	module.open += !*rc;
	return *rc ? NULL : (struct pttview *)&module;
}

void __wrap_pttview_close(struct pttview *v);
void __wrap_pttview_close(struct pttview *v)
{
	module.open -= v != NULL;
}

int __wrap_pttview_cpus(const struct pttview *v);
int __wrap_pttview_cpus(const struct pttview *v)
{
	CU_ASSERT_PTR_EQUAL(v, &module);
	return module.ncpus;
}

int __wrap_pttview_update(struct pttview *v);
int __wrap_pttview_update(struct pttview *v)
{
	CU_ASSERT_PTR_EQUAL(v, &module);
	return module.updated;
}

int __wrap_whole_pttview_cpu(const struct pttview *v, int cpu, struct pttview_cpu *data);
int __wrap_whole_pttview_cpu(const struct pttview *v, int cpu, struct pttview_cpu *data)
{
	CU_ASSERT_PTR_EQUAL(v, &module);
	*data = (struct pttview_cpu){
		.online = cpu != 2,
		.dispatches = 5,
		.interrupts = 6,
		.steal = 7,
		.wall = { 4000000000, 1 },
		.bucket[PTTVIEW_THREADS] = { 9, 9 },
		.bucket[PTTVIEW_IDLE] = { 2000000002, 9 },
		.bucket[PTTVIEW_INTERRUPTS] = { 3, 9 },
	};
	return module.present >> cpu & 1;
}

void __wrap_whole_pttview_info(const struct pttview *v, struct ptt_info *info);
void __wrap_whole_pttview_info(const struct pttview *v, struct ptt_info *info)
{
	CU_ASSERT_PTR_EQUAL(v, &module);
	*info = (struct ptt_info){ .size = sizeof(*info) };
	strcpy(info->note, module.note);
}

double __wrap_CyclesPerSecond(void);
double __wrap_CyclesPerSecond(void)
{
	return module.hz;
}

static void the_module(void)
{
	struct ai_info info = { .dispatches = 1 };
	struct ai_raw list[4];

	memset(&module, 0, sizeof(module));
	module.ncpus = 3;
	module.present = 5;
	module.hz = 1999999999.6;
	module.note = "a note";
	CU_ASSERT_EQUAL(ai_driver.open(&info), PI_OK);
	CU_ASSERT(info.exact == 1 && info.dispatches == 1);
	CU_ASSERT_STRING_EQUAL(info.note, "a note");
	CU_ASSERT_EQUAL(ai_driver.read(list, 4), 2);
	CU_ASSERT(is(&list[0],
		     &(struct ai_raw){ 0, true, true, 2000000000, 1000000001, 1, 7, 5, 6 }));
	CU_ASSERT(is(&list[1],
		     &(struct ai_raw){ 2, false, true, 2000000000, 1000000001, 1, 7, 5, 6 }));
	CU_ASSERT_EQUAL(ai_driver.read(list, 1), 1);
	module.updated = PI_ERROR;
	CU_ASSERT_EQUAL(ai_driver.read(list, 4), PI_ERROR);
	ai_driver.close();
	CU_ASSERT_EQUAL(module.open, 0);
}

static void no_module(void)
{
	struct ai_info info = { .dispatches = 1 };

	memset(&module, 0, sizeof(module));
	module.refused = PI_DRIVER_NOT_LOADED;
	CU_ASSERT_EQUAL(ai_driver.open(&info), PI_DRIVER_NOT_LOADED);
	module.refused = 0;
	CU_ASSERT_EQUAL(ai_driver.open(&info), PI_NO_PERMISSION);
	CU_ASSERT_STRING_EQUAL(TraceLastError(),
			       "viewing what CPUs do needs CAP_PERFMON: run it as root (sudo)");
	module.ncpus = 1;
	CU_ASSERT_EQUAL(ai_driver.open(&info), PI_NOT_SUPPORTED);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "the rate of this machine's counter is not known");
	CU_ASSERT(!module.open && !info.exact);
}

/* Which CPUs are online: the lines before the first of another kind, in rising order. */
static void online(void)
{
	static const struct {
		const char *stat;
		int n;
		unsigned int cpus[4];
	} cases[] = {
		{ "cpu  1 2 3 4\ncpu0 1 2 3 4\ncpu3 1 2 3 4\ncpu12 1 2 3 4\nintr 9\ncpu13 1 2 3 4\n",
		  3,
		  { 0, 3, 12 } },
		{ "cpu  1 2 3 4\ncpu7 1 2 3 4", 1, { 7 } },
		{ "cpu2 1 2 3 4\ncpu2 1 2 3 4\ncpu1 1 2 3 4\ncpu4 1 2 3 4\n", 2, { 2, 4 } },
		{ "cpu  1 2 3 4\nintr 9\n", 0, { 0 } },
		{ "cpuset\ncpu0 1 2 3 4\n", 0, { 0 } },
	};
	unsigned int cpus[5];

	memset(&machine, 0, sizeof(machine));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		machine.stat = cases[i].stat;
		for (int room = 0; room <= 4; room++) {
			int n = room < cases[i].n ? room : cases[i].n;

			memset(cpus, 0xa5, sizeof(cpus));
			CU_ASSERT_EQUAL(proc_online(cpus, (uint32_t)room), n);
			CU_ASSERT(!memcmp(cpus, cases[i].cpus, (size_t)n * sizeof(*cpus)));
			CU_ASSERT_EQUAL(cpus[n], 0xa5a5a5a5);
		}
	}
	machine.stat = NULL;
	CU_ASSERT_EQUAL(proc_online(cpus, 5), -ENOENT);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "online", online },
		{ "each_field", each_field },
		{ "no_device_time", no_device_time },
		{ "by_the_scheduler", by_the_scheduler },
		{ "unknown_dispatches", unknown_dispatches },
		{ "other_cpus", other_cpus },
		{ "odd_lists", odd_lists },
		{ "the_module", the_module },
		{ "no_module", no_module },
		{ NULL, NULL },
	};

	return unit_run("ai_sources", tests);
}
