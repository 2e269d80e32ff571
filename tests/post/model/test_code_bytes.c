/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded code at an address and a time: pieces of pages, memory that changes, children, versions
 * of the kernel's code. */
#include <stdlib.h>
#include <string.h>

#include "model/code_bytes.h"
#include "unit.h"

enum { PAGE = 4096 };
static struct names names;
static struct code_bytes b;

static void begin(void)
{
	const struct a2n_options options = { 0 };

	b = (struct code_bytes){ .names = &names };
	names.a2n = a2n_open(&options);
	CU_ASSERT_PTR_NOT_NULL_FATAL(names.a2n);
}

static void end(void)
{
	code_bytes_free(&b);
	a2n_close(names.a2n);
	names.a2n = NULL;
}

static void give(uint32_t major, uint32_t minor, uint64_t time, const void *data, size_t size)
{
	const struct pirecord r = {
		.time = time,
		.major = (uint16_t)major,
		.minor = minor,
		.type = PITRACE_TYPE_STRUCT,
		.data = data,
		.size = (uint32_t)size,
	};

	CU_ASSERT_EQUAL(code_bytes_record(&b, &r), 0);
}

struct recorded {
	uint64_t address;
	uint32_t pid, bytes;
	uint8_t first; /* the others count on from there */
	uint32_t minor;
	uint64_t time;
};

static void record(struct recorded w)
{
	union {
		struct pitrace_code code;
		uint8_t room[sizeof(struct pitrace_code) + PITRACE_CODE_MAX];
	} u = { .code = { .address = w.address, .pid = w.pid, .bytes = w.bytes } };

	for (uint32_t i = 0; i < w.bytes && i < PITRACE_CODE_MAX; i++)
		u.room[sizeof(u.code) + i] = (uint8_t)(w.first + i);
	give(PITRACE_CODE, w.minor, w.time, &u, sizeof(u.code) + w.bytes);
}

/* The number of bytes that are known there, of which `first` is the first; 0: none. */
static size_t find(uint32_t pid, uint64_t address, uint64_t time, uint8_t *first)
{
	struct bytes_found found;

	CU_ASSERT_EQUAL(code_bytes_find(&b, pid, address, time, !pid, &found), 0);
	CU_ASSERT_EQUAL(!found.at, found.why != NULL);
	*first = found.at ? *found.at : 0;
	return found.at ? found.size : 0;
}

#define FINDS(pid, address, time, bytes, value)                                               \
	do {                                                                                  \
		uint8_t got_first;                                                            \
		size_t got = find(pid, address, time, &got_first);                            \
                                                                                              \
		CU_ASSERT_EQUAL(got, bytes);                                                  \
		CU_ASSERT_EQUAL(got_first, value);                                            \
		if (got != (bytes))                                                           \
			printf("# %d: %zu bytes, not %zu\n", __LINE__, got, (size_t)(bytes)); \
	} while (0)

static void pieces(void)
{
	begin();
	record((struct recorded){ .pid = 7, .address = 0x1010, .bytes = 16, .first = 1 });
	FINDS(7, 0x1010, 0, 16, 1);
	FINDS(7, 0x101f, 0, 1, 16);
	FINDS(7, 0x1020, 0, 0, 0);
	FINDS(7, 0x100f, 0, 0, 0);
	FINDS(8, 0x1010, 0, 0, 0);
	/* Adjoining pieces are one. */
	record((struct recorded){ .pid = 7, .address = 0x1020, .bytes = 8, .first = 50 });
	FINDS(7, 0x1010, 0, 24, 1);
	FINDS(7, 0x1020, 0, 8, 50);
	record((struct recorded){ .pid = 7, .address = 0x1008, .bytes = 8, .first = 60 });
	FINDS(7, 0x1008, 0, 32, 60);
	/* Within what is known it is new. */
	record((struct recorded){ .pid = 7, .address = 0x1012, .bytes = 2, .first = 90 });
	FINDS(7, 0x1008, 0, 32, 60);
	FINDS(7, 0x1012, 0, 22, 90);
	FINDS(7, 0x1014, 0, 20, 5);
	/* Between this piece and the others nothing is known: only the last one is kept. */
	record((struct recorded){ .pid = 7, .address = 0x1029, .bytes = 4, .first = 70 });
	FINDS(7, 0x1008, 0, 0, 0);
	FINDS(7, 0x1027, 0, 0, 0);
	FINDS(7, 0x1029, 0, 4, 70);
	record((struct recorded){ .pid = 7, .address = 0x1020, .bytes = 8, .first = 80 });
	FINDS(7, 0x1029, 0, 0, 0);
	FINDS(7, 0x1020, 0, 8, 80);
	end();
}

