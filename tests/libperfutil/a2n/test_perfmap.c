/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf maps: every oddity of a line, files that grow, are cut, are not what they should be; then
 * what liba2n makes of them: names that hold for as long as nothing says otherwise, and are unsure
 * where two codes, or two memories, may have been meant.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a2n.h"
#include "perfmap.h"
#include "unit.h"

static struct perfmap *m;
static struct perfmap_entry e;
static struct perfmap_fault fault;

static int file_of(const char *text)
{
	int fd = memfd_create("perfmap", 0);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL_FATAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	return fd;
}

static void begin(const char *text)
{
	const char *why;

	CU_ASSERT_EQUAL_FATAL(perfmap_open_fd(&m, file_of(text), &why), 0);
}

static bool next(const char *name, uint64_t address, uint64_t size)
{
	return perfmap_next(m, &e) == 1 && e.address == address && e.size == size &&
	       e.name_length == strlen(name) && !memcmp(e.name, name, e.name_length);
}

static void end(const char *what, uint64_t line, uint64_t lines)
{
	CU_ASSERT_EQUAL(perfmap_next(m, &e), 0);
	perfmap_fault(m, &fault);
	if (what)
		CU_ASSERT_PTR_NOT_NULL_FATAL(fault.what);
	if (what)
		CU_ASSERT_STRING_EQUAL(fault.what, what);
	CU_ASSERT_EQUAL(fault.line, line);
	CU_ASSERT_EQUAL(fault.lines, lines);
	perfmap_close(m);
	m = NULL;
}

static void test_lines(void)
{
	begin("7f00 10 f\n"
	      "0x7F10 0X20 LazyCompile:~name with spaces /a b.js:1:2\n"
	      "\n"
	      " 7f40\t8  g  \r\n"
	      "ffffffffffffff00 ff \xc3\xa9\n");
	CU_ASSERT(next("f", 0x7f00, 0x10));
	CU_ASSERT_EQUAL(e.offset, 0);
	CU_ASSERT_EQUAL(e.line, 1);
	CU_ASSERT(next("LazyCompile:~name with spaces /a b.js:1:2", 0x7f10, 0x20));
	CU_ASSERT_EQUAL(e.offset, 10);
	CU_ASSERT(next("g", 0x7f40, 8));
	CU_ASSERT_EQUAL(e.line, 4);
	CU_ASSERT(next("\xc3\xa9", 0xffffffffffffff00, 0xff));
	end(NULL, 0, 0);
}

/* Each malformed line is skipped, and the first one is reported. */
static void test_damage(void)
{
	static const struct {
		const char *line, *what;
	} bad[] = {
		{ "7f00", "no address at its beginning" },
		{ "10000000000000000 1 f", "no address at its beginning" },
		{ "0x 1 f", "no address at its beginning" },
		{ "7f00g 1 f", "no address at its beginning" },
		{ "7f00 f", "no size after the address" },
		{ "7f00 -1 f", "no size after the address" },
		{ "7f00 1x f", "no size after the address" },
		{ "7f00 100000001 f", "invalid code size" },
		{ "fffffffffffffff0 20 f", "invalid code size" },
		{ "7f00 1 ", "no name after the size" },
		{ "7f00 1  \r", "no name after the size" },
	};
	char text[200];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "1 1 a\n%s\nalso bad\n2 1 b\n", bad[i].line);
		begin(text);
		CU_ASSERT(next("a", 1, 1));
		CU_ASSERT(next("b", 2, 1));
		CU_ASSERT_EQUAL(perfmap_next(m, &e), 0);
		perfmap_fault(m, &fault);
		CU_ASSERT_EQUAL(fault.offset, 6);
		end(bad[i].what, 2, 2);
	}
	/* Behind an entry it may be the rest of a name with newlines; nowhere else. */
	begin("x\n1 1 a\n2 1 b\nc /x.js:1:2\n\r\n \n7 eleven\nno hex\n3 1 c\r\n\r\n7f00 x\nbehind it\n");
	CU_ASSERT(next("a", 1, 1));
	CU_ASSERT(next("b", 2, 1));
	CU_ASSERT(next("c", 3, 1));
	end("no address at its beginning", 1, 3);
	/* A symbol of size 0 is ignored, and not a fault. */
	begin("1 0 nothing\n2 1 b\n");
	CU_ASSERT(next("b", 2, 1));
	end(NULL, 0, 0);
	CU_ASSERT_EQUAL(perfmap_open_text(&m, "1 1 a\0b\n3 1 c\n", 14), 0);
	CU_ASSERT(next("c", 3, 1));
	end("a name with a NUL in it", 1, 1);
}

