/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the small traces of threads, interrupts and system calls: post_script FILE <STORY. A
 * story is a text, a record a line, times in microseconds since the start, so that whoever doubts a
 * report can add up by hand; the words of a line are in the table at the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "file/record_kinds.h"
#include "post_script.h"

#define SEC   1000000000ull
#define START (10 * SEC)

static struct pifile_header header = {
	.clock = PITRACE_CLOCK_MONOTONIC,
	.clock_hz = SEC,
	.mode = PITRACE_MODE_CONTINUOUS,
	.ncpus = 2,
	.start_realtime = 1704067200ull * SEC,
	.collector = "driver",
	.machine = "x86_64",
	.release = "6.1.0-test",
	.rate = 1000,
	.dither = 100,
	.page_size = 4096,
};
static struct pifile_writer *writer;
struct gen_ring mte[CPUS], trace[CPUS];
static int priority[3] = { 120, 120, 120 }; /* of who leaves, who comes, who wakes up */
static const char *facts = "";              /* more lines of the system's facts */
unsigned int line_number;
uint64_t now;
static uint64_t lost[CPUS][PITRACE_LOST_KINDS];

/* ---- words ----------------------------------------------------------------------------------- */

char *words[WORDS];
unsigned int nwords;

static uint32_t choose(unsigned int i, const char *const *list, uint32_t count)
{
	uint32_t n;

	if (i >= nwords)
		die("too few words");
	for (n = 0; n < count; n++) {
		if (list[n] && !strcmp(list[n], words[i]))
			return n;
	}
	die("not one of the words wanted here");
	return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void sync_line(uint32_t cpu, uint32_t why)
{
	struct pitrace_sync s = {
		.stamp = now,
		.monotonic = now,
		.boottime = now,
		.cpu = cpu,
		.realtime = header.start_realtime + now - START,
	};

	put(&mte[cpu], PITRACE_SYNC, why, &s, sizeof(s));
}

static void interval(uint32_t flags)
{
	struct pitrace_interval i = {
		.flags = flags,
		.interval = 1,
		.rate = 1000,
		.dither = 100,
		.cpus_present = header.ncpus,
		.cpus_online = header.ncpus,
	};

	put(&mte[0], PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, &i, sizeof(i));
}

static void on(void)
{
	sync_line(0, PITRACE_SYNC_ON);
	interval(0);
}

/* After a pause whose beginning was not recorded. */
static void resume(void)
{
	interval(0);
}

/* Live tasks are written again, for a file that begins here. */
static void again(void)
{
	sync_line(0, PITRACE_SYNC_SECOND);
	interval(PITRACE_INTERVAL_AGAIN);
}

static void off(void)
{
	sync_line(0, PITRACE_SYNC_OFF);
}

/* hotplug offline|online CPU */
static void hotplug(void)
{
	static const char *const words_of[] = { "offline", "online" };

	sync_line(cpu_at(2),
		  choose(1, words_of, 2) ? PITRACE_SYNC_CPU_ONLINE : PITRACE_SYNC_CPU_OFFLINE);
}

/* task WHAT PID/TID PPID NAME */
static void task(void)
{
	static const char *const what[] = { "walk",        "exec",     "fork",   "clone",
					    "thread",      "name",     "exit",   "thread_exit",
					    "walk_thread", "ancestor", "kthread" };
	static const uint32_t minors[] = {
		PITRACE_MTE_PROCESS,      PITRACE_MTE_PROCESS,     PITRACE_MTE_FORK,
		PITRACE_MTE_CLONE,        PITRACE_MTE_THREAD,      PITRACE_MTE_NAME,
		PITRACE_MTE_PROCESS_EXIT, PITRACE_MTE_THREAD_EXIT, PITRACE_MTE_THREAD,
		PITRACE_MTE_PROCESS,      PITRACE_MTE_PROCESS,
	};
	static const uint32_t flags[] = {
		[9] = PITRACE_TASK_ANCESTOR,
		[10] = PITRACE_TASK_KTHREAD,
	};
	struct pitrace_mte_task t = { .start = now };
	uint32_t n = choose(1, what, 11);

	thread(2, &t.pid, &t.tid);
	t.ppid = (uint32_t)number(3);
	if (n == 0 || n >= 8)
		t.flags = PITRACE_TASK_WALK | flags[n];
	snprintf(t.comm, sizeof(t.comm), "%s", nwords > 4 ? words[4] : "");
	put(&mte[0], PITRACE_MTE, minors[n], &t, sizeof(t));
}

/* dispatch CPU OLD WHY NEW [ADDRESS]...: the old thread's stack */
static void dispatch(void)
{
	static const char *const why[] = { "running", "preempted", "sleep", "blocked", "stopped",
					   "traced",  "dead",      "idle",  "other" };
	struct pitrace_dispatch d = { .old_priority = priority[0], .new_priority = priority[1] };
	struct addresses stack = addresses(5);
	uint32_t cpu = cpu_at(1), minor = choose(3, why, 9);

	/* As perf has it. */
	if (!strcmp(header.collector, "perf"))
		d.old_priority = d.new_priority = PITRACE_PRIORITY_UNKNOWN;
	thread(2, &d.old_pid, &d.old_tid);
	thread(4, &d.new_pid, &d.new_tid);
	if (stack.bytes)
		minor |= PITRACE_DISPATCH_STACK;
	put_stacked(&trace[cpu], PITRACE_DISPATCH, minor, &d, sizeof(d), &stack);
}

/* wake CPU WAKER WAKEE [irq|new] */
static void wake(void)
{
	static const char *const flags[] = { "", "irq", "new" };
	struct pitrace_wakeup w = { .cpu = cpu_at(1), .priority = priority[2] };

	thread(2, &w.waker_pid, &w.waker_tid);
	thread(3, &w.pid, &w.tid);
	put(&trace[w.cpu], PITRACE_WAKEUP, nwords > 4 ? choose(4, flags, 3) : 0, &w, sizeof(w));
}

/* irq CPU in|out SOURCE NUMBER TID */
static void irq(void)
{
	static const char *const sides[] = { "in", "out" };
	static const char *const sources[] = { NULL,   "device", "softirq", "timer", "reschedule",
					       "call", "work",   "ipi",     "other" };
	struct pitrace_interrupt i = { .number = (uint32_t)number(4), .tid = (uint32_t)number(5) };
	uint32_t minor = choose(3, sources, 9);

	put(&trace[cpu_at(1)], PITRACE_INTERRUPT,
	    choose(2, sides, 2) ? minor | PITRACE_EXIT : minor, &i, sizeof(i));
}

/* call CPU THREAD NUMBER [compat]; ret CPU THREAD NUMBER RESULT [compat] */
static void call(void)
{
	struct pitrace_sysenter e = { .arguments = { 1, 2, 3 } };

	thread(2, &e.pid, &e.tid);
	put(&trace[cpu_at(1)], PITRACE_SYSCALL,
	    (uint32_t)number(3) | (nwords > 4 ? PITRACE_SYSCALL_COMPAT : 0), &e, sizeof(e));
}

/* futex CPU THREAD ADDRESS OPERATION VALUE */
static void futex(void)
{
	struct pitrace_sysenter e = { .arguments = { number(3), number(4), number(5) } };

	thread(2, &e.pid, &e.tid);
	put(&trace[cpu_at(1)], PITRACE_SYSCALL, 202, &e, sizeof(e));
}

static void ret(void)
{
	struct pitrace_sysexit e = { .result = nwords > 4 ? atoll(words[4]) : 0 };

	thread(2, &e.pid, &e.tid);
	put(&trace[cpu_at(1)], PITRACE_SYSCALL,
	    (uint32_t)number(3) | PITRACE_EXIT | (nwords > 5 ? PITRACE_SYSCALL_COMPAT : 0), &e,
	    sizeof(e));
}

/* fault CPU THREAD IP ADDRESS */
static void fault(void)
{
	struct pitrace_fault f = { .ip = number(3), .address = number(4) };

	thread(2, &f.pid, &f.tid);
	put(&trace[cpu_at(1)], PITRACE_FAULT,
	    f.ip >> 63 ? PITRACE_TPROF_KERNEL : PITRACE_TPROF_USER, &f, sizeof(f));
}

/* lost CPU KIND COUNT */
static void lose(void)
{
	uint32_t cpu = cpu_at(1), kind = (uint32_t)number(2);
	struct pitrace_lost_rec l = { .count = (uint32_t)number(3) };

	if (kind >= PITRACE_LOST_KINDS)
		die("no such kind of loss");
	l.total = lost[cpu][kind] += l.count;
	put(&trace[cpu], PITRACE_LOST, kind, &l, sizeof(l));
}

static void mark_metrics(void);

/* mark CPU THREAD MAJOR MINOR [NAME [INTEGER]... [ptt:METRIC]...]: with a second string, or those;
 * without integers two zeros, but of major 0xb0 none */
static void mark(void)
{
	struct pitrace_user u = { .uid = 1000, .cpu = cpu_at(1) };
	uint32_t length[2] = { nwords > 5 ? (uint32_t)strlen(words[5]) : 0, 4 }, size, i;
	uint64_t ints[WORDS] = { 0 };
	uint8_t *data;

	if (nwords > 6 && !strncmp(words[nwords - 1], "ptt:", 4)) {
		mark_metrics();
		return;
	}
	u.strs = nwords > 5 ? 2 : 0;
	u.ints = nwords > 6 ? (uint16_t)(nwords - 6) : number(3) == PITRACE_HOOKIT ? 0 : 2;
	for (i = 6; i < nwords; i++)
		ints[i - 6] = number(i);
	thread(2, &u.pid, &u.tid);
	size = (uint32_t)sizeof(u) + u.ints * 8u + (u.strs ? 8 + ((length[0] + 4 + 3) & ~3u) : 0);
	data = gen_record(&trace[u.cpu], (uint16_t)number(3), (uint32_t)number(4),
			  PITRACE_TYPE_MIXED, size, now);
	memcpy(data, &u, sizeof(u));
	memcpy(data + sizeof(u), ints, u.ints * 8u);
	if (!u.strs)
		return;
	data += sizeof(u) + u.ints * 8u;
	memcpy(data, length, 8);
	memcpy(data + 8, words[5], length[0]);
	memcpy(data + 8 + length[0], "more", 4);
}

/* A record of a program's, with integers and strings. */
/* A % of a string is written as NUL. */
static void user_record(struct gen_ring *ring, uint16_t major, uint32_t minor,
			struct pitrace_user *u, const uint64_t *ints, char *const *strs)
{
	uint32_t fixed = (uint32_t)sizeof(*u) + u->ints * 8u + u->strs * 4u, size = fixed, length;
	uint8_t *data;

	for (unsigned int i = 0; i < u->strs; i++)
		size += (uint32_t)strlen(strs[i]);
	data = gen_record(ring, major, minor, PITRACE_TYPE_MIXED, (size + 3) & ~3u, now);
	memset(data, 0, (size + 3) & ~3u);
	memcpy(data, u, sizeof(*u));
	memcpy(data + sizeof(*u), ints, u->ints * 8ul);
	for (unsigned int i = 0; i < u->strs; i++) {
		length = (uint32_t)strlen(strs[i]);
		memcpy(data + sizeof(*u) + u->ints * 8ul + 4 * i, &length, 4);
		for (uint32_t at = 0; at < length; at++)
			data[fixed + at] = strs[i][at] == '%' ? 0 : (uint8_t)strs[i][at];
		fixed += length;
	}
}

/* The words at the end that begin with "ptt:" are strings behind the name. */
static void mark_metrics(void)
{
	struct pitrace_user u = { .uid = 1000, .cpu = cpu_at(1), .strs = 1 };
	uint64_t ints[WORDS] = { 0 };
	char *strs[WORDS] = { words[5] };

	for (unsigned int i = 6; i < nwords; i++) {
		if (!strncmp(words[i], "ptt:", 4))
			strs[u.strs++] = words[i];
		else
			ints[u.ints++] = number(i);
	}
	thread(2, &u.pid, &u.tid);
	user_record(&trace[u.cpu], (uint16_t)number(3), (uint32_t)number(4), &u, ints, strs);
}

/* declare CPU THREAD NUMBER NAME [FIELDS]: of a named event */
static void declare(void)
{
	struct pitrace_user u = { .uid = 1000, .cpu = cpu_at(1), .ints = 1, .strs = 2 };
	char *strs[] = { nwords > 4 ? words[4] : "", nwords > 5 ? words[5] : "" };
	uint64_t value = number(3);

	thread(2, &u.pid, &u.tid);
	user_record(&mte[u.cpu], PITRACE_MTE, PITRACE_MTE_DECLARE, &u, &value, strs);
}

/* event CPU THREAD NUMBER [VALUE|"TEXT|f:VALUE]...: a named event's record */
static void event(void)
{
	struct pitrace_user u = { .uid = 1000, .cpu = cpu_at(1) };
	uint64_t ints[WORDS];
	char *strs[WORDS];
	double real;

	thread(2, &u.pid, &u.tid);
	for (unsigned int i = 4; i < nwords; i++) {
		if (*words[i] == '"') {
			strs[u.strs++] = words[i] + 1;
		} else if (!strncmp(words[i], "f:", 2)) {
			real = strtod(words[i] + 2, NULL);
			memcpy(&ints[u.ints++], &real, sizeof(real));
		} else {
			ints[u.ints++] = number(i);
		}
	}
	user_record(&trace[u.cpu], PITRACE_NAMED, (uint32_t)number(3), &u, ints, strs);
}

/* own CPU THREAD MINOR INTEGER...: a sample that a thread took itself, or their end */
static void own(void)
{
	struct pitrace_user u = { .uid = 1000, .cpu = cpu_at(1) };
	uint64_t ints[WORDS];

	thread(2, &u.pid, &u.tid);
	for (unsigned int i = 4; i < nwords; i++)
		ints[u.ints++] = number(i);
	user_record(&trace[u.cpu], PITRACE_HOOKIT, (uint32_t)number(3), &u, ints, NULL);
}

/* raw CPU MAJOR MINOR BYTES: a record of zeros, perhaps too short */
static void raw(void)
{
	struct gen_ring *ring = number(2) == PITRACE_MTE ? mte : trace;
	uint32_t size = (uint32_t)number(4);

	memset(gen_record(&ring[cpu_at(1)], (uint16_t)number(2), (uint32_t)number(3),
			  PITRACE_TYPE_STRUCT, size, now),
	       0, (size + 3) & ~3u);
}

/* map PID START LENGTH OFFSET PATH [FLAGS [MAJOR MINOR INODE GENERATION]]; unload likewise */
static void mapping(uint32_t minor)
{
	struct {
		struct pitrace_mte_map m;
		char path[256];
	} x = { .m = { .pid = (uint32_t)number(1),
		       .start = number(2),
		       .length = number(3),
		       .offset = number(4),
		       .flags = PITRACE_MAP_READ | PITRACE_MAP_EXEC } };

	if (nwords < 6)
		die("too few words");
	x.m.path_len = (uint32_t)snprintf(x.path, sizeof(x.path), "%s", words[5]);
	if (!strncmp(x.path, "//anon", 6))
		x.m.flags |= PITRACE_MAP_ANON;
	if (nwords > 6)
		x.m.flags = (uint32_t)number(6);
	if (nwords > 7) {
		x.m.dev_major = (uint32_t)number(7);
		x.m.dev_minor = (uint32_t)number(8);
		x.m.inode = number(9);
		x.m.generation = number(10);
	}
	put(&mte[0], PITRACE_MTE, minor, &x, sizeof(x.m) + ((x.m.path_len + 4) & ~3u));
}

static void map(void)
{
	mapping(PITRACE_MTE_MODULE);
}

static void unload(void)
{
	mapping(PITRACE_MTE_UNLOAD);
}

/* buildid MAJOR MINOR INODE GENERATION HEX */
static void buildid(void)
{
	struct pitrace_mte_buildid b = {
		.dev_major = (uint32_t)number(1),
		.dev_minor = (uint32_t)number(2),
		.inode = number(3),
		.generation = (uint32_t)number(4),
	};

	if (nwords < 6 || strlen(words[5]) > 2 * sizeof(b.id))
		die("no build id, or too long a one");
	b.length = (uint32_t)strlen(words[5]) / 2;
	bytes(words[5], b.id, b.length);
	put(&mte[0], PITRACE_MTE, PITRACE_MTE_BUILDID, &b, sizeof(b));
}

/* cgroup PID PATH [ID] */
static void cgroup(void)
{
	struct {
		struct mte_cgroup g;
		char path[256];
	} x = { .g = { .pid = (uint32_t)number(1), .id = nwords > 3 ? number(3) : 0 } };

	if (nwords < 3)
		die("too few words");
	x.g.path_len = (uint32_t)snprintf(x.path, sizeof(x.path), "%s", words[2]);
	put(&mte[0], PITRACE_MTE, MTE_CGROUP, &x, sizeof(x.g) + ((x.g.path_len + 4) & ~3u));
}

/* ---- ITrace: side is k or u; gap, cross and step may stand at the end ------------------------ */

static bool of_kernel(unsigned int i)
{
	static const char *const sides[] = { "u", "k" };

	return choose(i, sides, 2);
}

static uint32_t branch_flags(unsigned int i)
{
	static const char *const flags[] = { "gap", "cross", "step" };
	uint32_t all = 0;

	for (; i < nwords; i++)
		all |= PITRACE_BRANCH_GAP << choose(i, flags, 3);
	return all;
}

/* switch PID/TID off|on|again CALLER FUNCTION */
static void switched(void)
{
	static const char *const hows[] = { "off", "on", "again" };
	struct {
		struct pitrace_user u;
		uint64_t ints[4];
	} __attribute__((packed, aligned(4))) r = { .u = { .ints = 4 } };

	thread(1, &r.u.pid, &r.u.tid);
	r.ints[0] = PITRACE_JIT_ITRACE;
	r.ints[1] = number(3);
	r.ints[2] = choose(2, hows, 3);
	r.ints[3] = number(4);
	memcpy(gen_record(&mte[0], PITRACE_MTE, PITRACE_MTE_JIT, PITRACE_TYPE_MIXED, sizeof(r),
			  now),
	       &r, sizeof(r));
}

/* branch CPU THREAD SIDE KIND COUNT FROM TO */
static void branch(void)
{
	static const char *const kinds[] = { NULL,   "call",  "return",   "jump",
					     "iret", "other", "undefined" };
	struct pitrace_branch b = { .count = (uint32_t)number(5),
				    .from = number(6),
				    .to = number(7) };

	thread(2, &b.pid, &b.tid);
	put(&trace[cpu_at(1)], of_kernel(3) ? PITRACE_BRANCH_KERNEL : PITRACE_BRANCH_USER,
	    choose(4, kinds, 7) | branch_flags(8), &b, sizeof(b));
}

/* break CPU THREAD SIDE WHAT COUNT NUMBER AT TO */
static void brk(void)
{
	static const char *const kinds[] = { NULL,     "interrupt", "fault",   "exception",
					     "signal", "sigreturn", "syscall", "exec" };
	struct pitrace_break_rec b = { .count = (uint32_t)number(5),
				       .number = (uint32_t)number(6),
				       .at = number(7),
				       .to = number(8) };

	thread(2, &b.pid, &b.tid);
	put(&trace[cpu_at(1)], of_kernel(3) ? PITRACE_BREAK_KERNEL : PITRACE_BREAK_USER,
	    choose(4, kinds, 8) | branch_flags(9), &b, sizeof(b));
}

/* arrive CPU THREAD FROM_CPU */
static void arrive(void)
{
	struct pitrace_itrace_switch s = { .from_cpu = (uint32_t)number(3) };

	thread(2, &s.pid, &s.tid);
	put(&trace[cpu_at(1)], PITRACE_ITRACE_SWITCH, branch_flags(4), &s, sizeof(s));
}

/* start CPU THREAD WHY COUNT ADDRESS; stop likewise */
static void mark_at(uint16_t major)
{
	static const char *const why[] = { NULL,      "on",      "fork",  "exec",     "exit",
					   "address", "skipped", "limit", "debugger", "budget" };
	struct pitrace_itrace_mark m = { .count = (uint32_t)number(4), .address = number(5) };

	thread(2, &m.pid, &m.tid);
	put(&trace[cpu_at(1)], major, choose(3, why, 10) | branch_flags(6), &m, sizeof(m));
}

static void start(void)
{
	mark_at(PITRACE_ITRACE_START);
}

static void stop(void)
{
	mark_at(PITRACE_ITRACE_STOP);
}

/* access CPU THREAD load|store BYTES AT ADDRESS */
static void access_to(void)
{
	static const char *const ways[] = { NULL, "load", "store" };
	struct pitrace_access a = { .bytes = (uint32_t)number(4),
				    .at = number(5),
				    .address = number(6) };

	thread(2, &a.pid, &a.tid);
	put(&trace[cpu_at(1)], PITRACE_LOAD_STORE, choose(3, ways, 3), &a, sizeof(a));
}

/* code CPU PID ADDRESS HEX [changed]; PID 0: the kernel's */
static void code(void)
{
	struct pitrace_code c = { .pid = (uint32_t)number(2), .address = number(3) };
	uint8_t *data;

	if (nwords < 5)
		die("too few words");
	c.bytes = (uint32_t)strlen(words[4]) / 2;
	data = gen_record(&trace[cpu_at(1)], PITRACE_CODE, nwords > 5 ? PITRACE_CODE_CHANGED : 0,
			  PITRACE_TYPE_STRUCT, (uint32_t)sizeof(c) + c.bytes, now);
	memcpy(data, &c, sizeof(c));
	bytes(words[4], data + sizeof(c), c.bytes);
}

static const struct {
	const char *word;
	void (*put)(void);
} lines[] = {
	{ "on", on },
	{ "off", off },
	{ "resume", resume },
	{ "again", again },
	{ "hotplug", hotplug },
	{ "task", task },
	{ "dispatch", dispatch },
	{ "wake", wake },
	{ "irq", irq },
	{ "call", call },
	{ "futex", futex },
	{ "ret", ret },
	{ "fault", fault },
	{ "lost", lose },
	{ "sample", sample },
	{ "counter", counter },
	{ "count", count },
	{ "copy", copy },
	{ "raw", raw },
	{ "mark", mark },
	{ "declare", declare },
	{ "event", event },
	{ "own", own },
	{ "map", map },
	{ "unload", unload },
	{ "buildid", buildid },
	{ "cgroup", cgroup },
	{ "branch", branch },
	{ "break", brk },
	{ "arrive", arrive },
	{ "start", start },
	{ "stop", stop },
	{ "access", access_to },
	{ "code", code },
	{ "switch", switched },
};

/* ---- the file -------------------------------------------------------------------------------- */

static const char *spin = "spin_unlock"; /* what the kernel has at its beginning */
static const char interrupts[] =
	"           CPU0       CPU1       \n"
	"  1:          0          9   IO-APIC   1-edge      i8042\n"
	" 27:       1234          0   PCI-MSI 65536-edge      virtio0-req.0, eth0\n"
	" 30:          0          0   IO-APIC  30-fasteoi\n"
	"NMI:          0          0   Non-maskable interrupts\n";

static void open_all(const char *path)
{
	char kallsyms[256], system_text[256];

	writer = pifile_create(path, &header);
	if (!writer)
		die(strerror(errno));
	snprintf(system_text, sizeof(system_text), "os: Test OS 1\ncpu model: Paper CPU\n%s",
		 facts);
	pifile_write_section(writer, PIFILE_SEC_SYSTEM, system_text, strlen(system_text));
	snprintf(kallsyms, sizeof(kallsyms),
		 "ffffffff81000000 T _stext\nffffffff81001000 T %.64s\n"
		 "ffffffff81002000 T copy_to_user\nffffffff81003000 T _etext\n",
		 spin);
	pifile_write_section(writer, PIFILE_SEC_KALLSYMS, kallsyms, strlen(kallsyms));
	pifile_write_section(writer, PIFILE_SEC_INTERRUPTS, interrupts, sizeof(interrupts) - 1);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		gen_ring_open(&mte[cpu], writer, cpu, PITRACE_RING_MTE, 16384);
		gen_ring_open(&trace[cpu], writer, cpu, PITRACE_RING_TRACE, 16384);
	}
}

