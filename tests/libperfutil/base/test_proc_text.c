// SPDX-License-Identifier: GPL-3.0-or-later
/* Texts of /proc: what they say, and that no part of one is taken for the whole. */
#include <pitrace.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/proc_text.h"
#include "unit.h"

static bool path_is(const struct proc_map *m, const char *path)
{
	return m->path_len == strlen(path) && !memcmp(m->path, path, m->path_len);
}

static void test_map(void)
{
	static const char line[] = "7f00-8f00 r-xs 00001000 fe:01 1234      /lib/a b.so (deleted)";
	struct proc_map m;

	CU_ASSERT_FATAL(proc_map_parse(line, strlen(line), &m));
	CU_ASSERT(m.start == 0x7f00 && m.end == 0x8f00 && m.offset == 0x1000 && m.inode == 1234);
	CU_ASSERT(m.dev_major == 0xfe && m.dev_minor == 1);
	CU_ASSERT_EQUAL(m.flags, PITRACE_MAP_READ | PITRACE_MAP_EXEC | PITRACE_MAP_SHARED |
					 PITRACE_MAP_DELETED);
	CU_ASSERT(path_is(&m, "/lib/a b.so"));
	for (size_t n = 0; n < strlen("7f00-8f00 r-xs 00001000 fe:01 1"); n++) {
		char *cut = strndup(line, n);

		CU_ASSERT_FALSE(proc_map_parse(cut, n, &m));
		free(cut);
	}
	CU_ASSERT(proc_map_parse("1-2 r-xp 0 0:0 0", 16, &m) && path_is(&m, "//anon"));
	CU_ASSERT_EQUAL(m.flags, PITRACE_MAP_READ | PITRACE_MAP_EXEC | PITRACE_MAP_ANON);
	CU_ASSERT(proc_map_parse("1-2 --xp 9 0:0 0   [vdso]\0x", 27, &m) && path_is(&m, "[vdso]"));
	CU_ASSERT_EQUAL(m.flags, PITRACE_MAP_EXEC | PITRACE_MAP_ANON | PITRACE_MAP_VDSO);
	CU_ASSERT_EQUAL(m.offset, 0);
}

static void test_mount(void)
{
	static const char line[] = "36 35 98:5 /a\\040b /m\\134n\\04 rw,noatime - ext4 /dev/sda rw";
	struct proc_mount m;
	char text[16];

	CU_ASSERT_FATAL(proc_mount_parse(line, strlen(line), &m));
	CU_ASSERT(m.dev_major == 98 && m.dev_minor == 5);
	CU_ASSERT(proc_unescape(m.root, m.root_len, text, sizeof(text)));
	CU_ASSERT_STRING_EQUAL(text, "/a b");
	CU_ASSERT_FALSE(proc_unescape(m.root, m.root_len, text, 4));
	CU_ASSERT(proc_unescape(m.root, m.root_len, text, 5));
	/* Text that is not an octal escape stays unchanged. */
	CU_ASSERT(proc_unescape(m.point, m.point_len, text, sizeof(text)));
	CU_ASSERT_STRING_EQUAL(text, "/m\\n\\04");
	for (size_t n = 0; n <= strlen("36 35 98:5 /a\\040b "); n++) {
		char *cut = strndup(line, n);

		CU_ASSERT_FALSE(proc_mount_parse(cut, n, &m));
		free(cut);
	}
}

static void test_not_a_map(void)
{
	static const char *const lines[] = {
		"",
		"\n",
		"2-1 r-xp 0 0:0 0",
		"1-1 r-xp 0 0:0 0",
		"1-2 r--p 0 0:0 0 /a",
		"1-2 r-x 0 0:0 0 /a",
		"1-2 r-xpp 0 0:0 0 /a",
		"1 2 r-xp 0 0:0 0 /a",
		"-1-2 r-xp 0 0:0 0 /a",
		"1-2 r-xp 0 100000000:0 0 /a",
		"1-2 r-xp 0 0:0 0/a",
		"10000000000000001-2 r-xp 0 0:0 0 /a",
		"1-2 r-xp 0 0.0 0 /a",
		"1-2 r-xp 0 0:0 x /a",
	};
	struct proc_map m;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CU_ASSERT_FALSE(proc_map_parse(lines[i], strlen(lines[i]), &m));
}

static void test_task(void)
{
	static const char stat[] =
		"4711 (a) (b c) S 12 4711 4711 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 "
		"1 0 5555 6 7\n";
	struct proc_task t;

	CU_ASSERT_FATAL(proc_task_parse(stat, strlen(stat), &t));
	CU_ASSERT(t.pid == 4711 && t.ppid == 12 && t.flags == 4194560);
	CU_ASSERT_EQUAL(t.start, 5555 * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK)));
	CU_ASSERT_STRING_EQUAL(t.comm, "a) (b c");
	for (size_t n = 0; n < strlen(stat) - strlen("5555 6 7\n"); n++) {
		char *cut = strndup(stat, n);

		CU_ASSERT_FALSE(proc_task_parse(cut, n, &t));
		free(cut);
	}
	CU_ASSERT_FALSE(proc_task_parse(") 1 (", 5, &t));
	CU_ASSERT_FALSE(proc_task_parse("1 )(a", 5, &t));
}

