/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log-jita2n and log-jtnm: what the writer writes is what the reader reads, also names with tabs
 * and newlines and code of any length; every line that makes no sense costs itself alone; a full
 * disk leaves whole lines.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jitlog.h"
#include "unit.h"

static struct jitlog *l;
static struct jitlog_event e;
static struct jitlog_fault fault;

static void begin(const char *text, bool threads)
{
	int fd = memfd_create("jitlog", 0);
	const char *why;

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL_FATAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	CU_ASSERT_EQUAL_FATAL(jitlog_open(&l, fd, threads, &why), 0);
}

static bool named(const char *name)
{
	return e.name_length == strlen(name) && !memcmp(e.name, name, e.name_length);
}

static void test_lines(void)
{
	uint8_t code[8];

	begin("# time address size flags method code\n"
	      "100\t7f00\t10\tLOAD\tjava.lang.String.hashCode() I\t5548fF\n"
	      "200\t7F00\t10\tMOVE=7e00\t\n"
	      "\n"
	      "300\t7f00\t8\tUNLOAD\n"
	      "400\t1\t1\tLOAD\ta\\tb\\nc\\\\d\\x\n"
	      "500\t1\t0\tLOAD\tnothing\n",
	      false);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(e.kind == JITLOG_LOAD && e.time == 100 && e.address == 0x7f00 && e.size == 0x10);
	CU_ASSERT(named("java.lang.String.hashCode() I"));
	CU_ASSERT_EQUAL(e.line, 2);
	CU_ASSERT_EQUAL(e.offset, 38);
	CU_ASSERT_EQUAL(jitlog_code(l, code, sizeof(code)), 3);
	CU_ASSERT(code[0] == 0x55 && code[1] == 0x48 && code[2] == 0xff);
	CU_ASSERT_EQUAL(jitlog_code(l, code, 2), 2);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(e.kind == JITLOG_MOVE && e.from == 0x7e00 && e.address == 0x7f00);
	CU_ASSERT_EQUAL(jitlog_code(l, code, sizeof(code)), 0);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(e.kind == JITLOG_UNLOAD && e.time == 300 && e.size == 8 && !e.from);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(named("a\tb\nc\\dx"));
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 0);
	jitlog_fault(l, &fault);
	CU_ASSERT_PTR_NULL(fault.what);
	jitlog_close(l);
	begin("1\t7\tmain\tSTART\n2\t7\tA long name of a thread\tEND\n3\t8\t\tSTART\n", true);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(e.kind == JITLOG_START && e.time == 1 && e.tid == 7 && named("main"));
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(e.kind == JITLOG_END && named("A long name of a thread"));
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(named(""));
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 0);
	jitlog_close(l);
}

static void test_damage(void)
{
	static const struct {
		bool threads;
		const char *line, *what;
	} bad[] = {
		{ false, "x", "no time at its beginning" },
		{ false, "-1\t1\t1\tLOAD\tf", "no time at its beginning" },
		{ false, "99999999999999999999\t1\t1\tLOAD\tf", "no time at its beginning" },
		{ false, "1 1 1 LOAD f", "no time at its beginning" },
		{ false, "1", "no address after the time" },
		{ false, "1\tzz\t1\tLOAD\tf", "no address after the time" },
		{ false, "1\t1\t\tLOAD\tf", "no size after the address" },
		{ false, "1\t1\t1x\tLOAD\tf", "no size after the address" },
		{ false, "1\t1\t1\t\tf", "unknown flags, not LOAD, UNLOAD or MOVE=" },
		{ false, "1\t1\t1\tLOADED\tf", "unknown flags, not LOAD, UNLOAD or MOVE=" },
		{ false, "1\t1\t1\tMOVE=\tf", "unknown flags, not LOAD, UNLOAD or MOVE=" },
		{ false, "1\t1\t1\tMOVE=x\tf", "no old address in MOVE=" },
		{ false, "1\t1\t1\tLOAD\t", "no name after the flags" },
		{ false, "1\t1\t1\tLOAD", "no name after the flags" },
		{ false, "1\t1\t100000001\tLOAD\tf", "invalid code size" },
		{ false, "1\tffffffffffffffff\t2\tLOAD\tf", "invalid code size" },
		{ false, "1\t1\t2\tMOVE=ffffffffffffffff\t", "invalid code size" },
		{ true, "1\tx\tf\tSTART", "no thread id after the time" },
		{ true, "1\t0\tf\tSTART", "no thread id after the time" },
		{ true, "1\t4294967296\tf\tSTART", "no thread id after the time" },
		{ true, "1\t7\tf\tBEGIN", "neither START nor END after the name" },
		{ true, "1\t7\tf", "neither START nor END after the name" },
	};
	char text[200];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *good = bad[i].threads ? "9\t9\tgood\tSTART\n" : "9\t9\t9\tLOAD\tgood\n";

		snprintf(text, sizeof(text), "%s%s\nalso bad\n%s", good, bad[i].line, good);
		begin(text, bad[i].threads);
		CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
		CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
		CU_ASSERT_EQUAL(e.line, 4);
		CU_ASSERT(named("good"));
		CU_ASSERT_EQUAL(jitlog_next(l, &e), 0);
		jitlog_fault(l, &fault);
		CU_ASSERT_PTR_NOT_NULL_FATAL(fault.what);
		CU_ASSERT_STRING_EQUAL(fault.what, bad[i].what);
		CU_ASSERT_EQUAL(fault.offset, strlen(good));
		CU_ASSERT_EQUAL(fault.line, 2);
		CU_ASSERT_EQUAL(fault.lines, 2);
		jitlog_close(l);
	}
}

