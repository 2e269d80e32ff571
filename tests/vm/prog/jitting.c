/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jitting move|raw|reuse|silent|map|renew|log|hook|child MS: a program that makes code while it
 * runs and tells of it in a jitdump. What ran how long by this process's own CPU clock goes to
 * stdout: NAME NANOSECONDS [LINE], the line as told of jitting.src.
 *  move    f_old at A, f_new over it, f_new moved to B, then code at A that nobody is told of: MS,
 *          MS, MS and half of it
 *  raw     the same (x86), its times those of the processor's own clock
 *  reuse   many functions at overlapping addresses, each for a part of MS
 *  silent  code that nobody is told of
 *  map     in a perf map: m_one at A, m_two over it, m_one at B, each MS
 *  renew   in perf maps, each in the other's place: m_one at A; m_two over it, its map renamed to
 *          the first one's name; m_three at B, its map made anew after the second was unlinked
 *  log     in a log-jita2n: f_old at A, given up and run all the same, f_new there, moved to B;
 *          in a thread that log-jtnm calls "a thread of many words": MS each
 *  hook    the same in records of the trace (TraceJitLoad …)
 *  child   in a perf map too; a child of fork runs it
 */
#include <errno.h>
#include <jitdump.h>
#include <jitlog.h>
#include <perfutil.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Counts its argument down. */
#if defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
static const uint32_t code[] = { 0xd1000400, 0xb5ffffe0, 0xd65f03c0 };
#elif defined(__powerpc64__)
static const uint32_t code[] = { 0x7c6903a6, 0x42000000, 0x4e800020 };
#elif defined(__s390x__)
static const uint8_t code[] = { 0xa7, 0x27, 0x00, 0x00, 0x07, 0xfe };
#endif

#define AREA  (64u * 1024)
#define LOOPS 200000

static struct jitdump_writer *dump;
static uint8_t *area;
static unsigned int line; /* of the source, of what runs; 0: not told */

static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "jitting: %s: %s\n", what, strerror(-err));
	exit(1);
}

/* The function again and again, some time of ours between. */
static void run(const void *function, uint64_t ns, const char *name)
{
	void (*f)(long);
	uint64_t start = cpu_time(), now;

#if defined(__powerpc64__) && _CALL_ELF != 2
#error "function descriptors are not made here"
#endif
	memcpy(&f, &function, sizeof(f));
	do {
		f(LOOPS);
		now = cpu_time();
	} while (now - start < ns);
	printf("%s %llu", name, (unsigned long long)(now - start));
	if (line)
		printf(" %u", line);
	putchar('\n');
}

static void put(uint8_t *at)
{
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code));
}

/* All of it is of this line, what would follow of the next. */
static void announce(const char *name, const uint8_t *at, size_t size, uint64_t *index)
{
	const struct jitdump_line lines[] = {
		{ (uintptr_t)at, line, 0, "/src/jitting.src" },
		{ (uintptr_t)at + sizeof(code), line + 1, 0, "/src/jitting.src" },
	};

	check(jitdump_load(dump, name, (uintptr_t)at, size, at, lines, line ? 2 : 0, index), name);
}

#if defined(__x86_64__)
/* The writer's times are CLOCK_MONOTONIC's: what the processor's clock said then is put there. */
static uint64_t stamp[8];

static void stamped(unsigned int i)
{
	stamp[i] = __builtin_ia32_rdtsc();
}

static void make_raw(const char *path)
{
	/* Line table and LOAD, twice; MOVE; CLOSE. */
	static const unsigned int of[] = { 0, 0, 1, 1, 2, 3 };
	uint64_t at = 40, flags = 1;
	uint32_t size, i;
	FILE *f = fopen(path, "r+e");

	check(f ? 0 : -errno, path);
	check(fseek(f, 32, SEEK_SET) || fwrite(&flags, 8, 1, f) != 1 ? -EIO : 0, "flags");
	for (i = 0; i < 6; i++) {
		check(fseek(f, (long)at + 4, SEEK_SET) || fread(&size, 4, 1, f) != 1 ||
				      fseek(f, (long)at + 8, SEEK_SET) ||
				      fwrite(&stamp[of[i]], 8, 1, f) != 1 ?
			      -EIO :
			      0,
		      "time");
		at += size;
	}
	check(fclose(f) ? -errno : 0, path);
}
#else
static void stamped(unsigned int i)
{
	(void)i;
}

static void make_raw(const char *path)
{
	fprintf(stderr, "jitting: %s: no such clock here\n", path);
	exit(2);
}
#endif

static void move(uint64_t ns)
{
	uint8_t *a = area, *b = area + 4096;
	uint64_t index;

	put(a);
	line = 10;
	stamped(0);
	announce("f_old", a, 64, NULL);
	run(a, ns, "f_old");
	put(a);
	line = 20;
	stamped(1);
	announce("f_new", a, 64, &index);
	run(a, ns, "f_new");
	put(b);
	stamped(2);
	check(jitdump_move(dump, index, (uintptr_t)a, (uintptr_t)b, 64), "move");
	run(b, ns, "f_new");
	put(a);
	line = 0;
	run(a, ns / 2, "-");
	stamped(3);
}

/* Each at a place of its own that overlaps others'. */
static void reuse(uint64_t ns)
{
	unsigned int i, seed = 1;
	char name[16];

	for (i = 0; i < 60; i++) {
		uint8_t *at;

		seed = seed * 1103515245 + 12345;
		at = area + (seed >> 16) % 32 * 64;
		put(at);
		snprintf(name, sizeof(name), "gen%u", i % 12);
		line = 100 + i;
		announce(name, at, 64 + (seed >> 22) % 16 * 16, NULL);
		run(at, ns / 60 * (1 + i % 12) / 6, name);
	}
}

