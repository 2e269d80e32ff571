/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tracepoints in perf's rings: their formats' texts, and the records that their samples become. */
#include "events/event_names.h"
#include "events/tracepoint_format.h"
#include "perf_pump_rings.h"

static const char waking_format[] =
	"name: sched_waking\nID: 375\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long args[6];\toffset:32;\tsize:48;\tsigned:0;\n\n"
	"print fmt: \"comm=%s field:int pid;\", REC->comm\n";

static int parse(const char *text, const char *name, uint64_t *id, struct tracepoint_place *place)
{
	return tracepoint_parse(text, strlen(text), &name, 1, id, place);
}

static void formats(void)
{
	static const struct {
		const char *name;
		struct tracepoint_place want;
	} tries[] = {
		{ "common_flags", { 2, 1, 1, false } }, { "common_pid", { 4, 4, 1, true } },
		{ "comm", { 8, 1, 16, false } },        { "pid", { 24, 4, 1, true } },
		{ "name", { 28, 4, 1, false } },        { "args", { 32, 8, 6, false } },
	};
	static const char *const bad[] = {
		"",
		"ID: 5\n",
		"\tfield:int pid;\toffset:24;\tsize:4;\tsigned:1;\n", /* no ID */
		"ID: 5\n\tfield:int pid;\toffset:24;\tsize:3;\tsigned:1;\n",
		"ID: 5\n\tfield:int pid;\toffset:24;\tsize:4;\n",
		"ID: 5\n\tfield:int pid;\toffset:70000;\tsize:4;\tsigned:1;\n",
		"ID: 5\n\tfield:int pid[0];\toffset:24;\tsize:4;\tsigned:1;\n",
		"ID: 5\n\tfield:int pid[3];\toffset:24;\tsize:4;\tsigned:1;\n",
		"ID: 5\n\tfield:int pid];\toffset:24;\tsize:4;\tsigned:1;\n",
		"ID: 5\n\tfield:int pid",
		"ID: 5\n\tfield:;\toffset:24;\tsize:4;\tsigned:1;\n",
		"ID: 99999999999999999999999\n\tfield:int pid;\toffset:24;\tsize:4;\tsigned:1;\n",
	};
	struct tracepoint_place place;
	uint64_t id;

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		CU_ASSERT_EQUAL(parse(waking_format, tries[i].name, &id, &place), 0);
		CU_ASSERT(id == 375 && !memcmp(&place, &tries[i].want, sizeof(place)));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CU_ASSERT_EQUAL(parse(bad[i], "pid", &id, &place), -EBADMSG);
	/* A name may be one letter long, beside others of any length. */
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "c", "cc", "_" };

		CU_ASSERT_EQUAL(parse("ID: 5\n\tfield:char c;\toffset:8;\tsize:1;\tsigned:0;\n"
				      "\tfield:char cc[4];\toffset:9;\tsize:4;\tsigned:0;\n"
				      "\tfield:char _;\toffset:10;\tsize:1;\tsigned:0;\n",
				      names[i], &id, &place),
				0);
		CU_ASSERT(id == 5 && place.offset == 8u + (unsigned int)i);
	}
	events_tracing[0] = "/nonexistent";
	events_tracing[1] = "/dev/null";
	CU_ASSERT_EQUAL(tracepoint_read("a/b", NULL, 0, &id, &place), -ENOTDIR);
}

static void values(void)
{
	static const uint8_t data[] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 7 };
	static const struct {
		struct tracepoint_place place;
		uint32_t i;
		bool is;
		int64_t want;
	} tries[] = {
		{ { 0, 1, 1, false }, 0, true, 0xfe },       { { 0, 1, 1, true }, 0, true, -2 },
		{ { 0, 2, 1, false }, 0, true, 0xfffe },     { { 0, 2, 1, true }, 0, true, -2 },
		{ { 0, 4, 1, false }, 0, true, 0xfffffffe }, { { 0, 4, 1, true }, 0, true, -2 },
		{ { 0, 8, 1, true }, 0, true, -2 },          { { 8, 1, 1, false }, 0, true, 7 },
		{ { 0, 1, 9, false }, 8, true, 7 },          { { 0, 1, 8, false }, 8, false, 0 },
		{ { 9, 1, 1, false }, 0, false, 0 },         { { 2, 8, 1, false }, 0, false, 0 },
		{ { 0, 0, 1, false }, 0, false, 0 },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		int64_t got = 99;

		CU_ASSERT_EQUAL(tracepoint_value(&tries[i].place, tries[i].i, data, sizeof(data),
						 &got),
				tries[i].is);
		CU_ASSERT_EQUAL(got, tries[i].want);
	}
}

