/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records and sections of a trace to names: each kind, each cut, and the time of day of
 * mappings. */
#include <errno.h>
#include <inttypes.h>
#include <pifile.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "a2n.h"
#include "unit.h"

static struct a2n *a;

static void begin(void)
{
	a2n_close(a);
	a = a2n_open(NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
}

/* From a copy of just this size, for the sanitizer. */
static int feed_as(uint16_t major, uint32_t minor, uint16_t type, uint64_t time, const void *data,
		   size_t size)
{
	void *copy = malloc(size ? size : 1);
	const struct pirecord r = {
		.time = time,
		.major = major,
		.minor = minor,
		.type = type,
		.data = copy,
		.size = (uint32_t)size,
	};
	int rc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, data, size);
	rc = a2n_feed_record(a, &r);
	free(copy);
	return rc;
}

static int feed(uint32_t minor, uint64_t time, const void *data, size_t size)
{
	return feed_as(PITRACE_MTE, minor, PITRACE_TYPE_STRUCT, time, data, size);
}

static int task(uint32_t minor, uint64_t time, uint32_t pid, uint32_t tid, uint32_t ppid,
		const char *name)
{
	struct pitrace_mte_task t = { .pid = pid, .tid = tid, .ppid = ppid, .start = pid };

	memcpy(t.comm, name, strnlen(name, sizeof(t.comm)));
	return feed(minor, time, &t, sizeof(t));
}

struct mapping {
	struct pitrace_mte_map m;
	char path[512];
};

static size_t mapping(struct mapping *m, uint32_t pid, uint32_t flags, uint64_t start,
		      uint64_t length, const char *path)
{
	*m = (struct mapping){
		.m = { .pid = pid, .flags = flags, .start = start, .length = length },
	};
	snprintf(m->path, sizeof(m->path), "%s", path);
	m->m.path_len = (uint32_t)strlen(path);
	return sizeof(m->m) + (m->m.path_len / 4 + 1) * 4;
}

static int map(uint32_t minor, uint64_t time, uint32_t pid, uint32_t flags, uint64_t start,
	       uint64_t length, const char *path)
{
	struct mapping m;

	return feed(minor, time, &m, mapping(&m, pid, flags, start, length, path));
}

/* A record as programs write it, with one string (NULL: none). */
static size_t user(uint8_t to[512], uint32_t pid, uint32_t tid, unsigned int ints,
		   const uint64_t *values, const char *text)
{
	const struct pitrace_user u = {
		.pid = pid,
		.tid = tid,
		.ints = (uint16_t)ints,
		.strs = text != NULL,
	};
	uint32_t length = text ? (uint32_t)strlen(text) : 0;
	size_t at = sizeof(u);

	memcpy(to, &u, at);
	if (ints)
		memcpy(to + at, values, ints * sizeof(*values));
	at += ints * sizeof(*values);
	if (text) {
		memcpy(to + at, &length, sizeof(length));
		memcpy(to + at + sizeof(length), text, length);
		at += sizeof(length) + length;
	}
	return at;
}

static int jit(uint64_t time, uint32_t pid, uint64_t kind, uint64_t address, uint64_t size,
	       uint64_t from, const char *name)
{
	const uint64_t ints[] = { kind, address, size, from };
	uint8_t data[512];

	return feed_as(PITRACE_MTE, PITRACE_MTE_JIT, PITRACE_TYPE_MIXED, time, data,
		       user(data, pid, pid, 4, ints, name));
}

static const char *module_at(uint32_t pid, uint64_t time, uint64_t address, bool kernel)
{
	struct a2n_answer r;

	a2n_resolve(a, pid, time, address, kernel, &r);
	return r.module->name;
}

static const char *name_at(uint32_t pid, uint64_t time, uint64_t address)
{
	struct a2n_answer r;

	a2n_resolve(a, pid, time, address, false, &r);
	return r.symbol->name;
}

/* ---- what they mean -------------------------------------------------------------------------- */

