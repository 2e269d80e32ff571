/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the small traces that test_post_*.sh read: a story short enough to count by hand.
 * post_trace SCENE FILE [ARGUMENT...]: the scenes are at the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include "gen_trace.h"

#define SEC      1000000000ull
#define MS       1000000ull
#define START    (10 * SEC)
#define REALTIME (1704067200ull * SEC) /* 2024-01-01 00:00 UTC, at START */

#define SPIN     0xffffffff81001010ull /* inside the functions of kallsyms[] */
#define COPY     0xffffffff81002020ull
#define VFS_READ 0xffffffff81001810ull
#define SYSCALL  0xffffffff81002880ull
#define WALK     0xffffffff81002c40ull
#define EXT4     0xffffffffc0100030ull
#define JAVA     0x400000ull
#define NOWHERE  0x123456789000ull
#define EVIL     0x7f0000000000ull

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81001000 T spin_unlock\n"
			       "ffffffff81001800 T vfs_read\n"
			       "ffffffff81002000 T copy_to_user\n"
			       "ffffffff81002800 T do_syscall_64\n"
			       "ffffffff81002c00 t walk_tree\n"
			       "ffffffff81003000 T _etext\n"
			       "ffffffffc0100000 t ext4_read\t[ext4]\n";
static const char modules[] = "ext4 8192 0 - Live 0xffffffffc0100000\n";
static const char system_text[] =
	"os: Test OS 1\nkernel: Linux 6.1.0-test\nmachine: x86_64\ncpus: 2\n"
	"cpu model: Paper CPU\ncpu mhz: 1000.000\ncommand: java Hello\x1b[2J World\nroom: 5\n";

static struct pifile_writer *writer;
static struct gen_ring mte, trace[2];
static uint64_t realtime = REALTIME;
static uint64_t now[3]; /* of CPU 0's and 1's trace rings, and of the MTE ring */

static void die(const char *what, int rc)
{
	fprintf(stderr, "post_trace: %s: %s\n", what, strerror(-rc));
	exit(1);
}

static void task(uint32_t minor, uint32_t pid, uint32_t tid, uint32_t ppid, const char *comm)
{
	struct pitrace_mte_task t = { .pid = pid, .tid = tid, .ppid = ppid, .start = tid * MS };

	snprintf(t.comm, sizeof(t.comm), "%s", comm);
	memcpy(gen_record(&mte, PITRACE_MTE, minor, PITRACE_TYPE_STRUCT, sizeof(t), now[2]), &t,
	       sizeof(t));
}

/* The file is the one that is there, if one is. */
static void map(uint32_t pid, uint64_t start, uint64_t length, uint64_t offset, const char *path)
{
	struct stat st;
	struct pitrace_mte_map m = {
		.pid = pid,
		.flags = PITRACE_MAP_READ | PITRACE_MAP_EXEC,
		.start = start,
		.length = length,
		.offset = offset,
		.inode = 1000 + pid,
		.dev_major = 250,
		.path_len = (uint32_t)strlen(path),
	};
	char *data = gen_record(&mte, PITRACE_MTE, PITRACE_MTE_MODULE, PITRACE_TYPE_STRUCT,
				(uint32_t)(sizeof(m) + strlen(path) + 1), now[2]);

	if (!stat(path, &st)) {
		m.inode = st.st_ino;
		m.dev_major = major(st.st_dev);
		m.dev_minor = minor(st.st_dev);
	}
	memcpy(data, &m, sizeof(m));
	strcpy(data + sizeof(m), path);
}

static void unmap(uint32_t pid, uint64_t start, uint64_t length)
{
	struct pitrace_mte_unmap u = { .pid = pid, .start = start, .length = length };

	memcpy(gen_record(&mte, PITRACE_MTE, PITRACE_MTE_UNMAP, PITRACE_TYPE_STRUCT, sizeof(u),
			  now[2]),
	       &u, sizeof(u));
}