/* ---- samples in rings ------------------------------------------------------------------------ */

#define ID(point) (21u + (point))

static struct perf_event point_events[PERF_POINTS];
static struct perf_left left;

static void set_field(enum perf_point point, unsigned int field, uint32_t offset, uint32_t size,
		      uint32_t count)
{
	s.points.field[point][field] = (struct tracepoint_place){ offset, size, count, true };
}

/* The data are words of 8 bytes in these tests; wake-ups have 4 of 4. */
static void begin_points(void)
{
	begin();
	s.points = (struct perf_points){ .known = (1u << PERF_POINTS) - 1 };
	for (int i = 0; i < PERF_POINTS; i++) {
		point_events[i] = (struct perf_event){ .id = ID(i), .number = (uint32_t)i };
		for (unsigned int k = 0; k < PERF_POINT_FIELDS; k++)
			set_field(i, k, 8 * k, 8, 1);
	}
	set_field(PERF_POINT_ENTER, 1, 8, 8, 6);
	s.event = point_events;
	s.nevents = PERF_POINTS;
	for (int use = PERF_SWITCHES; use < PERF_USES; use++)
		s.shape[use].sample_type |= PERF_SAMPLE_RAW;
	s.shape[PERF_SWITCHES].sample_type |= PERF_SAMPLE_CALLCHAIN;
	s.shape[PERF_SYSCALLS].sample_type |= PERF_SAMPLE_REGS_USER;
	s.shape[PERF_SYSCALLS].regs_user = 1;
	s.stacks = (struct perf_stacks){
		.want = PITRACE_WANT_DISPATCH | PITRACE_WANT_KERNEL,
		.depth = 4,
	};
	map_ring(&cpus->ring[PERF_WAKEUPS], 0);
	map_ring(&cpus->ring[PERF_SYSCALLS], 8);
	cpus->left = &left;
	left.valid = false;
}

static void end_points(void)
{
	unmap_ring(&cpus->ring[PERF_WAKEUPS]);
	unmap_ring(&cpus->ring[PERF_SYSCALLS]);
	free(s.tasks);
	end();
}