static void processes(void)
{
	begin();
	CU_ASSERT_EQUAL(task(PITRACE_MTE_PROCESS, 100, 7, 7, 1, "parent"), 0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_MODULE, 110, 7, PITRACE_MAP_EXEC, 0x1000, 0x1000, "/lib"),
			0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_FORK, 200, 8, 8, 7, "child"), 0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_CLONE, 210, 9, 9, 7, "sharer"), 0);
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_UNMAP, 300,
			     &(struct pitrace_mte_unmap){ 7, 0, 0x1000, 0x1000 },
			     sizeof(struct pitrace_mte_unmap)),
			0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_PROCESS, 400, 8, 8, 7, "other"), 0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_THREAD, 410, 8, 80, 0, ""), 0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 420, 8, 80, 0, "worker"), 0);
	CU_ASSERT_STRING_EQUAL(module_at(7, 150, 0x1800, false), "/lib");
	CU_ASSERT_STRING_EQUAL(module_at(7, 350, 0x1800, false), A2N_NO_MODULE);
	/* A copy keeps what its parent unmaps, who shares it does not, an exec nothing. */
	CU_ASSERT_STRING_EQUAL(module_at(8, 350, 0x1800, false), "/lib");
	CU_ASSERT_STRING_EQUAL(module_at(9, 250, 0x1800, false), "/lib");
	CU_ASSERT_STRING_EQUAL(module_at(9, 350, 0x1800, false), A2N_NO_MODULE);
	CU_ASSERT_STRING_EQUAL(module_at(8, 450, 0x1800, false), A2N_NO_MODULE);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 8, 250), "child");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 8, 425), "other");
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 8, 80, 450), "worker");
	/* A thread without a name of its own has its process's, and a later one does not change
	 * it. */
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 8, 80, 415), "other");
	CU_ASSERT_EQUAL(task(PITRACE_MTE_THREAD, 430, 8, 81, 0, ""), 0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 440, 8, 8, 0, "renamed"), 0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 8, 81, 450), "other");
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 8, 82, 450), A2N_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 8, 439), "other");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 8, 440), "renamed");
	/* A pid is used again after its owner's end. */
	CU_ASSERT_EQUAL(task(PITRACE_MTE_THREAD_EXIT, 500, 8, 80, 0, ""), 0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_PROCESS_EXIT, 500, 8, 8, 0, ""), 0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_FORK, 600, 8, 8, 7, "second"), 0);
	CU_ASSERT_NOT_EQUAL(a2n_process_serial(a, 8, 450), a2n_process_serial(a, 8, 650));
}

static void a_name_without_an_end(void)
{
	begin();
	CU_ASSERT_EQUAL(task(PITRACE_MTE_PROCESS, 100, 7, 7, 1, "0123456789abcdefghi"), 0);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 7, 100), "0123456789abcdef");
}

static void walks(void)
{
	struct pitrace_mte_task t = { .pid = 7, .tid = 7, .flags = PITRACE_TASK_WALK };

	begin();
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_PROCESS, 100, &t, sizeof(t)), 0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_MODULE, 100, 7, PITRACE_MAP_EXEC | PITRACE_MAP_WALK, 0x1000,
			    0x1000, "/lib"),
			0);
	CU_ASSERT_STRING_EQUAL(module_at(7, 50, 0x1800, false), "/lib");
}