/* Every prefix of a file: whole lines, never half of one. */
static void test_cut(void)
{
	static const char text[] = "10 8 first one\n20 8 second\n30 8 third\n";

	for (size_t n = 0; n < sizeof(text); n++) {
		unsigned int whole = 0, got = 0;
		size_t from = 0;

		for (size_t i = 0; i < n; i++)
			if (text[i] == '\n') {
				whole++;
				from = i + 1;
			}
		CU_ASSERT_EQUAL_FATAL(perfmap_open_text(&m, text, n), 0);
		while (perfmap_next(m, &e) > 0)
			got++;
		CU_ASSERT_EQUAL(got, whole);
		perfmap_fault(m, &fault);
		CU_ASSERT_EQUAL(fault.unfinished, n - from);
		CU_ASSERT_PTR_NULL(fault.what);
		perfmap_close(m);
	}
}

/* Its program is still at it; then it begins anew with less. */
static void test_grows(void)
{
	const char *why;
	int fd = file_of("10 8 a\n20 8 b");

	CU_ASSERT_EQUAL_FATAL(perfmap_open_fd(&m, dup(fd), &why), 0);
	CU_ASSERT(next("a", 0x10, 8));
	CU_ASSERT_EQUAL(perfmap_next(m, &e), 0);
	perfmap_fault(m, &fault);
	CU_ASSERT_EQUAL(fault.unfinished, 6);
	CU_ASSERT_EQUAL(write(fd, "cd\n30 8 e\n", 10), 10);
	CU_ASSERT(next("bcd", 0x20, 8));
	CU_ASSERT_EQUAL(e.offset, 7);
	CU_ASSERT(next("e", 0x30, 8));
	CU_ASSERT_EQUAL(ftruncate(fd, 3), 0);
	CU_ASSERT_EQUAL(perfmap_next(m, &e), 0);
	perfmap_close(m);
	close(fd);
}

/* Lines longer than anybody's, at each place in the window; names are cut, lines behind them are
 * read. */
static void test_long(void)
{
	for (size_t n = 32700; n < 140000; n += n < 32800 || n > 131000 ? 7 : 9000) {
		char *text = malloc(n + 100);
		size_t at = (size_t)sprintf(text, "10 8 a\n20 8 ");

		memset(text + at, 'x', n);
		strcpy(text + at + n, "\n30 8 b\n40 8 c\n");
		begin(text);
		CU_ASSERT(next("a", 0x10, 8));
		CU_ASSERT_EQUAL(perfmap_next(m, &e), 1);
		CU_ASSERT_EQUAL(e.address, 0x20);
		CU_ASSERT_EQUAL(e.name_length, n + 5 < 32768 ? n : 32768 - 5);
		CU_ASSERT(next("b", 0x30, 8));
		CU_ASSERT_EQUAL(e.line, 3);
		CU_ASSERT_EQUAL(e.offset, 7 + 5 + n + 1);
		CU_ASSERT(next("c", 0x40, 8));
		end(NULL, 0, 0);
		free(text);
	}
}