static void put_point(enum perf_use use, enum perf_point point, uint32_t tid, uint64_t time,
		      uint64_t abi, size_t words, const int64_t *word)
{
	u64(ID(point));
	u32(tid);
	u32(tid);
	u64(time);
	u64(0);
	if (use == PERF_SWITCHES) {
		u64(3);
		u64(PERF_CONTEXT_KERNEL);
		u64(0xffffffff81000010);
		u64(0xffffffff81000020);
	}
	u32((uint32_t)(8 * words + 4));
	for (size_t i = 0; i < words; i++)
		u64((uint64_t)word[i]);
	u32(0);
	if (use == PERF_SYSCALLS) {
		u64(abi);
		if (abi)
			u64(0x1234);
	}
	put_rec(&cpus->ring[use], PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
}

/* A system call's number, its compat bit, arguments and results. */
static void calls(void)
{
	static const int64_t enter[] = { 59, 11, -1, 33, 4, 5, 6 }, leave[] = { 59, -2 };
	static const int64_t gone[] = { -1, 0 }, x32[] = { 0x40000003, 1, 2, 3 };
	const struct pitrace_sysenter *e;
	const struct pitrace_sysexit *x;

	begin_points();
	put_point(PERF_SYSCALLS, PERF_POINT_ENTER, 70, 10, PERF_SAMPLE_REGS_ABI_64, 7, enter);
	put_point(PERF_SYSCALLS, PERF_POINT_EXIT, 70, 20, PERF_SAMPLE_REGS_ABI_32, 2, leave);
	put_point(PERF_SYSCALLS, PERF_POINT_EXIT, 70, 30, PERF_SAMPLE_REGS_ABI_NONE, 2, gone);
	put_point(PERF_SYSCALLS, PERF_POINT_ENTER, 70, 40, PERF_SAMPLE_REGS_ABI_64, 4, x32);
	/* Too short; of an unknown event; a loss. */
	put_point(PERF_SYSCALLS, PERF_POINT_ENTER, 70, 50, PERF_SAMPLE_REGS_ABI_64, 3, enter);
	put_point(PERF_SYSCALLS, PERF_POINT_EXIT, 70, 60, PERF_SAMPLE_REGS_ABI_64, 0, enter);
	put_point(PERF_SYSCALLS, PERF_POINTS, 70, 70, PERF_SAMPLE_REGS_ABI_64, 7, enter);
	put_point(PERF_SYSCALLS, PERF_POINT_WAKING, 70, 75, PERF_SAMPLE_REGS_ABI_64, 7, enter);
	put_lost(&cpus->ring[PERF_SYSCALLS], 5, 80);
	pump(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYSCALL, UINT32_MAX), 4);
	CU_ASSERT_FATAL(records_count(PITRACE_SYSCALL, 59) == 1);
	e = (const void *)records_nth(PITRACE_SYSCALL, 59, 0)->data;
	CU_ASSERT(e->pid == 70 && e->tid == 70 && e->arguments[0] == 11);
	CU_ASSERT(e->arguments[1] == UINT64_MAX && e->arguments[2] == 33);
	CU_ASSERT_FATAL(
		records_count(PITRACE_SYSCALL, 59 | PITRACE_EXIT | PITRACE_SYSCALL_COMPAT) == 1);
	x = (const void *)records_nth(PITRACE_SYSCALL, 59 | PITRACE_EXIT | PITRACE_SYSCALL_COMPAT,
				      0)
		    ->data;
	CU_ASSERT(x->pid == 70 && x->tid == 70 && x->result == -2);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYSCALL, 0x3FFFFFFF | PITRACE_EXIT), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYSCALL, 3 | PITRACE_SYSCALL_COMPAT), 1);
	CU_ASSERT_EQUAL(cpus->lost[PITRACE_LOST_SYSCALL], 7);
	CU_ASSERT_EQUAL(records_lost(PITRACE_LOST_SYSCALL), 7);
	end_points();
}

/* The woken thread's process is known from the walk, from forks or from dispatches; it is in scope
 * if either thread is. */
static void wakeups(void)
{
	int64_t word[] = { 71, 120, 3, 0 };
	const struct pitrace_wakeup *w;

	begin_points();
	s.tasks = calloc(PERF_PIDS, sizeof(*s.tasks));
	s.scope = calloc(1, PERF_PIDS / 8);
	CU_ASSERT_FATAL(s.tasks && s.scope);
	s.config.scope = PITRACE_SCOPE_PROCESS;
	s.config.pid = 70;
	CU_ASSERT_EQUAL(perf_emit_walk(&s), 0);
	fork_of(cpus, 72, 71, 5);
	s.tasks[71] = 70;
	s.tasks[90] = 90;
	put_point(PERF_WAKEUPS, PERF_POINT_WAKING, 80, 10, 0, 4, word);
	word[3] = 0x10; /* a softirq */
	put_point(PERF_WAKEUPS, PERF_POINT_WAKEUP_NEW, 80, 20, 0, 4, word);
	word[0] = 90;
	put_point(PERF_WAKEUPS, PERF_POINT_WAKING, 80, 30, 0, 4, word); /* neither is in scope */
	put_point(PERF_WAKEUPS, PERF_POINT_WAKING, 70, 40, 0, 4, word);
	word[0] = PERF_PIDS;
	put_point(PERF_WAKEUPS, PERF_POINT_WAKING, 70, 50, 0, 4, word);
	put_point(PERF_WAKEUPS, PERF_POINT_WAKING, 70, 60, 0, 3, word);
	put_point(PERF_WAKEUPS, PERF_POINT_EXIT, 70, 65, 0, 4, word);
	put_lost(&cpus->ring[PERF_WAKEUPS], 2, 70);
	pump(true);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_WAKEUP, UINT32_MAX), 4);
	w = (const void *)records_nth(PITRACE_WAKEUP, 0, 0)->data;
	CU_ASSERT(w->tid == 71 && w->waker_pid == 80 && w->waker_tid == 80);
	CU_ASSERT(w->cpu == 3 && w->priority == 120 && !w->reserved);
	CU_ASSERT_EQUAL(records_count(PITRACE_WAKEUP, PITRACE_WAKE_NEW | PITRACE_WAKE_INTERRUPT),
			1);
	w = (const void *)records_nth(PITRACE_WAKEUP, PITRACE_WAKE_INTERRUPT, 1)->data;
	CU_ASSERT(w->pid == PERF_PIDS && w->tid == PERF_PIDS && w->waker_pid == 70);
	CU_ASSERT_EQUAL(cpus->lost[PITRACE_LOST_WAKEUP], 3);
	end_points();
}