static void code(void)
{
	begin();
	CU_ASSERT_EQUAL(task(PITRACE_MTE_PROCESS, 100, 7, 7, 1, "java"), 0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_MODULE, 100, 7, PITRACE_MAP_EXEC | PITRACE_MAP_ANON, 0x1000,
			    0x9000, "//anon"),
			0);
	CU_ASSERT_EQUAL(jit(200, 7, PITRACE_JIT_LOAD, 0x1100, 0x100, 0, "made"), 0);
	CU_ASSERT_EQUAL(jit(300, 7, PITRACE_JIT_MOVE, 0x2100, 0x100, 0x1100, NULL), 0);
	CU_ASSERT_EQUAL(jit(400, 7, PITRACE_JIT_UNLOAD, 0x2100, 0x100, 0, NULL), 0);
	/* Others say nothing of code. */
	CU_ASSERT_EQUAL(jit(400, 7, PITRACE_JIT_ITRACE, 0x3100, 1, 0, "nothing"), 0);
	CU_ASSERT_EQUAL(jit(400, 7, 99, 0x3100, 0x100, 0, "nothing"), 0);
	CU_ASSERT_EQUAL(jit(400, 7, PITRACE_JIT_LOAD, 0x4100, 0x100, 0, NULL), 0);
	CU_ASSERT_STRING_EQUAL(name_at(7, 250, 0x1180), "made");
	CU_ASSERT_STRING_EQUAL(name_at(7, 350, 0x2180), "made");
	CU_ASSERT_STRING_EQUAL(name_at(7, 350, 0x1180), A2N_JIT_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(name_at(7, 450, 0x2180), A2N_JIT_FREED);
	CU_ASSERT_STRING_EQUAL(name_at(7, 450, 0x3180), A2N_JIT_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(name_at(7, 450, 0x4180), A2N_JIT_UNKNOWN);
}

static void thread_names(void)
{
	uint8_t data[512];

	begin();
	CU_ASSERT_EQUAL(task(PITRACE_MTE_PROCESS, 100, 7, 7, 1, "java"), 0);
	CU_ASSERT_EQUAL(feed_as(PITRACE_MTE, PITRACE_MTE_JAVA_THREAD, PITRACE_TYPE_MIXED, 200, data,
				user(data, 7, 70, 0, NULL, "Finalizer")),
			0);
	/* A main thread's is its process's, which comes from the kernel. */
	CU_ASSERT_EQUAL(feed_as(PITRACE_MTE, PITRACE_MTE_JAVA_THREAD, PITRACE_TYPE_MIXED, 200, data,
				user(data, 7, 7, 0, NULL, "main")),
			0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 250), "Finalizer");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 7, 250), "java");
	/* The kernel's 15 bytes of it say nothing new, wherever they come; others do. */
	CU_ASSERT_EQUAL(feed_as(PITRACE_MTE, PITRACE_MTE_JAVA_THREAD, PITRACE_TYPE_MIXED, 300, data,
				user(data, 7, 70, 0, NULL, "worker with a long name")),
			0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 310, 7, 70, 0, "worker with a l"), 0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 350), "worker with a long name");
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 360, 7, 70, 0, "worker ..g name"), 0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 365), "worker with a long name");
	CU_ASSERT_EQUAL(task(PITRACE_MTE_THREAD, 370, 7, 70, 0, "worker with a l"), 0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 375), "worker with a long name");
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 380, 7, 70, 0, "worker with"), 0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 390), "worker with");
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 400, 7, 70, 0, "worker with a x"), 0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 410), "worker with a x");
	/* A VM gives the kernel a character beyond U+FFFF as two surrogates, whole or cut. */
	CU_ASSERT_EQUAL(feed_as(PITRACE_MTE, PITRACE_MTE_JAVA_THREAD, PITRACE_TYPE_MIXED, 420, data,
				user(data, 7, 70, 0, NULL, "w\xf0\x9f\x98\x80")),
			0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 430, 7, 70, 0, "w\xed\xa0\xbd\xed\xb8\x80"), 0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 440), "w\xf0\x9f\x98\x80");
	CU_ASSERT_EQUAL(feed_as(PITRACE_MTE, PITRACE_MTE_JAVA_THREAD, PITRACE_TYPE_MIXED, 450, data,
				user(data, 7, 70, 0, NULL, "worker\xf0\x9f\x98\x80 of many")),
			0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 460, 7, 70, 0, "worker\xed\xa0\xbd\xed\xb8\x80 of"),
			0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 470), "worker\xf0\x9f\x98\x80 of many");
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 480, 7, 70, 0, "worker\xed..f many"), 0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 490), "worker\xf0\x9f\x98\x80 of many");
	CU_ASSERT_EQUAL(task(PITRACE_MTE_NAME, 500, 7, 70, 0, "worker\xed\xa0\xbd\xed\xb8\x81 of"),
			0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 7, 70, 510), "worker\xed\xa0\xbd\xed\xb8\x81 of");
}

#define KERNEL 0xFFFFFFFF80000000