static void test_whose(void)
{
	char dir[] = "/tmp/perfmap.XXXXXX", path[100], link[100];
	const char *why;
	int fd;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/perf-1.map", dir);
	snprintf(link, sizeof(link), "%s/perf-2.map", dir);
	CU_ASSERT_EQUAL(perfmap_open(&m, path, getuid(), &why), -ENOENT);
	CU_ASSERT_PTR_NULL(m);
	CU_ASSERT_STRING_EQUAL(why, "it is not there");
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	CU_ASSERT_EQUAL(write(fd, "1 1 a\n", 6), 6);
	close(fd);
	CU_ASSERT_EQUAL_FATAL(perfmap_open(&m, path, getuid(), &why), 0);
	CU_ASSERT(next("a", 1, 1));
	end(NULL, 0, 0);
	CU_ASSERT_EQUAL(symlink(path, link), 0);
	CU_ASSERT_EQUAL(perfmap_open(&m, link, getuid(), &why), -ELOOP);
	CU_ASSERT_STRING_EQUAL(why, "it is a link");
	unlink(link);
	CU_ASSERT_EQUAL(mkfifo(link, 0600), 0);
	CU_ASSERT_EQUAL(perfmap_open(&m, link, getuid(), &why), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(why, "not a regular file");
	CU_ASSERT_EQUAL(perfmap_open(&m, dir, getuid(), &why), -EBADMSG);
	/* A file of another user is refused, except root's; any file that the user named is
	 * accepted. */
	if (!getuid()) {
		CU_ASSERT_EQUAL(chown(path, 12345, 12345), 0);
		CU_ASSERT_EQUAL(perfmap_open(&m, path, 0, &why), -EPERM);
		CU_ASSERT_STRING_EQUAL(why, "it is another user's file");
		CU_ASSERT_PTR_NULL(m);
		CU_ASSERT_EQUAL(perfmap_open(&m, path, 12345, &why), 0);
		perfmap_close(m);
		CU_ASSERT_EQUAL(perfmap_open(&m, path, (uid_t)-1, &why), 0);
		perfmap_close(m);
		CU_ASSERT_EQUAL(chown(path, 0, 0), 0);
		CU_ASSERT_EQUAL(perfmap_open(&m, path, 12345, &why), 0);
		perfmap_close(m);
	}
	unlink(path);
	unlink(link);
	rmdir(dir);
	CU_ASSERT_EQUAL(perfmap_open_fd(&m, -1, &why), -EBADMSG);
}

/* ---- what they mean -------------------------------------------------------------------------- */

/* A part of a file, as a trace keeps it: its head says whose, when, where from. */
static void test_parts(void)
{
	static const char *const wrong[] = {
		"",
		"\n",
		"pid 1 since 2 until 3 offset 4 path\n",
		"pid 1 since 2 until 3 offset 4 path \n",
		"pid 1 since 2 until 3 offset 4 paths /a\n",
		"pid 1 since 2 until 3 offset 4 /a\n",
		"pid 1 since 2 until 3 path /a\n",
		"pid 1 since 2 offset 4 path /a\n",
		"pid 1 until 3 offset 4 path /a\n",
		"since 2 until 3 offset 4 path /a\n",
		"pid 4294967296 since 2 until 3 offset 4 path /a\n",
		"pid x since 2 until 3 offset 4 path /a\n",
		"pids 1 since 2 until 3 offset 4 path /a\n",
		"pid 1 since 2 until 3 offset 4 math /a\n",
	};
	static const char right[] = "pid 4294967295 since 2 until 3 offset 4 path /a b\n10 8 one\n";
	static const char nul[] = "pid 1 since 2 until 3 offset 4 path /a\0b\n10 8 one\n";
	struct perfmap_part part;
	char text[400];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CU_ASSERT_EQUAL(perfmap_open_part(&m, wrong[i], strlen(wrong[i]), &part), -EBADMSG);
	CU_ASSERT_EQUAL(perfmap_open_part(&m, nul, sizeof(nul) - 1, &part), -EBADMSG);
	CU_ASSERT_EQUAL_FATAL(perfmap_open_part(&m, right, sizeof(right) - 1, &part), 0);
	CU_ASSERT(part.pid == UINT32_MAX && part.since == 2 && part.until == 3 && part.offset == 4);
	CU_ASSERT_STRING_EQUAL(part.path, "/a b");
	CU_ASSERT(next("one", 0x10, 8));
	end(NULL, 0, 0);
	/* A path as long as there is room for, and longer. */
	for (int n = 254; n <= 257; n++) {
		int size = snprintf(text, sizeof(text),
				    "pid 1 since 2 until 3 offset 4 path %0*d\n", n, 7);
		int rc = perfmap_open_part(&m, text, (size_t)size, &part);

		CU_ASSERT_EQUAL(rc, n < 256 ? 0 : -EBADMSG);
		if (rc)
			continue;
		CU_ASSERT(strlen(part.path) == (size_t)n && part.path[n - 1] == '7');
		end(NULL, 0, 0);
	}
}

static struct a2n *a;

static void memory(uint64_t time, uint32_t pid, uint64_t start, uint64_t length, const char *path)
{
	const struct a2n_map map = { .start = start,
				     .length = length,
				     .path = path,
				     .flags = path ? 0 : A2N_MAP_ANON };

	CU_ASSERT_EQUAL(a2n_add_map(a, time, pid, &map), 0);
}

static void story(void)
{
	a = a2n_open(NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_EQUAL(a2n_process(a, 100, 1, 5), 0);
	memory(100, 1, 0x10000, 0x10000, NULL);
}

static void map(uint64_t since, uint64_t time, uint32_t pid, uint64_t address, const char *name)
{
	CU_ASSERT_EQUAL(a2n_jit_map(a, since, time, pid, address, 0x100, name, strlen(name)), 0);
}

/* "name", or "name?" where it is unsure. */
static const char *at(uint32_t pid, uint64_t time, uint64_t address)
{
	static char text[100];
	struct a2n_answer r;

	a2n_resolve(a, pid, time, address, false, &r);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r.symbol);
	snprintf(text, sizeof(text), "%s%s", r.symbol->name, r.unsure ? "?" : "");
	return text;
}

#define IS(pid, time, address, name) CU_ASSERT_STRING_EQUAL(at(pid, time, address), name)
#define NEVER                        UINT64_MAX

/* One look when all is over. */
static void test_late(void)
{
	story();
	map(0, NEVER, 1, 0x11000, "f");
	map(0, NEVER, 1, 0x12000, "old");
	map(0, NEVER, 1, 0x12080, "new");
	IS(1, 100, 0x11000, "f");
	IS(1, 100, 0x110ff, "f");
	IS(1, 100, 0x11100, A2N_JIT_UNKNOWN);
	IS(1, 1, 0x11000, A2N_NO_MODULE);
	/* Where two codes were at the same time, the name is unsure. */
	IS(1, 200, 0x1207f, "old");
	IS(1, 200, 0x12080, "new?");
	IS(1, 200, 0x120ff, "new?");
	IS(1, 200, 0x12100, "new");
	IS(1, 200, 0x1217f, "new");
	/* Outside of the program's own memory nothing is of its making. */
	map(0, NEVER, 1, 0x20000, "f");
	IS(1, 200, 0x20000, A2N_NO_MODULE);
	memory(300, 1, 0x13000, 0x1000, "/lib.so");
	map(0, NEVER, 1, 0x13000, "f");
	IS(1, 300, 0x13000, A2N_NO_SYMBOLS);
	memory(300, 1, 0x14000, 0x1000, "/memfd:doublemapper");
	map(0, NEVER, 1, 0x14000, "f");
	IS(1, 300, 0x14000, "f?");
	/* Further names that the kernel uses for mappings without a program or library file. */
	memory(300, 1, 0x15000, 0x1000, "/dev/zero (deleted)");
	memory(300, 1, 0x16000, 0x1000, "/SYSV00000000 (deleted)");
	memory(300, 1, 0x17000, 0x1000, "/anon_hugepage (deleted)");
	memory(300, 1, 0x18000, 0x1000, "/dev/zebra");
	for (uint64_t at = 0x15000; at < 0x19000; at += 0x1000)
		map(0, NEVER, 1, at, "f");
	IS(1, 300, 0x15000, "f?");
	IS(1, 300, 0x16000, "f?");
	IS(1, 300, 0x17000, "f");
	IS(1, 300, 0x18000, A2N_NO_SYMBOLS);
	a2n_close(a);
}

/* Looked at while it grew: 0, 1000, 2000, 3000. */
static void test_times(void)
{
	story();
	map(0, 1000, 1, 0x11000, "first");
	map(1000, 2000, 1, 0x11000, "second");
	map(1000, 2000, 1, 0x15000, "alone");
	map(2000, 3000, 1, 0x11080, "third");
	/* The same again says nothing new. */
	map(2000, 3000, 1, 0x15000, "alone");
	IS(1, 999, 0x11000, "first");
	IS(1, 1500, 0x11000, "second?");
	IS(1, 1500, 0x110ff, "second?");
	IS(1, 2000, 0x11000, "second");
	IS(1, 1999, 0x11080, "second?");
	IS(1, 2500, 0x1107f, "second");
	IS(1, 2500, 0x11080, "third?");
	IS(1, 2500, 0x11100, "third");
	IS(1, 3000, 0x11080, "third");
	IS(1, 999, 0x15000, A2N_JIT_UNKNOWN);
	IS(1, 1000, 0x15000, "alone");
	IS(1, 9999, 0x15000, "alone");
	a2n_close(a);
}

static void code(uint64_t since, uint64_t time, uint64_t address, uint64_t size, const char *name)
{
	CU_ASSERT_EQUAL(a2n_jit_map(a, since, time, 1, address, size, name, strlen(name)), 0);
}

/* Blobs and parts of them. */
static void test_nested(void)
{
	/* Listed together, in either order, the part is the more exact name. */
	story();
	code(0, NEVER, 0x11000, 0x40, "stub 1");
	code(0, NEVER, 0x11080, 0x40, "stub 2");
	code(0, NEVER, 0x11000, 0x200, "blob");
	code(0, NEVER, 0x12000, 0x200, "outer");
	code(0, NEVER, 0x12010, 0x10, "part 1");
	code(0, NEVER, 0x12020, 0x10, "part 2");
	IS(1, 200, 0x1103f, "stub 1");
	IS(1, 200, 0x11040, "blob");
	IS(1, 200, 0x11080, "stub 2");
	IS(1, 200, 0x110c0, "blob");
	IS(1, 200, 0x111ff, "blob");
	IS(1, 200, 0x11200, A2N_JIT_UNKNOWN);
	IS(1, 200, 0x1200f, "outer");
	IS(1, 200, 0x12010, "part 1");
	IS(1, 200, 0x1202f, "part 2");
	IS(1, 200, 0x12030, "outer");
	a2n_close(a);
	/* A single part at the blob's address may be what was there before; of two it is none. */
	for (unsigned int parts = 1; parts < 4; parts++) {
		story();
		for (unsigned int i = 0; i < parts; i++)
			code(0, NEVER, 0x11000 + 0x40 * i, 0x40, "part");
		code(0, NEVER, 0x11000, 0x200, "blob");
		IS(1, 200, 0x1103f, parts < 2 ? "blob?" : "part");
		IS(1, 200, 0x11040, parts < 2 ? "blob" : "part");
		IS(1, 200, 0x11000 + 0x40 * parts, "blob");
		a2n_close(a);
	}
	/* Others between: it may have been made anew. Only where both were it is unsure. */
	story();
	code(0, NEVER, 0x11020, 0x20, "small");
	code(0, NEVER, 0x13000, 0x20, "other");
	code(0, NEVER, 0x11000, 0x100, "large");
	code(0, NEVER, 0x12000, 0x100, "first");
	code(0, NEVER, 0x13020, 0x20, "another");
	code(0, NEVER, 0x12040, 0x20, "then");
	IS(1, 200, 0x1101f, "large");
	IS(1, 200, 0x11020, "small?");
	IS(1, 200, 0x11040, "large");
	IS(1, 200, 0x1203f, "first");
	IS(1, 200, 0x12040, "then?");
	IS(1, 200, 0x12060, "first");
	a2n_close(a);
	/* Rewritten at the same address: the later one, longer or shorter. */
	story();
	code(0, NEVER, 0x11000, 0x40, "~f");
	code(0, NEVER, 0x11000, 0x80, "*f");
	code(0, NEVER, 0x12000, 0x80, "~g");
	code(0, NEVER, 0x12000, 0x40, "*g");
	IS(1, 200, 0x11000, "*f?");
	IS(1, 200, 0x1103f, "*f?");
	IS(1, 200, 0x11040, "*f");
	IS(1, 200, 0x12000, "*g?");
	IS(1, 200, 0x12040, "~g");
	a2n_close(a);
	/* Two readings in sequence: by then the new one is there, whatever the overlap. */
	story();
	code(0, 1000, 0x11020, 0x20, "before");
	code(1000, 2000, 0x11000, 0x100, "after");
	code(2000, 3000, 0x11000, 0x100, "after");
	IS(1, 999, 0x11020, "before");
	IS(1, 1500, 0x11020, "after?");
	IS(1, 1500, 0x11040, "after");
	IS(1, 2000, 0x11020, "after");
	a2n_close(a);
}

/* A jitdump knows better, also that code was given up. */
static void test_beside(void)
{
	story();
	CU_ASSERT_EQUAL(a2n_jit_load(a, 500, 1, 0x11000, 0x100, "dumped", 6), 0);
	CU_ASSERT_EQUAL(a2n_jit_unload(a, 900, 1, 0x11000, 0x100), 0);
	map(0, NEVER, 1, 0x11000, "mapped");
	IS(1, 499, 0x11000, "mapped");
	IS(1, 500, 0x11000, "dumped");
	IS(1, 900, 0x11000, A2N_JIT_FREED);
	a2n_close(a);
}

/* Memory that was given back and had anew: which of both was meant? */
static void test_reused(void)
{
	story();
	CU_ASSERT_EQUAL(a2n_unmap(a, 500, 1, 0x11000, 0x1000), 0);
	memory(600, 1, 0x11000, 0x1000, NULL);
	map(0, 1000, 1, 0x11000, "f");
	map(0, 1000, 1, 0x12000, "g");
	IS(1, 499, 0x11000, "f?");
	IS(1, 550, 0x11000, A2N_NO_MODULE);
	IS(1, 600, 0x11000, "f?");
	IS(1, 1000, 0x11000, "f");
	IS(1, 499, 0x12000, "g");
	a2n_close(a);
}

static void test_processes(void)
{
	story();
	CU_ASSERT_EQUAL(a2n_fork(a, 200, 1, 2, 6), 0);
	CU_ASSERT_EQUAL(a2n_clone(a, 200, 1, 3, 7), 0);
	CU_ASSERT_EQUAL(a2n_process(a, 300, 3, 7), 0);
	memory(300, 3, 0x10000, 0x10000, NULL);
	CU_ASSERT_EQUAL(a2n_seen(a, 400, 1, 5), 0);
	memory(400, 1, 0x10000, 0x10000, NULL);
	map(0, 250, 1, 0x11000, "f");
	map(350, 450, 1, 0x12000, "later");
	map(0, NEVER, 3, 0x11000, "other");
	IS(1, 150, 0x11000, "f");
	IS(1, 450, 0x11000, "f");
	IS(1, 500, 0x12000, "later");
	/* A child has what its parent had, and not what came then. */
	IS(2, 250, 0x11000, "f");
	IS(2, 500, 0x12000, A2N_JIT_UNKNOWN);
	/* exec: another image. */
	IS(3, 250, 0x11000, "f");
	IS(3, 300, 0x11000, "other");
	IS(1, 500, 0x11000, "f");
	a2n_close(a);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "lines", test_lines },
		{ "damage", test_damage },
		{ "cut", test_cut },
		{ "grows", test_grows },
		{ "long", test_long },
		{ "whose", test_whose },
		{ "parts", test_parts },
		{ "late", test_late },
		{ "times", test_times },
		{ "nested", test_nested },
		{ "beside", test_beside },
		{ "reused", test_reused },
		{ "processes", test_processes },
		{ NULL, NULL },
	};

	return unit_run("perfmap", tests);
}