/* The sample's state, priorities and stack go to the record behind it, if it is of that switch. */
static void switches(void)
{
	static const struct {
		int64_t state;
		uint32_t left;
	} tries[] = {
		{ 0, PITRACE_LEFT_RUNNING },  { 0x100, PITRACE_LEFT_PREEMPTED },
		{ 1, PITRACE_LEFT_SLEEP },    { 2, PITRACE_LEFT_BLOCKED },
		{ 4, PITRACE_LEFT_STOPPED },  { 8, PITRACE_LEFT_TRACED },
		{ 0x10, PITRACE_LEFT_DEAD },  { 0x20, PITRACE_LEFT_DEAD },
		{ 0x40, PITRACE_LEFT_OTHER }, { 0x80, PITRACE_LEFT_IDLE },
	};
	int64_t word[] = { 120, 0, -1 };
	const size_t n = sizeof(tries) / sizeof(*tries);

	begin_points();
	for (size_t i = 0; i < n; i++) {
		word[1] = tries[i].state;
		put_point(PERF_SWITCHES, PERF_POINT_SWITCH, 70, 100 + 10 * i, 0, 3, word);
		put_switch(&cpus->ring[PERF_SWITCHES], 70, 71, 105 + 10 * i);
	}
	pump(true);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_DISPATCH, UINT32_MAX), n);
	for (size_t i = 0; i < n; i++) {
		const struct told *t = records_nth(PITRACE_DISPATCH, UINT32_MAX, (unsigned int)i);
		const struct pitrace_stack *k = (const void *)(&t->dispatch + 1);

		CU_ASSERT_EQUAL(t->minor, tries[i].left | PITRACE_DISPATCH_STACK);
		CU_ASSERT(t->dispatch.old_tid == 70 && t->dispatch.new_tid == 71);
		CU_ASSERT(t->dispatch.old_priority == 120 && t->dispatch.new_priority == -1);
		CU_ASSERT(t->stamp == 105 + 10 * i && k->kernel == 2 && k->user == 0);
		CU_ASSERT_EQUAL(t->size, sizeof(t->dispatch) + sizeof(*k) + 16);
	}
	end_points();
	/* Without a stack: of another thread, after a loss, without a sample, or with a sample that
	 * is too short. */
	begin_points();
	word[1] = 1;
	put_point(PERF_SWITCHES, PERF_POINT_SWITCH, 70, 10, 0, 3, word);
	put_switch(&cpus->ring[PERF_SWITCHES], 72, 73, 15);
	put_point(PERF_SWITCHES, PERF_POINT_SWITCH, 73, 20, 0, 3, word);
	put_lost(&cpus->ring[PERF_SWITCHES], 1, 21);
	put_switch(&cpus->ring[PERF_SWITCHES], 73, 74, 25);
	put_switch(&cpus->ring[PERF_SWITCHES], 74, 75, 35);
	put_point(PERF_SWITCHES, PERF_POINT_SWITCH, 75, 40, 0, 2, word);
	put_switch(&cpus->ring[PERF_SWITCHES], 75, 76, 45);
	pump(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, PITRACE_LEFT_OTHER), 4);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, UINT32_MAX), 4);
	/* Without stacks; who exits has no number; idle has no stack. */
	records_forget();
	s.stacks.want = PITRACE_WANT_KERNEL;
	put_point(PERF_SWITCHES, PERF_POINT_SWITCH, 76, 50, 0, 3, word);
	put_switch(&cpus->ring[PERF_SWITCHES], 76, 77, 55);
	word[1] = 0x10;
	put_point(PERF_SWITCHES, PERF_POINT_SWITCH, UINT32_MAX, 60, 0, 3, word);
	put_switch(&cpus->ring[PERF_SWITCHES], 77, 0, 65);
	s.stacks.want |= PITRACE_WANT_DISPATCH;
	put_point(PERF_SWITCHES, PERF_POINT_SWITCH, 0, 70, 0, 3, word);
	put_switch(&cpus->ring[PERF_SWITCHES], 0, 78, 75);
	pump(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, PITRACE_LEFT_SLEEP), 0);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, PITRACE_LEFT_RUNNING), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, UINT32_MAX), 3);
	end_points();
}