static void kernel(void)
{
	static const char symbols[] = "ffffffff81000000 T _text\nffffffff81000100 T one\n"
				      "ffffffff81000200 T two\n";

	begin();
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_KALLSYMS, symbols, sizeof(symbols) - 1), 0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_MODULE, 100, 0, PITRACE_MAP_KERNEL, KERNEL + 0x40000000,
			    0x1000, "ext4"),
			0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_MODULE, 100, 0, PITRACE_MAP_KERNEL | PITRACE_MAP_SYMBOL,
			    KERNEL + 0x50000000, 0x100, "bpf_prog_1"),
			0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_UNLOAD, 200, 0, PITRACE_MAP_KERNEL, KERNEL + 0x40000000,
			    0x1000, "ext4"),
			0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_UNLOAD, 200, 0, PITRACE_MAP_KERNEL | PITRACE_MAP_SYMBOL,
			    KERNEL + 0x50000000, 0x100, "bpf_prog_1"),
			0);
	CU_ASSERT_STRING_EQUAL(name_at(0, 100, 0xffffffff81000110), "one");
	CU_ASSERT_STRING_EQUAL(module_at(0, 150, KERNEL + 0x40000010, true), "[ext4]");
	CU_ASSERT_STRING_EQUAL(name_at(0, 150, KERNEL + 0x50000010), "bpf_prog_1");
	CU_ASSERT_STRING_NOT_EQUAL(module_at(0, 250, KERNEL + 0x40000010, true), "[ext4]");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(0, 250, KERNEL + 0x50000010), "bpf_prog_1");
	/* A module is identified by its name, code by its place: several codes may have one
	 * name. */
	for (uint64_t i = 0; i < 2; i++)
		CU_ASSERT_EQUAL(map(PITRACE_MTE_MODULE, 300, 0,
				    PITRACE_MAP_KERNEL | PITRACE_MAP_SYMBOL,
				    KERNEL + 0x50000000 + 0x100 * i, 0x100, "twin"),
				0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_MODULE, 300, 0, PITRACE_MAP_KERNEL, KERNEL + 0x40000000,
			    0x1000, "xfs"),
			0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_UNLOAD, 400, 0, PITRACE_MAP_KERNEL | PITRACE_MAP_SYMBOL,
			    KERNEL + 0x50000100, 0x100, "twin"),
			0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_UNLOAD, 400, 0, PITRACE_MAP_KERNEL, 0, 0, "xfs"), 0);
	for (uint64_t time = 350; time < 500; time += 100) {
		CU_ASSERT_STRING_EQUAL(name_at(0, time, KERNEL + 0x50000010), "twin");
		CU_ASSERT_EQUAL(!strcmp(name_at(0, time, KERNEL + 0x50000110), "twin"), time < 400);
		CU_ASSERT_EQUAL(!strcmp(module_at(0, time, KERNEL + 0x40000010, true), "[xfs]"),
				time < 400);
	}
}

static void losses(void)
{
	static const struct pitrace_lost_rec lost = { .count = 1 };
	struct a2n_answer r;

	begin();
	CU_ASSERT_EQUAL(task(PITRACE_MTE_PROCESS, 100, 7, 7, 1, "x"), 0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_MODULE, 100, 7, PITRACE_MAP_EXEC, 0x1000, 0x1000, "/lib"),
			0);
	CU_ASSERT_EQUAL(feed_as(PITRACE_LOST, PITRACE_LOST_TPROF, PITRACE_TYPE_STRUCT, 200, &lost,
				sizeof(lost)),
			0);
	a2n_resolve(a, 7, 250, 0x1800, false, &r);
	CU_ASSERT(!r.unsure);
	CU_ASSERT_EQUAL(feed_as(PITRACE_LOST, PITRACE_LOST_MTE, PITRACE_TYPE_STRUCT, 300, &lost,
				sizeof(lost)),
			0);
	a2n_resolve(a, 7, 350, 0x1800, false, &r);
	CU_ASSERT(r.unsure);
}

static void perf_maps(void)
{
	static const char *const parts[] = {
		"pid 7 since 0 until 500 offset 0 path /tmp/perf-7.map\n1100 100 first\n",
		"pid 7 since 500 until 900 offset 15 path /tmp/perf-7.map\n2100 100 second one\n"
		"nonsense\n",
	};
	/* Names of other sections. */
	static const char *const others[] = {
		"",
		"\n",
		"pid 7 since 0 until 500 offset 0 path \n1100 100 x\n",
		"pid 7 since 0 until 500 offset 0\n1100 100 x\n",
		"pid 7 since 0 until 500 path /x\n1100 100 x\n",
		"pid 7 since x until 500 offset 0 path /x\n1100 100 x\n",
		"pid 4294967296 since 0 until 500 offset 0 path /x\n1100 100 x\n",
		"pid 7 since 18446744073709551616 until 5 offset 0 path /x\n1100 100 x\n",
		"1100 100 x\n",
	};
	char longest[400];
	size_t i;

	begin();
	CU_ASSERT_EQUAL(task(PITRACE_MTE_PROCESS, 100, 7, 7, 1, "node"), 0);
	CU_ASSERT_EQUAL(map(PITRACE_MTE_MODULE, 100, 7, PITRACE_MAP_EXEC | PITRACE_MAP_ANON, 0x1000,
			    0x9000, "//anon"),
			0);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_PERFMAP, parts[i], strlen(parts[i])),
				0);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		size_t size = strlen(others[i]);
		char *copy = malloc(size + 1);

		CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
		memcpy(copy, others[i], size);
		CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_PERFMAP, copy, size), -EBADMSG);
		free(copy);
	}
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "pid 7 since 0 until 500 offset 0 path ", 38);
	longest[sizeof(longest) - 1] = '\n';
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_PERFMAP, longest, sizeof(longest)),
			-EBADMSG);
	CU_ASSERT_STRING_EQUAL(name_at(7, 600, 0x1180), "first");
	CU_ASSERT_STRING_EQUAL(name_at(7, 950, 0x2180), "second one");
}