/* A build id that was read at the very end. */
static void write_late_id(void)
{
	struct {
		struct pitrace_rec rec;
		struct pitrace_mte_buildid id;
	} id = {
		.rec = { sizeof(id) | PITRACE_TYPE_STRUCT, PITRACE_MTE, PITRACE_MTE_BUILDID,
			 (uint32_t)now },
		.id = { .dev_major = 8, .inode = 1, .length = 20 },
	};

	if (pifile_write_snapshot(writer, &id, sizeof(id), now))
		die("no snapshot");
}

static void close_all(uint32_t stopped_by, bool late_id)
{
	struct pifile_stats stats[CPUS] = { 0 };
	int rc;

	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		gen_ring_flush(&mte[cpu]);
		gen_ring_flush(&trace[cpu]);
		stats[cpu].cpu = cpu;
		stats[cpu].online = 1;
		memcpy(stats[cpu].lost, lost[cpu], sizeof(lost[cpu]));
	}
	stats[0].stopped_by = stopped_by;
	pifile_write_section(writer, PIFILE_SEC_STATS, stats, header.ncpus * sizeof(*stats));
	if (late_id)
		write_late_id();
	rc = pifile_finish(writer);
	if (rc)
		die(strerror(-rc));
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		gen_ring_close(&mte[cpu]);
		gen_ring_close(&trace[cpu]);
	}
}