static void sync_at(uint32_t why, uint64_t time)
{
	struct pitrace_sync s = {
		.stamp = time,
		.monotonic = time,
		.boottime = time,
		.realtime = realtime + time - START,
	};

	now[2] = time;
	memcpy(gen_record(&mte, PITRACE_SYNC, why, PITRACE_TYPE_STRUCT, sizeof(s), time), &s,
	       sizeof(s));
}

static void interval(void)
{
	struct pitrace_interval i = {
		.interval = 1,
		.rate = 1000,
		.dither = 100,
		.cpus_present = 2,
		.cpus_online = 2,
	};

	memcpy(gen_record(&mte, PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, PITRACE_TYPE_STRUCT,
			  sizeof(i), now[2]),
	       &i, sizeof(i));
}

static void lose(struct gen_ring *r, uint32_t kind, uint32_t count, uint64_t time)
{
	struct pitrace_lost_rec l = { .count = count, .total = count };

	memcpy(gen_record(r, PITRACE_LOST, kind, PITRACE_TYPE_STRUCT, sizeof(l), time), &l,
	       sizeof(l));
}

/* count samples, a millisecond apart. */
static void hit(uint32_t cpu, uint32_t pid, uint32_t tid, uint64_t address, unsigned int count,
		bool late)
{
	struct pitrace_sample s = { .pid = pid, .tid = tid, .address = address, .period = MS };
	uint32_t minor = address >> 63 ? PITRACE_TPROF_KERNEL : PITRACE_TPROF_USER;

	if (late)
		minor |= PITRACE_TPROF_LATE;
	while (count--) {
		now[cpu] += MS;
		memcpy(gen_record(&trace[cpu], PITRACE_TPROF, minor, PITRACE_TYPE_STRUCT, sizeof(s),
				  now[cpu]),
		       &s, sizeof(s));
	}
}

/* A sample with a stack: kernel addresses, user addresses, each list innermost first and ended by
 * 0. `more` bytes follow what the counts promise; a negative number takes from it. */
static void hit_stack(uint32_t pid, uint64_t address, const uint64_t *kernel, const uint64_t *user,
		      uint32_t flags, int more, unsigned int count)
{
	struct pitrace_sample s = { .pid = pid, .tid = pid, .address = address, .period = MS };
	struct pitrace_stack h = { .flags = (uint16_t)flags };
	uint32_t minor = kernel ? PITRACE_TPROF_KERNEL : PITRACE_TPROF_USER, size;
	uint64_t words[2 * PITRACE_STACK_MAX];
	uint8_t room[sizeof(s) + sizeof(h) + sizeof(words)];

	while (kernel && kernel[h.kernel]) {
		words[h.kernel] = kernel[h.kernel];
		h.kernel++;
	}
	while (user && user[h.user]) {
		words[h.kernel + h.user] = user[h.user];
		h.user++;
	}
	memcpy(room, &s, sizeof(s));
	memcpy(room + sizeof(s), &h, sizeof(h));
	memcpy(room + sizeof(s) + sizeof(h), words, 8 * (h.kernel + h.user));
	size = (uint32_t)((int)(sizeof(s) + sizeof(h) + 8 * (h.kernel + h.user)) + more);
	while (count--) {
		now[0] += MS;
		memcpy(gen_record(&trace[0], PITRACE_TPROF, minor | PITRACE_TPROF_STACK,
				  PITRACE_TYPE_STRUCT, size, now[0]),
		       room, size);
	}
}

static void idle(uint32_t cpu, uint32_t ticks)
{
	struct pitrace_idle i = { .ticks = ticks, .since = now[cpu] };

	now[cpu] += ticks * MS;
	memcpy(gen_record(&trace[cpu], PITRACE_TPROF, PITRACE_TPROF_IDLE, PITRACE_TYPE_STRUCT,
			  sizeof(i), now[cpu]),
	       &i, sizeof(i));
}