static void test_numbers(void)
{
	static const char status[] = "Name:\tNSpid: 9\nTgid:\t7\nNSpid:\t4711\t15\t1\nNSpid:\t8\n";
	uint64_t last = 99;

	CU_ASSERT_EQUAL(proc_numbers(status, strlen(status), "NSpid:", &last), 3);
	CU_ASSERT_EQUAL(last, 1);
	CU_ASSERT_EQUAL(proc_numbers(status, strlen(status), "Tgid:", &last), 1);
	CU_ASSERT_EQUAL(last, 7);
	CU_ASSERT_EQUAL(proc_numbers(status, strlen(status), "NSsid:", &last), 0);
	CU_ASSERT_EQUAL(proc_numbers("NSpid:", 6, "NSpid:", &last), 0);
	CU_ASSERT_EQUAL(proc_numbers("NSpi", 4, "NSpid:", &last), 0);
	CU_ASSERT_EQUAL(proc_numbers("NSpid:\t99999999999999999999\n", 28, "NSpid:", &last), 0);
	CU_ASSERT_EQUAL(proc_numbers("NSpid:\t5 x 6", 13, "NSpid:", &last), 1);
	CU_ASSERT_EQUAL(last, 5);
	CU_ASSERT_EQUAL(proc_numbers(NULL, 0, "NSpid:", &last), 0);
}

static void test_own(void)
{
	FILE *f = fopen("/proc/self/stat", "r");
	struct proc_task t;
	struct proc_map m;
	char text[4096];
	unsigned int maps = 0;

	CU_ASSERT_FATAL(f && proc_task_parse(text, fread(text, 1, sizeof(text), f), &t));
	fclose(f);
	CU_ASSERT(t.pid == (uint32_t)getpid() && t.ppid == (uint32_t)getppid() && t.start);
	f = fopen("/proc/self/maps", "r");
	CU_ASSERT_FATAL(f != NULL);
	while (fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = 0;
		if (proc_map_parse(text, strlen(text), &m) && (uintptr_t)test_own >= m.start &&
		    (uintptr_t)test_own < m.end) {
			CU_ASSERT(m.inode && m.path[0] == '/' && m.flags & PITRACE_MAP_READ);
			maps++;
		}
	}
	fclose(f);
	CU_ASSERT_EQUAL(maps, 1);
}

static void test_symbol(void)
{
	static const char line[] = "ffffffffc0100000 t ext4_read\t[ext4]";
	struct proc_symbol s;

	CU_ASSERT_FATAL(proc_symbol_parse(line, strlen(line), &s));
	CU_ASSERT(s.address == 0xffffffffc0100000 && s.type == 't' && s.name_len == 9);
	CU_ASSERT(!memcmp(s.name, "ext4_read", 9));
	for (size_t n = 0; n <= strlen("ffffffffc0100000 t "); n++)
		CU_ASSERT_FALSE(proc_symbol_parse(line, n, &s));
	CU_ASSERT_FALSE(proc_symbol_parse("1 tt name", 9, &s));
}

/* A record without data has no address. */
static void test_nothing(void)
{
	struct proc_map m;
	struct proc_task t;
	struct proc_symbol s;

	CU_ASSERT_FALSE(proc_map_parse(NULL, 0, &m));
	CU_ASSERT_FALSE(proc_task_parse(NULL, 0, &t));
	CU_ASSERT_FALSE(proc_symbol_parse(NULL, 0, &s));
}

/* Every line with its path; NULL: not a line of /proc/PID/cgroup. */
static void test_cgroup(void)
{
	static const struct {
		const char *line, *path;
		bool unified;
	} cases[] = {
		{ "0::/", "/", true },
		{ "0::/user.slice/a:b.scope\n", "/user.slice/a:b.scope", true },
		{ "0::/x (deleted)\n", "/x", true },
		{ "0::/../other", "/../other", true },
		{ "4:cpu,cpuacct:/docker/1", "/docker/1", false },
		{ "1:name=systemd:/init.scope", "/init.scope", false },
		{ "10::/x", "/x", false }, /* no controllers, but not the default hierarchy */
		{ "0:cpu:/x", "/x", false },
		{ "0:: (deleted)", NULL, false },
		{ "0::x", NULL, false },
		{ "0::", NULL, false },
		{ "0:/x", NULL, false },
		{ ":cpu:/x", NULL, false },
		{ "99999999999999999999::/x", NULL, false },
	};
	static const char line[] = "4:cpu,cpuacct:/";
	struct proc_cgroup_line c;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = cases[i].path;
		bool is = proc_cgroup_parse(cases[i].line, strlen(cases[i].line), &c);

		CU_ASSERT_EQUAL_FATAL(is, path != NULL);
		CU_ASSERT_EQUAL(c.unified, cases[i].unified);
		if (path)
			CU_ASSERT(c.path_len == strlen(path) && !memcmp(c.path, path, c.path_len));
	}
	for (size_t n = 0; n < strlen(line); n++)
		CU_ASSERT_FALSE(proc_cgroup_parse(line, n, &c));
	CU_ASSERT_FALSE(proc_cgroup_parse(NULL, 0, &c));
}

static const struct unit_test tests[] = {
	{ "map", test_map },
	{ "mount", test_mount },
	{ "not_a_map", test_not_a_map },
	{ "task", test_task },
	{ "numbers", test_numbers },
	{ "own", test_own },
	{ "symbol", test_symbol },
	{ "nothing", test_nothing },
	{ "cgroup", test_cgroup },
	{ 0 },
};

int main(void)
{
	return unit_run("proc_text", tests);
}