/* ---- the same in a perf map ------------------------------------------------------------------ */

static FILE *perfmap;

static void open_map_as(const char *end)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map%s", (int)getpid(), end);
	perfmap = fopen(path, "we");
	check(perfmap ? 0 : -errno, path);
	/* Some programs write such lines. */
	fprintf(perfmap, "no line of a map\n");
}

static void open_map(void)
{
	open_map_as("");
}

static void list(const char *name, const uint8_t *at)
{
	fprintf(perfmap, "%lx %x %s\n", (unsigned long)(uintptr_t)at, 64, name);
	check(fflush(perfmap) ? -errno : 0, name);
}

static void mapped(uint64_t ns)
{
	uint8_t *a = area, *b = area + 4096;

	open_map();
	put(a);
	list("m_one", a);
	run(a, ns, "m_one");
	put(a);
	list("m_two", a);
	run(a, ns, "m_two");
	put(b);
	list("m_one", b);
	run(b, ns, "m_one");
	check(fclose(perfmap) ? -errno : 0, "map");
}

static void renewed(uint64_t ns)
{
	uint8_t *a = area, *b = area + 4096;
	char path[64], next[80];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	snprintf(next, sizeof(next), "%s.new", path);
	open_map();
	put(a);
	list("m_one", a);
	run(a, ns, "m_one");
	check(fclose(perfmap) ? -errno : 0, "map");
	put(a);
	open_map_as(".new");
	list("m_two", a);
	check(rename(next, path) ? -errno : 0, "rename");
	run(a, ns, "m_two");
	check(fclose(perfmap) ? -errno : 0, "map");
	check(unlink(path) ? -errno : 0, "unlink");
	put(b);
	open_map();
	list("m_three", b);
	run(b, ns, "m_three");
	check(fclose(perfmap) ? -errno : 0, "map");
}

static void child(uint64_t ns)
{
	pid_t pid;

	open_map();
	put(area);
	list("c_one", area);
	run(area, ns, "c_one");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		run(area, ns, "c_one");
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* ---- in logs --------------------------------------------------------------------------------- */

static struct jitlog_writer *logs;

/* In logs, or in records. */
static void told_load(const char *name, uint8_t *at)
{
	if (logs)
		check(jitlog_load(logs, name, (uintptr_t)at, 64, at), name);
	else
		check(TraceJitLoad(name, (uintptr_t)at, 64), name);
}

static void told_unload(uint8_t *at)
{
	if (logs)
		check(jitlog_unload(logs, (uintptr_t)at, 64), "unload");
	else
		check(TraceJitUnload((uintptr_t)at, 64), "unload");
}

static void told_move(uint8_t *from, uint8_t *to)
{
	if (logs)
		check(jitlog_move(logs, (uintptr_t)from, (uintptr_t)to, 64), "move");
	else
		check(TraceJitMove((uintptr_t)from, (uintptr_t)to, 64), "move");
}

static void *in_thread(void *arg)
{
	static const char name[] = "a thread of many words";
	uint64_t ns = *(uint64_t *)arg;
	uint8_t *a = area, *b = area + 4096;

	if (logs)
		check(jitlog_thread(logs, (uint32_t)gettid(), name, true), "thread");
	else
		check(TraceThreadName(name), "thread");
	put(a);
	told_load("f_old", a);
	run(a, ns, "f_old");
	told_unload(a);
	run(a, ns, "JitFreed");
	put(a);
	told_load("f_new", a);
	run(a, ns, "f_new");
	put(b);
	told_move(a, b);
	run(b, ns, "f_new");
	return NULL;
}

static void with_thread(uint64_t ns)
{
	pthread_t thread;

	check(-pthread_create(&thread, NULL, in_thread, &ns), "thread");
	pthread_join(thread, NULL);
}

static void in_logs(uint64_t ns)
{
	check(jitlog_create(&logs, NULL), "log");
	with_thread(ns);
	check(jitlog_end(logs), "end");
}

int main(int argc, char **argv)
{
	char path[4096];
	uint64_t ns;
	bool raw;

	if (argc != 3)
		return 2;
	ns = strtoull(argv[2], NULL, 10) * 1000000;
	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (area == MAP_FAILED)
		return 1;
	if (!strcmp(argv[1], "silent")) {
		put(area);
		run(area, ns, "-");
		return 0;
	}
	if (!strcmp(argv[1], "map")) {
		mapped(ns);
		return 0;
	}
	if (!strcmp(argv[1], "renew")) {
		renewed(ns);
		return 0;
	}
	if (!strcmp(argv[1], "log")) {
		in_logs(ns);
		return 0;
	}
	if (!strcmp(argv[1], "hook")) {
		with_thread(ns);
		return 0;
	}
	if (!strcmp(argv[1], "child")) {
		child(ns);
		return 0;
	}
	check(jitdump_create(&dump, NULL), "jitdump");
	raw = !strcmp(argv[1], "raw");
	if (raw || !strcmp(argv[1], "move"))
		move(ns);
	else
		reuse(ns);
	snprintf(path, sizeof(path), "%s", jitdump_path(dump));
	check(jitdump_end(dump), "end");
	if (raw)
		make_raw(path);
	return 0;
}