static void read_line(char *text)
{
	size_t i;

	nwords = 0;
	for (char *p = strtok(text, " \t\n"); p && nwords < WORDS; p = strtok(NULL, " \t\n"))
		words[nwords++] = p;
	if (!nwords || words[0][0] == '#')
		return;
	now = START + number(0) * 1000;
	words[0] = words[1];
	memmove(words, words + 1, --nwords * sizeof(*words));
	for (i = 0; nwords && i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (!strcmp(lines[i].word, words[0])) {
			lines[i].put();
			return;
		}
	}
	die("no such line");
}

int main(int argc, char **argv)
{
	uint32_t stopped_by = 0;
	bool late_id = false;
	char text[8192];

	for (; argc > 2; argc--, argv++) {
		if (!strncmp(argv[1], "--cpus=", 7))
			header.ncpus = (uint32_t)atoi(argv[1] + 7);
		else if (!strcmp(argv[1], "--wrap"))
			header.mode = PITRACE_MODE_WRAP;
		else if (!strcmp(argv[1], "--stopped"))
			stopped_by = 2;
		else if (!strcmp(argv[1], "--late-id"))
			late_id = true;
		else if (!strncmp(argv[1], "--collector=", 12))
			snprintf(header.collector, sizeof(header.collector), "%s", argv[1] + 12);
		else if (!strncmp(argv[1], "--machine=", 10))
			snprintf(header.machine, sizeof(header.machine), "%s", argv[1] + 10);
		else if (!strncmp(argv[1], "--spin=", 7))
			spin = argv[1] + 7;
		else if (!strncmp(argv[1], "--facts=", 8))
			facts = argv[1] + 8;
		else if (!strncmp(argv[1], "--priorities=", 13))
			sscanf(argv[1] + 13, "%d,%d,%d", &priority[0], &priority[1], &priority[2]);
		else if (!strncmp(argv[1], "--later=", 8))
			header.start_realtime += strtoull(argv[1] + 8, NULL, 10) * SEC;
		else if (!strncmp(argv[1], "--scope=", 8)) {
			header.scope = PITRACE_SCOPE_PROCESS;
			header.pid = atoi(argv[1] + 8);
		} else
			break;
	}
	if (argc != 2 || !header.ncpus || header.ncpus > CPUS) {
		fputs("usage: post_script [--cpus=N] [--wrap] [--stopped] [--late-id] [--collector=NAME] [--machine=NAME] [--scope=PID] [--spin=SYMBOL] [--facts=LINES] [--priorities=OLD,NEW,WOKEN] [--later=SECONDS] FILE <STORY\n",
		      stderr);
		return 2;
	}
	open_all(argv[1]);
	while (fgets(text, sizeof(text), stdin)) {
		line_number++;
		read_line(text);
	}
	close_all(stopped_by, late_id);
	return 0;
}