static void open_all(const char *path)
{
	struct pifile_header h = {
		.clock = PITRACE_CLOCK_MONOTONIC,
		.clock_hz = SEC,
		.mode = PITRACE_MODE_CONTINUOUS,
		.ncpus = 2,
		.start_realtime = realtime,
		.collector = "driver",
		.machine = "x86_64",
		.release = "6.1.0-test",
		.rate = 1000,
		.dither = 100,
		.page_size = 4096,
	};
	uint32_t cpu;

	writer = pifile_create(path, &h);
	if (!writer)
		die(path, -errno);
	pifile_write_section(writer, PIFILE_SEC_SYSTEM, system_text, sizeof(system_text) - 1);
	pifile_write_section(writer, PIFILE_SEC_KALLSYMS, kallsyms, sizeof(kallsyms) - 1);
	pifile_write_section(writer, PIFILE_SEC_MODULES, modules, sizeof(modules) - 1);
	gen_ring_open(&mte, writer, 0, PITRACE_RING_MTE, 16384);
	for (cpu = 0; cpu < 2; cpu++) {
		gen_ring_open(&trace[cpu], writer, cpu, PITRACE_RING_TRACE, 16384);
		now[cpu] = START + 10 * MS;
	}
	sync_at(PITRACE_SYNC_ON, START);
	interval();
}