/* ---- the writer ------------------------------------------------------------------------------ */

static char dir[] = "/tmp/jitlog.XXXXXX", path[2][64];

static struct jitlog *opened(bool threads)
{
	const char *why;
	int fd = open(path[threads], O_RDONLY);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL_FATAL(jitlog_open(&l, fd, threads, &why), 0);
	return l;
}

static struct jitlog_writer *writer(void)
{
	struct jitlog_writer *w;

	if (!path[0][0]) {
		CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
		snprintf(path[0], sizeof(path[0]), "%s/log-jita2n_%d", dir, (int)getpid());
		snprintf(path[1], sizeof(path[1]), "%s/log-jtnm_%d", dir, (int)getpid());
	}
	CU_ASSERT_EQUAL_FATAL(jitlog_create(&w, dir), 0);
	return w;
}

static void test_round(void)
{
	static const uint8_t code[40000] = { 0x55, 0xaa };
	uint8_t back[40000];
	struct jitlog_writer *w = writer();
	uint64_t time = 0;
	struct stat st;

	CU_ASSERT_EQUAL(jitlog_load(w, "a\tb\\n\nc", 0x7f00, 2, code), 0);
	CU_ASSERT_EQUAL(jitlog_load(w, "long", 0x8000, sizeof(code), code), 0);
	CU_ASSERT_EQUAL(jitlog_load(w, "none", 0x9000, 5, NULL), 0);
	CU_ASSERT_EQUAL(jitlog_move(w, 0x7f00, 0x6000, 2), 0);
	CU_ASSERT_EQUAL(jitlog_unload(w, 0x6000, 2), 0);
	CU_ASSERT_EQUAL(jitlog_load(w, "huge", 0x8000, 1ull << 40, NULL), -EMSGSIZE);
	CU_ASSERT_EQUAL(jitlog_thread(w, 12, "a\tname", true), 0);
	CU_ASSERT_EQUAL(jitlog_thread(w, 12, "a\tname", false), 0);
	CU_ASSERT_EQUAL(jitlog_end(w), 0);
	CU_ASSERT(!stat(path[0], &st) && (st.st_mode & 0777) == 0600);
	opened(false);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(named("a\tb\\n\nc") && e.address == 0x7f00 && e.size == 2 && e.time);
	time = e.time;
	CU_ASSERT_EQUAL(jitlog_code(l, back, sizeof(back)), 2);
	CU_ASSERT(!memcmp(back, code, 2));
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(named("long") && e.size == sizeof(code) && e.time >= time);
	/* A line has so much room. */
	CU_ASSERT(jitlog_code(l, back, sizeof(back)) > 16000 && !memcmp(back, code, 16000));
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(named("none"));
	CU_ASSERT_EQUAL(jitlog_code(l, back, sizeof(back)), 0);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(e.kind == JITLOG_MOVE && e.from == 0x7f00 && e.address == 0x6000);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(e.kind == JITLOG_UNLOAD && e.address == 0x6000);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 0);
	jitlog_fault(l, &fault);
	CU_ASSERT(!fault.what && !fault.unfinished);
	jitlog_close(l);
	opened(true);
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(e.kind == JITLOG_START && e.tid == 12 && named("a\tname"));
	CU_ASSERT_EQUAL(jitlog_next(l, &e), 1);
	CU_ASSERT(e.kind == JITLOG_END);
	jitlog_close(l);
}