/* ---- records that are not whole -------------------------------------------------------------- */

static void cut(uint32_t minor, uint16_t type, const void *data, size_t size, size_t least)
{
	for (size_t n = 0; n < size; n++)
		CU_ASSERT_EQUAL(feed_as(PITRACE_MTE, minor, type, 100, data, n),
				n < least ? -EBADMSG : 0);
	CU_ASSERT_EQUAL(feed_as(PITRACE_MTE, minor, type, 100, data, size), 0);
	/* The right size, of another type. */
	for (uint16_t other = 0; other < 4; other++)
		if (other != type)
			CU_ASSERT_EQUAL(feed_as(PITRACE_MTE, minor, other, 100, data, size),
					-EBADMSG);
}

static void cut_records(void)
{
	static const uint32_t tasks[] = {
		PITRACE_MTE_NAME,   PITRACE_MTE_CLONE,       PITRACE_MTE_PROCESS,
		PITRACE_MTE_THREAD, PITRACE_MTE_THREAD_EXIT, PITRACE_MTE_FORK,
	};
	static const uint64_t ints[4] = { PITRACE_JIT_LOAD, 0x1000, 0x100, 0 };
	struct pitrace_mte_task t = { .pid = 7, .tid = 8, .ppid = 6, .comm = "x" };
	struct pitrace_mte_unmap unmap = { .pid = 7, .start = 0x1000, .length = 0x1000 };
	struct pitrace_mte_buildid id = { .inode = 5, .length = 20 };
	struct mapping m;
	uint8_t data[512];
	size_t size;

	begin();
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		cut(tasks[i], PITRACE_TYPE_STRUCT, &t, sizeof(t), sizeof(t));
	cut(PITRACE_MTE_UNMAP, PITRACE_TYPE_STRUCT, &unmap, sizeof(unmap), sizeof(unmap));
	cut(PITRACE_MTE_BUILDID, PITRACE_TYPE_STRUCT, &id, sizeof(id), sizeof(id));
	size = mapping(&m, 7, PITRACE_MAP_EXEC, 0x1000, 0x1000, "/library");
	cut(PITRACE_MTE_MODULE, PITRACE_TYPE_STRUCT, &m, size, sizeof(m.m) + 9);
	size = mapping(&m, 0, PITRACE_MAP_KERNEL, 0x1000, 0x1000, "ext4abc");
	cut(PITRACE_MTE_UNLOAD, PITRACE_TYPE_STRUCT, &m, size, sizeof(m.m) + 8);
	size = user(data, 7, 8, 4, ints, "name");
	cut(PITRACE_MTE_JIT, PITRACE_TYPE_MIXED, data, size, size);
	cut(PITRACE_MTE_JAVA_THREAD, PITRACE_TYPE_MIXED, data, size, size);
}

static void lies(void)
{
	struct pitrace_mte_buildid id = { .inode = 5, .length = 21 };
	struct mapping m;
	size_t size = mapping(&m, 7, PITRACE_MAP_EXEC, 0x1000, 0x1000, "/library");

	begin();
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_BUILDID, 100, &id, sizeof(id)), -EBADMSG);
	id.length = UINT32_MAX;
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_BUILDID, 100, &id, sizeof(id)), -EBADMSG);
	/* A path without an end, or one that is longer than the record. */
	m.m.path_len = 7;
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_MODULE, 100, &m, size), -EBADMSG);
	m.m.path_len = 12;
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_MODULE, 100, &m, size), -EBADMSG);
	m.m.path_len = UINT32_MAX;
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_MODULE, 100, &m, size), -EBADMSG);
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_UNLOAD, 100, &m, size), -EBADMSG);
	/* To the end of all memory. */
	mapping(&m, 7, PITRACE_MAP_EXEC, UINT64_MAX, UINT64_MAX, "/library");
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_MODULE, 100, &m, size), 0);
}