static void close_all(const struct pifile_stats stats[2])
{
	uint32_t cpu;
	int rc;

	sync_at(PITRACE_SYNC_OFF, START + 2 * SEC);
	gen_ring_flush(&mte);
	for (cpu = 0; cpu < 2; cpu++)
		gen_ring_flush(&trace[cpu]);
	if (stats)
		pifile_write_section(writer, PIFILE_SEC_STATS, stats, 2 * sizeof(*stats));
	rc = pifile_finish(writer);
	gen_ring_close(&mte);
	gen_ring_close(&trace[0]);
	gen_ring_close(&trace[1]);
	if (rc)
		die("finish", rc);
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static void tell_tasks(void)
{
	task(PITRACE_MTE_PROCESS, 4156, 4156, 1, "java");
	map(4156, JAVA, 0x10000, 0, "/nowhere/bin/java");
	task(PITRACE_MTE_THREAD, 4156, 4157, 1, "GC");
	task(PITRACE_MTE_PROCESS, 77, 77, 1, "ev\x1b[31mil\n");
	map(77, EVIL, 0x1000, 0, "/nowhere/a\tb\x80");
}

/* 200 ticks: 115 samples and 85 idle. Lossy: the exit code is 1. */
static void story(void)
{
	struct pifile_stats stats[2] = { { .cpu = 0, .online = 1 }, { .cpu = 1, .online = 1 } };

	tell_tasks();
	hit(0, 4156, 4156, SPIN, 38, false);
	hit(0, 4156, 4156, SPIN, 2, true);
	hit(0, 4156, 4156, COPY, 10, false);
	hit(0, 4156, 4156, JAVA + 0x100, 20, false);
	hit(0, 4156, 4156, NOWHERE, 5, false);
	idle(0, 62);
	hit(1, 4156, 4157, JAVA + 0x200, 15, false);
	hit(1, 4156, 4157, EXT4, 5, true);
	lose(&trace[1], PITRACE_LOST_TPROF, 7, now[1]);
	hit(1, 77, 77, EVIL + 4, 6, false);

	/* A child with a copy of the memory, which it loses by exec. */
	now[2] = now[1] + MS / 2;
	task(PITRACE_MTE_FORK, 78, 78, 77, "ev\x1b[31mil\n");
	hit(1, 78, 78, EVIL + 4, 4, false);
	now[2] = now[1] + MS / 2;
	task(PITRACE_MTE_PROCESS, 78, 78, 77, "cc");
	hit(1, 78, 78, EVIL + 4, 2, false);
	hit(1, 78, 78, COPY, 4, false);
	idle(1, 23);
	hit(1, 0, 0, SPIN, 2, false);

	/* Names are lost: what user code is called from here on is unsure. */
	now[2] = now[1] + MS / 2;
	lose(&mte, PITRACE_LOST_MTE, 3, now[2]);
	hit(1, 77, 77, EVIL + 8, 2, false);
	stats[0].lost[PITRACE_LOST_MTE] = 3;
	stats[1].lost[PITRACE_LOST_TPROF] = 7;
	stats[1].lost[PITRACE_LOST_OVERRUN] = 1;
	close_all(stats);
}

/* The same without losses. */
static void clean(void)
{
	tell_tasks();
	hit(0, 4156, 4156, SPIN, 60, false);
	hit(1, 4156, 4157, JAVA, 40, false);
	close_all(NULL);
}

/* One name changes at every instant: what a reader keeps must not outlive it. */
static void times(void)
{
	uint64_t round;

	task(PITRACE_MTE_PROCESS, 50, 50, 1, "shifty");
	for (round = 0; round < 10; round++) {
		now[2] = now[0] + MS / 2;
		map(50, JAVA, 0x1000, 0, round & 1 ? "/nowhere/odd" : "/nowhere/even");
		hit(0, 50, 50, JAVA + 16, 3, false);
		now[2] = now[0] + MS / 2;
		unmap(50, JAVA, 0x1000);
		hit(0, 50, 50, JAVA + 16, 1, false);
	}
	/* A pid's next owner, and a child that shares its parent's memory while that changes. */
	now[2] = now[0] + MS / 2;
	task(PITRACE_MTE_PROCESS_EXIT, 50, 50, 1, "shifty");
	now[2] += 1000;
	task(PITRACE_MTE_FORK, 50, 50, 1, "heir");
	task(PITRACE_MTE_PROCESS, 50, 50, 1, "heir");
	map(50, JAVA, 0x1000, 0, "/nowhere/heir");
	hit(0, 50, 50, JAVA + 16, 5, false);
	now[2] = now[0] + MS / 2;
	task(PITRACE_MTE_CLONE, 51, 51, 50, "sharer");
	hit(0, 51, 51, JAVA + 16, 2, false);
	now[2] = now[0] + MS / 2;
	map(51, JAVA, 0x1000, 0, "/nowhere/shared");
	hit(0, 50, 50, JAVA + 16, 3, false);
	hit(0, 51, 51, JAVA + 16, 4, false);
	close_all(NULL);
}

/* Call stacks, countable by hand: 100 ticks. walk_tree calls itself, once through copy_to_user. */
static void stacks(void)
{
	static const uint64_t user[] = { JAVA + 0x10, JAVA + 0x110, 0 };
	static const uint64_t other[] = { JAVA + 0x20, 0 };
	static const uint64_t deep[] = { SPIN, WALK + 8, COPY, WALK + 8, WALK + 8, SYSCALL, 0 };
	static const uint64_t read[] = { COPY, VFS_READ + 8, SYSCALL, 0 };
	/* Returns to the first address of what follows: the call was vfs_read's last. */
	static const uint64_t edge[] = { SPIN, COPY & ~0xFFFull, SYSCALL, 0 };
	static const uint64_t far[] = { EVIL + 4, 0 };

	tell_tasks();
	hit_stack(4156, SPIN, deep, user, 0, 0, 30);
	hit_stack(4156, COPY, read, user, PITRACE_STACK_CUT_U, 0, 20);
	hit_stack(4156, SPIN, edge, other, 0, 0, 5);
	hit_stack(4156, JAVA + 0x10, NULL, user, 0, 0, 10);
	hit_stack(4156, SPIN, far + 1, other, PITRACE_STACK_NONE_K, 0, 4);
	hit_stack(77, EVIL + 4, NULL, far, PITRACE_STACK_FAULT, 0, 6);
	/* The module is gone: the same addresses mean something else. */
	now[2] = now[0] + MS / 2;
	unmap(77, EVIL, 0x1000);
	hit_stack(77, EVIL + 4, NULL, far, 0, 0, 1);
	hit(0, 4156, 4157, JAVA + 0x200, 8, false);
	hit_stack(77, 0, far + 1, NULL, PITRACE_STACK_NONE_K | PITRACE_STACK_NONE_U, 0, 3);
	hit(0, 4156, 4157, SPIN, 3, false);
	idle(1, 10);
	close_all(NULL);
}

/* Stacks whose counts promise more than there is, or less: all are samples all the same. */
static void odd_stacks(void)
{
	static const uint64_t user[] = { JAVA + 0x10, JAVA + 0x110, 0 };

	tell_tasks();
	hit_stack(4156, JAVA + 0x10, NULL, user, 0, 0, 1);
	hit_stack(4156, JAVA + 0x10, NULL, user, 0, 8, 1);
	hit_stack(4156, JAVA + 0x10, NULL, user, 0, -4, 1);
	hit_stack(4156, JAVA + 0x10, NULL, user, 0, -8, 1);
	hit_stack(4156, JAVA + 0x10, NULL, user, 0, -28, 1);
	close_all(NULL);
}

/* Two events, each with a count of its own, and a third that never came. */
static void events(void)
{
	static const char *const names[] = { "cycles:u", "cache-misses", "never" };
	uint32_t i;

	tell_tasks();
	for (i = 0; i < 3; i++) {
		struct pitrace_event_rec e = {
			.event = i,
			.flags = i ? PITRACE_EVENT_RATE : 0,
			.period = i ? 500 : 100000,
		};

		strcpy(e.name, names[i]);
		memcpy(gen_record(&trace[0], PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT,
				  PITRACE_TYPE_STRUCT, sizeof(e), now[0]),
		       &e, sizeof(e));
	}
	for (i = 0; i < 30; i++) {
		struct pitrace_sample s = {
			.pid = 4156,
			.tid = 4156,
			.address = i % 3 ? SPIN : COPY,
			.period = 100000,
		};
		uint32_t event = i % 3 ? 1 : 2;

		now[0] += MS;
		memcpy(gen_record(&trace[0], PITRACE_TPROF,
				  PITRACE_TPROF_KERNEL | event << PITRACE_TPROF_EVENT_SHIFT,
				  PITRACE_TYPE_STRUCT, sizeof(s), now[0]),
		       &s, sizeof(s));
	}
	close_all(NULL);
}

/* An event for each way to say what of it counts, by its name or by flags, with a sample each. */
static void limits(void)
{
	static const struct {
		const char *name;
		uint32_t flags;
	} of[] = {
		{ "cycles", 0 },
		{ "cycles:u", PITRACE_EVENT_USER },
		{ "instructions", PITRACE_EVENT_KERNEL },
		{ "cpu-clock:k", 0 },
		{ "cycles:h", 0 },
		{ "cycles:uk", 0 },
		{ "cycles:pp", 0 },
		{ "cycles:upppH", 0 },
		{ "cycles:kG", 0 },
		{ "cycles:P", 0 },
		{ "branches:DeI", 0 },
		{ "cpu/event=0x3c/up", 0 },
		{ "sched:sched_switch", 0 },
		{ "page-faults:x", 0 },
	};
	struct pitrace_sample s = { .pid = 4156, .tid = 4156, .address = SPIN, .period = 1 };

	tell_tasks();
	for (uint32_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct pitrace_event_rec e = { .event = i, .flags = of[i].flags, .period = 100 };

		strcpy(e.name, of[i].name);
		memcpy(gen_record(&trace[0], PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT,
				  PITRACE_TYPE_STRUCT, sizeof(e), now[0]),
		       &e, sizeof(e));
		now[0] += MS;
		memcpy(gen_record(&trace[0], PITRACE_TPROF,
				  PITRACE_TPROF_KERNEL | (i + 1) << PITRACE_TPROF_EVENT_SHIFT,
				  PITRACE_TYPE_STRUCT, sizeof(s), now[0]),
		       &s, sizeof(s));
	}
	close_all(NULL);
}

static void no_samples(void)
{
	struct pifile_stats stats[2] = { { .cpu = 0, .online = 1 }, { .cpu = 1, .online = 1 } };

	tell_tasks();
	stats[1].stopped_by = 2;
	close_all(stats);
}

/* 10 samples at an address of a file that exists, 20 at the next one and so on. */
static void elf(const char *path, char **address)
{
	unsigned int n;

	task(PITRACE_MTE_PROCESS, 90, 90, 1, "prog");
	map(90, 0x500000, 0x100000, 0, path);
	for (n = 10; *address; n += 10)
		hit(0, 90, 90, 0x500000 + strtoull(*address++, NULL, 16), n, false);
	close_all(NULL);
}

/* Records of every kind, whole in their frames and senseless within. */
static void hostile(uint64_t seed)
{
	static const uint16_t majors[] = {
		PITRACE_TPROF,
		PITRACE_SYSINFO,
		PITRACE_MTE,
		PITRACE_SYNC,
		PITRACE_LOST,
		PITRACE_INTERRUPT,
		0xB0,
		0xFF,
		PITRACE_DISPATCH,
		PITRACE_WAKEUP,
		PITRACE_SYSCALL,
		PITRACE_FAULT,
		PITRACE_BRANCH_USER,
		PITRACE_BRANCH_KERNEL,
		PITRACE_BREAK_USER,
		PITRACE_BREAK_KERNEL,
		PITRACE_ITRACE_SWITCH,
		PITRACE_ITRACE_START,
		PITRACE_ITRACE_STOP,
		PITRACE_LOAD_STORE,
		PITRACE_CODE,
	};
	static const uint32_t minors[] = {
		0x01, 0x02, 0x20, 0x23, 0x34,  0x40, 0x63, 0x64, 0x65,       0x66,       0x67,
		0x78, 0x79, 0x7A, 0xB2, 0x120, 3,    7,    0,    0xFFFFFFFF, 0x80000001, 0x80000003,
	};
	uint64_t x = seed * 2 + 1;
	unsigned int i, k;

	tell_tasks();
	for (i = 0; i < 20000; i++) {
		struct gen_ring *r = i & 1 ? &mte : &trace[0];
		uint64_t *time = i & 1 ? &now[2] : &now[0];
		uint32_t size, fill;
		uint8_t *data;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		size = (uint32_t)(x >> 33) % 26 * 4;
		fill = (uint32_t)(x >> 40) % 4;
		*time += 1000;
		data = gen_record(r, majors[(x >> 20) % 21], minors[(x >> 25) % 22],
				  x >> 60 ? 3 : x >> 58 & 3, size, *time);
		for (k = 0; k < size; k++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			data[k] = fill == 0 ? 0 : (uint8_t)(x >> (fill == 1 ? 60 : 50));
		}
	}
	hit(1, 4156, 4156, SPIN, 10, false);
	close_all(NULL);
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";

	if (argc < 3)
		goto usage;
	/* Its module is a file that is there: it ran when that had been made. */
	if (!strcmp(scene, "elf"))
		realtime = (uint64_t)(time(NULL) + 1) * SEC;
	open_all(argv[2]);
	if (!strcmp(scene, "story"))
		story();
	else if (!strcmp(scene, "clean"))
		clean();
	else if (!strcmp(scene, "times"))
		times();
	else if (!strcmp(scene, "stacks"))
		stacks();
	else if (!strcmp(scene, "odd_stacks"))
		odd_stacks();
	else if (!strcmp(scene, "limits"))
		limits();
	else if (!strcmp(scene, "events"))
		events();
	else if (!strcmp(scene, "no_samples"))
		no_samples();
	else if (!strcmp(scene, "hostile") && argc == 4)
		hostile(strtoull(argv[3], NULL, 0));
	else if (!strcmp(scene, "elf") && argc >= 5)
		elf(argv[3], argv + 4);
	else
		goto usage;
	return 0;
usage:
	fputs("usage: post_trace story|clean|times|stacks|odd_stacks|events|no_samples FILE,\n"
	      "elf FILE MODULE ADDRESS..., hostile FILE SEED\n",
	      stderr);
	return 2;
}