static void pages(void)
{
	begin();
	/* Over a page's end: its end is a program's, too. */
	record((struct recorded){ .pid = 7, .address = 0x2ff0, .bytes = 0x30, .first = 1 });
	FINDS(7, 0x2ff0, 0, 16, 1);
	FINDS(7, 0x3000, 0, 32, 17);
	FINDS(7, 0x3020, 0, 0, 0);
	/* Truncated, or longer than a record may be. */
	{
		struct pitrace_code c = { .pid = 7, .address = 0x9000, .bytes = 1 };

		give(PITRACE_CODE, 0, 0, &c, sizeof(c));
		FINDS(7, 0x9000, 0, 0, 0);
	}
	record((struct recorded){ .pid = 7, .address = 0xa000, .bytes = PITRACE_CODE_MAX });
	FINDS(7, 0xa000, 0, PITRACE_CODE_MAX, 0);
	end();
}

static void unmap(uint32_t pid, uint64_t start, uint64_t length)
{
	const struct pitrace_mte_unmap u = { .pid = pid, .start = start, .length = length };

	give(PITRACE_MTE, PITRACE_MTE_UNMAP, 0, &u, sizeof(u));
}

static void map(uint32_t pid, uint64_t start, uint64_t length, uint32_t flags)
{
	union {
		struct pitrace_mte_map map;
		uint8_t room[sizeof(struct pitrace_mte_map) + 4];
	} u = { .map = { .pid = pid, .start = start, .length = length, .flags = flags } };

	give(PITRACE_MTE, PITRACE_MTE_MODULE, 0, &u, sizeof(u));
}

static void three(uint32_t pid)
{
	for (uint64_t page = 5; page < 8; page++)
		record((struct recorded){ .pid = pid,
					  .address = page * PAGE,
					  .bytes = 4,
					  .first = 9 });
}

static void known(uint32_t pid, int first, int second, int third)
{
	FINDS(pid, 5 * PAGE, 0, first ? 4 : 0, first ? 9 : 0);
	FINDS(pid, 6 * PAGE, 0, second ? 4 : 0, second ? 9 : 0);
	FINDS(pid, 7 * PAGE, 0, third ? 4 : 0, third ? 9 : 0);
}

static void changes(void)
{
	begin();
	three(7);
	three(9);
	unmap(7, 6 * PAGE, 0);
	known(7, 1, 1, 1);
	unmap(7, 6 * PAGE, 1);
	known(7, 1, 0, 1);
	three(7);
	/* A part of a page, at its end. */
	unmap(7, 6 * PAGE + 4095, 1);
	known(7, 1, 0, 1);
	three(7);
	unmap(7, 6 * PAGE, PAGE);
	known(7, 1, 0, 1);
	three(7);
	unmap(7, 6 * PAGE, PAGE + 1);
	known(7, 1, 0, 0);
	three(7);
	unmap(7, 4 * PAGE, 2 * PAGE);
	known(7, 0, 1, 1);
	three(7);
	map(7, 6 * PAGE, PAGE, PITRACE_MAP_KERNEL);
	map(7, 6 * PAGE, 0, 0);
	known(7, 1, 1, 1);
	map(7, 6 * PAGE, PAGE, 0);
	known(7, 1, 0, 1);
	known(9, 1, 1, 1);
	end();
}

static void task(uint32_t minor, uint32_t pid, uint32_t ppid, uint32_t flags)
{
	const struct pitrace_mte_task t = { .pid = pid, .tid = pid, .ppid = ppid, .flags = flags };

	give(PITRACE_MTE, minor, 0, &t, sizeof(t));
}