/* A sample is of the next switch alone, even of one that is not told. */
static void switches_of_others(void)
{
	static const int64_t word[] = { 120, 0x10, -1 };

	begin_points();
	s.scope = calloc(PERF_PIDS / 8, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s.scope);
	s.scope[81 / 8] = 1 << (81 & 7);
	put_point(PERF_SWITCHES, PERF_POINT_SWITCH, UINT32_MAX, 10, 0, 3, word);
	put_switch(&cpus->ring[PERF_SWITCHES], 80, 82, 15);
	put_switch(&cpus->ring[PERF_SWITCHES], 82, 81, 25);
	put_point(PERF_SWITCHES, PERF_POINT_SWITCH, UINT32_MAX, 30, 0, 3, word);
	put_switch(&cpus->ring[PERF_SWITCHES], 81, 80, 35);
	pump(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, UINT32_MAX), 2);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, PITRACE_LEFT_OTHER), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, PITRACE_LEFT_DEAD | PITRACE_DISPATCH_STACK),
			1);
	end_points();
}

/* All rings by time. */
static void merged(void)
{
	static const uint16_t want[] = { PITRACE_WAKEUP, PITRACE_DISPATCH, PITRACE_SYSCALL,
					 PITRACE_TPROF,  PITRACE_SYSCALL,  PITRACE_WAKEUP };
	static const int64_t word[] = { 71, 120, 3, 0, 0, 0, 0 };

	begin_points();
	s.config.scope = PITRACE_SCOPE_PROCESS;
	put_point(PERF_WAKEUPS, PERF_POINT_WAKING, 70, 10, 0, 4, word);
	put_point(PERF_WAKEUPS, PERF_POINT_WAKING, 70, 60, 0, 4, word);
	put_point(PERF_SYSCALLS, PERF_POINT_ENTER, 70, 30, 0, 7, word);
	put_point(PERF_SYSCALLS, PERF_POINT_EXIT, 70, 50, 0, 2, word);
	put_switch(&cpus->ring[PERF_SWITCHES], 70, 71, 20);
	sample(cpus, 40);
	pump(true);
	CU_ASSERT_EQUAL_FATAL(ntold, 6);
	for (unsigned int i = 0; i < 6; i++)
		CU_ASSERT_EQUAL(told[i].major, want[i]);
	end_points();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "formats", formats },   { "values", values },
		{ "calls", calls },       { "wakeups", wakeups },
		{ "switches", switches }, { "switches_of_others", switches_of_others },
		{ "merged", merged },     {},
	};

	return unit_run("perf_pump_points", tests);
}