static void *write_many(void *arg)
{
	char name[64];

	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		if (jitlog_load(arg, name, 0x1000 + (uint64_t)i, 16, name))
			return arg;
	}
	return NULL;
}

static void test_threads(void)
{
	struct jitlog_writer *w = writer();
	pthread_t thread[4];
	uint64_t last = 0;
	int n = 0;

	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, write_many, w), 0);
	for (int i = 0; i < 4; i++) {
		void *failed;

		pthread_join(thread[i], &failed);
		CU_ASSERT_PTR_NULL(failed);
	}
	CU_ASSERT_EQUAL(jitlog_end(w), 0);
	opened(false);
	for (; jitlog_next(l, &e) > 0; n++) {
		CU_ASSERT(e.time >= last);
		last = e.time;
	}
	CU_ASSERT_EQUAL(n, 8000);
	jitlog_fault(l, &fault);
	CU_ASSERT(!fault.what && !fault.unfinished);
	jitlog_close(l);
}

/* No room: what is there is whole, and the next line that fits is again. */
static void test_full(void)
{
	struct jitlog_writer *w = writer();
	struct rlimit old, small;
	char name[2000];
	int n = 0, failed = 0;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 5000;
	setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 5; i++)
		failed += jitlog_load(w, name, 0x1000, 1, NULL) != 0;
	CU_ASSERT_EQUAL(jitlog_load(w, "small", 0x1000, 1, NULL), 0);
	setrlimit(RLIMIT_FSIZE, &old);
	CU_ASSERT_EQUAL(failed, 3);
	CU_ASSERT_EQUAL(jitlog_end(w), 0);
	opened(false);
	while (jitlog_next(l, &e) > 0)
		n++;
	CU_ASSERT_EQUAL(n, 3);
	CU_ASSERT(named("small"));
	jitlog_fault(l, &fault);
	CU_ASSERT(!fault.what && !fault.unfinished);
	jitlog_close(l);
	CU_ASSERT_EQUAL(jitlog_create(&w, "/nowhere"), -ENOENT);
	CU_ASSERT_PTR_NULL(w);
	unlink(path[0]);
	unlink(path[1]);
	rmdir(dir);
}

/* The other one is not there, and what belongs into it is refused. */
static void test_one(void)
{
	struct jitlog_writer *w = writer();

	CU_ASSERT_EQUAL(jitlog_end(w), 0);
	for (int threads = 0; threads < 2; threads++) {
		unlink(path[0]);
		unlink(path[1]);
		CU_ASSERT_EQUAL_FATAL(jitlog_create_files(&w, dir,
							  threads ? JITLOG_THREADS : JITLOG_CODE),
				      0);
		CU_ASSERT_EQUAL(jitlog_load(w, "f", 0x1000, 1, NULL), threads ? -EINVAL : 0);
		CU_ASSERT_EQUAL(jitlog_move(w, 0x1000, 0x2000, 1), threads ? -EINVAL : 0);
		CU_ASSERT_EQUAL(jitlog_unload(w, 0x2000, 1), threads ? -EINVAL : 0);
		CU_ASSERT_EQUAL(jitlog_thread(w, 12, "t", true), threads ? 0 : -EINVAL);
		CU_ASSERT_EQUAL(jitlog_end(w), 0);
		CU_ASSERT_EQUAL(access(path[threads], F_OK), 0);
		CU_ASSERT_NOT_EQUAL(access(path[!threads], F_OK), 0);
	}
	CU_ASSERT_EQUAL(jitlog_create_files(&w, dir, 0), -EINVAL);
	CU_ASSERT_EQUAL(jitlog_create_files(&w, dir, 4), -EINVAL);
	CU_ASSERT_PTR_NULL(w);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "lines", test_lines }, { "damage", test_damage },
		{ "round", test_round }, { "threads", test_threads },
		{ "one", test_one },     { "full", test_full },
		{ NULL, NULL },
	};

	return unit_run("jitlog", tests);
}