static void children(void)
{
	begin();
	three(7);
	unmap(7, 6 * PAGE, PAGE);
	record((struct recorded){ .pid = 7, .address = 7 * PAGE + 0x20, .bytes = 4, .first = 30 });
	/* A child has its parent's memory, and later its own. */
	three(8);
	task(PITRACE_MTE_FORK, 8, 7, 0);
	known(8, 1, 0, 0);
	FINDS(8, 7 * PAGE + 0x20, 0, 4, 30);
	unmap(8, 5 * PAGE, PAGE);
	known(8, 0, 0, 0);
	known(7, 1, 0, 0);
	task(PITRACE_MTE_CLONE, 10, 7, 0);
	known(10, 1, 0, 0);
	/* A process that was there before has not begun now. */
	task(PITRACE_MTE_FORK, 10, 8, PITRACE_TASK_WALK);
	task(PITRACE_MTE_PROCESS, 10, 8, PITRACE_TASK_WALK);
	known(10, 1, 0, 0);
	/* Another program. */
	task(PITRACE_MTE_PROCESS, 10, 7, 0);
	known(10, 0, 0, 0);
	known(7, 1, 0, 0);
	end();
}

#define K 0xffffffff81000000ull

static void kernel_versions(void)
{
	begin();
	/* The first version holds before it was recorded, too. */
	record((struct recorded){ .address = K, .bytes = 64, .first = 1, .time = 100 });
	FINDS(0, K, 5, 64, 1);
	FINDS(0, K + 63, 200, 1, 64);
	FINDS(0, K + 64, 200, 0, 0);
	record((struct recorded){ .address = K, .bytes = 32, .first = 101, .time = 300 });
	FINDS(0, K, 299, 64, 1);
	FINDS(0, K, 300, 32, 101);
	record((struct recorded){ .address = K, .bytes = 16, .first = 201, .time = 400 });
	FINDS(0, K, 5, 64, 1);
	FINDS(0, K, 399, 32, 101);
	FINDS(0, K, 400, 16, 201);
	/* Not over a page's end, and not without bytes. */
	record((struct recorded){ .address = K + PAGE - 4, .bytes = 5, .first = 7, .time = 1 });
	record((struct recorded){ .address = K + PAGE, .bytes = 0, .first = 7, .time = 1 });
	FINDS(0, K + PAGE - 4, 400, 0, 0);
	FINDS(0, K + PAGE, 400, 0, 0);
	record((struct recorded){ .address = K + 2 * PAGE - 4, .bytes = 4, .first = 7, .time = 1 });
	FINDS(0, K + 2 * PAGE - 4, 400, 4, 7);
	/* A child of process 0 has none of the kernel's. */
	task(PITRACE_MTE_FORK, 1, 0, 0);
	FINDS(1, K, 400, 0, 0);
	end();
}

/* Bytes that the kernel changed while it was traced are known no more. */
static void kernel_changes(void)
{
	struct recorded w = { .address = K + 16, .bytes = 32, .first = 1, .time = 100 };

	begin();
	record(w);
	w.minor = PITRACE_CODE_CHANGED;
	record(w);
	FINDS(0, K + 16, 200, 32, 1);
	/* One byte of it is another, and one before it and one behind it, which nobody knew. */
	record((struct recorded){ K + 20, 0, 1, 99, PITRACE_CODE_CHANGED, 300 });
	record((struct recorded){ K + 15, 0, 1, 99, PITRACE_CODE_CHANGED, 300 });
	record((struct recorded){ K + 48, 0, 1, 99, PITRACE_CODE_CHANGED, 300 });
	FINDS(0, K + 16, 200, 4, 1);
	FINDS(0, K + 20, 200, 0, 0);
	FINDS(0, K + 21, 200, 27, 6);
	FINDS(0, K + 47, 200, 1, 32);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "pieces", pieces },
		{ "pages", pages },
		{ "changes", changes },
		{ "children", children },
		{ "kernel_versions", kernel_versions },
		{ "kernel_changes", kernel_changes },
		{},
	};

	return unit_run("code_bytes", tests);
}