static void others(void)
{
	static const uint8_t data[64];

	begin();
	CU_ASSERT_EQUAL(a2n_feed_record(a, NULL), -EINVAL);
	for (unsigned int major = 0; major < PITRACE_MAJORS; major++)
		if (major != PITRACE_MTE)
			CU_ASSERT_EQUAL(feed_as((uint16_t)major, 1, PITRACE_TYPE_STRUCT, 100, data,
						sizeof(data)),
					0);
	/* A newer writer's. */
	CU_ASSERT_EQUAL(feed(0x7F, 100, data, sizeof(data)), 0);
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_SYSTEM, data, sizeof(data)), 0);
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_STATS, data, sizeof(data)), 0);
	CU_ASSERT_EQUAL(a2n_feed_section(a, 12345, data, sizeof(data)), 0);
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_KALLSYMS, NULL, 5), -EINVAL);
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_PERFMAP, NULL, 5), -EINVAL);
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_MODULES, NULL, 0), 0);
}

/* ---- the time of day ------------------------------------------------------------------------- */

/* Where this program's own code is mapped, as its file has it. */
static bool own_code(struct pitrace_mte_map *m)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset, wanted = (unsigned long)own_code;
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
			wanted >= start && wanted < end;
	if (f)
		fclose(f);
	m->start = start;
	m->length = end - start;
	m->offset = offset;
	return found;
}

/* A file that was written now and mapped so many seconds before or after that. */
static enum a2n_result with_clock(const char *path, int64_t seconds, bool synced)
{
	struct pitrace_sync sync = { .realtime = (uint64_t)((int64_t)time(NULL) + seconds) *
						 1000000000 };
	struct a2n_answer r;
	struct mapping m;
	struct stat st;
	size_t size = mapping(&m, 7, PITRACE_MAP_EXEC, 0, 0, path);

	begin();
	CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
	CU_ASSERT_FATAL(own_code(&m.m));
	m.m.inode = st.st_ino;
	m.m.dev_major = major(st.st_dev);
	m.m.dev_minor = minor(st.st_dev);
	if (synced)
		CU_ASSERT_EQUAL(feed_as(PITRACE_SYNC, PITRACE_SYNC_ON, PITRACE_TYPE_STRUCT, 50,
					&sync, sizeof(sync)),
				0);
	CU_ASSERT_EQUAL(task(PITRACE_MTE_PROCESS, 100, 7, 7, 1, "x"), 0);
	CU_ASSERT_EQUAL(feed(PITRACE_MTE_MODULE, 100, &m, size), 0);
	a2n_resolve(a, 7, 200, (uintptr_t)own_code + 1, false, &r);
	return r.result;
}

static void time_of_day(void)
{
	char path[] = "/tmp/test_a2n_feedXXXXXX", copy[128];
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0);
	close(fd);
	snprintf(copy, sizeof(copy), "cp /proc/%d/exe %s", (int)getpid(), path);
	CU_ASSERT_EQUAL_FATAL(system(copy), 0);
	CU_ASSERT_EQUAL(with_clock(path, 60, true), A2N_OK);
	/* It was written since it was mapped. */
	CU_ASSERT_EQUAL(with_clock(path, -60, true), A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_EQUAL(with_clock(path, -60, false), A2N_OK);
	unlink(path);
}

static const struct unit_test tests[] = {
	{ "processes", processes },
	{ "a_name_without_an_end", a_name_without_an_end },
	{ "walks", walks },
	{ "code", code },
	{ "thread_names", thread_names },
	{ "kernel", kernel },
	{ "losses", losses },
	{ "perf_maps", perf_maps },
	{ "cut_records", cut_records },
	{ "lies", lies },
	{ "others", others },
	{ "time_of_day", time_of_day },
	{ 0 },
};

int main(void)
{
	int rc = unit_run("a2n_feed", tests);

	a2n_close(a);
	return rc;
}
