/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of the other byte order. What a foreign machine would have written is made here field by
 * field, from the structs' members; file_swap.c works by tables. Both must agree on every byte.
 */
#include <stdlib.h>
#include <string.h>
#include "file/trace_file.h"
#include "file/file_swap.h"
#include "file/record_kinds.h"
#include "unit.h"

#define SWAP(x)                                                                    \
	((x) = (__typeof__(x))(sizeof(x) == 8 ? __builtin_bswap64((uint64_t)(x)) : \
			       sizeof(x) == 4 ? __builtin_bswap32((uint32_t)(x)) : \
						__builtin_bswap16((uint16_t)(x))))

static _Alignas(8) uint8_t ours[4096], theirs[4096];
static size_t used;

static void begin(void)
{
	struct pitrace_segment s = {
		.magic = PITRACE_SEGMENT_MAGIC,
		.size = sizeof(s),
		.ring = 1,
		.session = 3,
		.cpu = 5,
		.sequence = 7,
		.stamp = 0x1122334455667788,
		.lost = 9,
	};

	memcpy(ours, &s, sizeof(s));
	SWAP(s.magic);
	SWAP(s.size);
	SWAP(s.ring);
	SWAP(s.session);
	SWAP(s.cpu);
	SWAP(s.sequence);
	SWAP(s.stamp);
	SWAP(s.lost);
	memcpy(theirs, &s, sizeof(s));
	used = sizeof(s);
}

static void put(uint16_t major, uint32_t minor, uint16_t type, const void *a, const void *b,
		size_t size)
{
	struct pitrace_rec r = {
		.type_len = (uint16_t)((sizeof(r) + size) | type),
		.major = major,
		.minor = minor,
		.stamp = 0xA1B2C3D4,
	};

	memcpy(ours + used, &r, sizeof(r));
	memcpy(ours + used + sizeof(r), a, size);
	SWAP(r.type_len);
	SWAP(r.major);
	SWAP(r.minor);
	SWAP(r.stamp);
	memcpy(theirs + used, &r, sizeof(r));
	memcpy(theirs + used + sizeof(r), b, size);
	used += sizeof(r) + size;
}

/* A struct whose every byte differs from its neighbours, in both orders. */
#define BOTH(type, ...)                                            \
	type a, b;                                                 \
	for (size_t byte = 0; byte < sizeof(a); byte++)            \
		((uint8_t *)&a)[byte] = (uint8_t)(byte * 37 + 11); \
	b = a;                                                     \
	do {                                                       \
		__VA_ARGS__                                        \
	} while (0)

#define STRUCT(major, minor, type, ...)                                    \
	do {                                                               \
		BOTH(struct type, __VA_ARGS__);                            \
		put(major, minor, PITRACE_TYPE_STRUCT, &a, &b, sizeof(a)); \
	} while (0)

static void agree(enum pifile_section_type type)
{
	CU_ASSERT(memcmp(ours, theirs, used) != 0);
	file_swap_payload(type, theirs, used);
	CU_ASSERT(memcmp(ours, theirs, used) == 0);
	for (size_t i = 0; i < used; i++)
		if (ours[i] != theirs[i]) {
			printf("  byte %zu: %02x, not %02x\n", i, theirs[i], ours[i]);
			break;
		}
}

static void swap_task(struct pitrace_mte_task *t)
{
	SWAP(t->pid);
	SWAP(t->tid);
	SWAP(t->ppid);
	SWAP(t->flags);
	SWAP(t->start);
	SWAP(t->cgroup);
	SWAP(t->pidns);
	SWAP(t->reserved);
}

static void test_mte(void)
{
	static const uint16_t tasks[] = {
		PITRACE_MTE_NAME,         PITRACE_MTE_CLONE,  PITRACE_MTE_PROCESS,
		PITRACE_MTE_PROCESS_EXIT, PITRACE_MTE_THREAD, PITRACE_MTE_THREAD_EXIT,
		PITRACE_MTE_FORK,
	};
	struct {
		struct pitrace_mte_map m;
		char path[12];
	} map = { .path = "/bin/true" }, foreign;

	begin();
	for (size_t i = 0; i < sizeof(tasks) / sizeof(*tasks); i++)
		STRUCT(PITRACE_MTE, tasks[i], pitrace_mte_task, swap_task(&b););
	STRUCT(PITRACE_MTE, PITRACE_MTE_BUILDID, pitrace_mte_buildid, SWAP(b.dev_major);
	       SWAP(b.dev_minor); SWAP(b.inode); SWAP(b.generation); SWAP(b.length););
	STRUCT(PITRACE_MTE, PITRACE_MTE_UNMAP, pitrace_mte_unmap, SWAP(b.pid); SWAP(b.reserved);
	       SWAP(b.start); SWAP(b.length););
	memset(&map.m, 0x5C, sizeof(map.m));
	map.m.pid = 1234;
	map.m.start = 0x7f0011223344;
	map.m.path_len = 9;
	foreign = map;
	SWAP(foreign.m.pid);
	SWAP(foreign.m.flags);
	SWAP(foreign.m.start);
	SWAP(foreign.m.length);
	SWAP(foreign.m.offset);
	SWAP(foreign.m.inode);
	SWAP(foreign.m.dev_major);
	SWAP(foreign.m.dev_minor);
	SWAP(foreign.m.generation);
	SWAP(foreign.m.path_len);
	put(PITRACE_MTE, PITRACE_MTE_MODULE, PITRACE_TYPE_STRUCT, &map, &foreign, sizeof(map));
	put(PITRACE_MTE, PITRACE_MTE_UNLOAD, PITRACE_TYPE_STRUCT, &map, &foreign, sizeof(map));
	agree(PIFILE_SEC_SNAPSHOT);
}

static void test_trace(void)
{
	begin();
	STRUCT(PITRACE_TPROF, PITRACE_TPROF_USER, pitrace_sample, SWAP(b.pid); SWAP(b.tid);
	       SWAP(b.address); SWAP(b.period););
	STRUCT(PITRACE_TPROF, PITRACE_TPROF_IDLE, pitrace_idle, SWAP(b.ticks); SWAP(b.reserved);
	       SWAP(b.since););
	STRUCT(PITRACE_DISPATCH, PITRACE_LEFT_SLEEP, pitrace_dispatch, SWAP(b.old_pid);
	       SWAP(b.old_tid); SWAP(b.new_pid); SWAP(b.new_tid); SWAP(b.old_priority);
	       SWAP(b.new_priority););
	STRUCT(PITRACE_WAKEUP, 0, pitrace_wakeup, SWAP(b.pid); SWAP(b.tid); SWAP(b.waker_pid);
	       SWAP(b.waker_tid); SWAP(b.cpu); SWAP(b.priority); SWAP(b.reserved););
	STRUCT(PITRACE_INTERRUPT, PITRACE_IRQ_TIMER, pitrace_interrupt, SWAP(b.number);
	       SWAP(b.tid););
	STRUCT(PITRACE_SYSCALL, 39, pitrace_sysenter, SWAP(b.pid); SWAP(b.tid);
	       SWAP(b.arguments[0]); SWAP(b.arguments[1]); SWAP(b.arguments[2]););
	STRUCT(PITRACE_SYSCALL, 39 | PITRACE_EXIT, pitrace_sysexit, SWAP(b.pid); SWAP(b.tid);
	       SWAP(b.result););
	STRUCT(PITRACE_FAULT, PITRACE_TPROF_USER, pitrace_fault, SWAP(b.pid); SWAP(b.tid);
	       SWAP(b.flags); SWAP(b.reserved); SWAP(b.ip); SWAP(b.address););
	STRUCT(PITRACE_SYNC, PITRACE_SYNC_ON, pitrace_sync, SWAP(b.cpu); SWAP(b.stamp);
	       SWAP(b.monotonic); SWAP(b.boottime); SWAP(b.realtime););
	STRUCT(PITRACE_LOST, PITRACE_LOST_TPROF, pitrace_lost_rec, SWAP(b.count); SWAP(b.uid);
	       SWAP(b.total););
	STRUCT(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, pitrace_interval, SWAP(b.flags);
	       SWAP(b.interval); SWAP(b.rate); SWAP(b.dither); SWAP(b.seed); SWAP(b.cpus_present);
	       SWAP(b.cpus_online););
	STRUCT(PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, pitrace_event_rec, SWAP(b.event);
	       SWAP(b.flags); SWAP(b.period););
	agree(PIFILE_SEC_SEGMENT);
}

static void test_stack(void)
{
	struct {
		struct pitrace_sample s;
		struct pitrace_stack k;
		uint32_t words[2 * 7 + 3];
	} a, b;

	for (size_t i = 0; i < sizeof(a); i++)
		((uint8_t *)&a)[i] = (uint8_t)(i * 41 + 3);
	a.k.kernel = 2;
	a.k.user = 3;
	a.k.regs = 2;
	a.k.bytes = 12;
	b = a;
	SWAP(b.s.pid);
	SWAP(b.s.tid);
	SWAP(b.s.address);
	SWAP(b.s.period);
	SWAP(b.k.kernel);
	SWAP(b.k.user);
	SWAP(b.k.flags);
	SWAP(b.k.regs);
	SWAP(b.k.bytes);
	SWAP(b.k.reserved);
	/* Seven of 64 bits; the copy of the stack stays as it was. */
	for (int i = 0; i < 14; i += 2) {
		b.words[i] = __builtin_bswap32(a.words[i + 1]);
		b.words[i + 1] = __builtin_bswap32(a.words[i]);
	}
	begin();
	put(PITRACE_TPROF, PITRACE_TPROF_USER | PITRACE_TPROF_STACK, PITRACE_TYPE_STRUCT, &a, &b,
	    sizeof(a));
	agree(PIFILE_SEC_SEGMENT);
}

static void test_user(void)
{
	struct {
		struct pitrace_user u;
		uint32_t words[2 * 2 + 2];
		char text[8];
	} a, b;

	memset(&a, 0x17, sizeof(a));
	a.u.pid = 77;
	a.u.ints = a.u.strs = 2;
	a.words[0] = 1;
	a.words[1] = 2;
	b = a;
	SWAP(b.u.pid);
	SWAP(b.u.tid);
	SWAP(b.u.uid);
	SWAP(b.u.cpu);
	SWAP(b.u.ints);
	SWAP(b.u.strs);
	b.words[0] = __builtin_bswap32(a.words[1]);
	b.words[1] = __builtin_bswap32(a.words[0]);
	for (int i = 2; i < 6; i++)
		SWAP(b.words[i]);
	begin();
	put(PITRACE_HOOKIT, 0, PITRACE_TYPE_MIXED, &a, &b, sizeof(a));
	agree(PIFILE_SEC_SEGMENT);
}

/* A whole file: cut short at every byte of its payload, damaged lengths; nothing is read beyond. */
static void test_bounds(void)
{
	uint8_t *copy;

	test_stack();
	for (size_t size = 0; size <= used; size++) {
		copy = malloc(size + 1);
		memcpy(copy, theirs, size);
		copy[size] = 0xEE;
		file_swap_payload(PIFILE_SEC_SEGMENT, copy, size);
		CU_ASSERT(copy[size] == 0xEE);
		free(copy);
	}
}

static void test_stats(void)
{
	BOTH(struct pifile_stats, SWAP(b.cpu); SWAP(b.online); SWAP(b.ticks); SWAP(b.idle_ticks);
	     SWAP(b.late); SWAP(b.out_of_scope); SWAP(b.mte_bytes); SWAP(b.trace_bytes);
	     SWAP(b.stopped_by); SWAP(b.stop_pid););
	for (int i = 0; i < PITRACE_LOST_KINDS; i++)
		SWAP(b.lost[i]);
	file_swap_payload(PIFILE_SEC_STATS, &b, sizeof(b));
	CU_ASSERT(!memcmp(&a, &b, sizeof(a)));
}

static void test_index(void)
{
	BOTH(struct pifile_index, SWAP(b.offset); SWAP(b.type); SWAP(b.cpu););
	file_swap_payload(PIFILE_SEC_INDEX, &b, sizeof(b));
	CU_ASSERT(!memcmp(&a, &b, sizeof(a)));
}

static void test_headers(void)
{
	BOTH(struct pifile_header, SWAP(b.size); SWAP(b.version); SWAP(b.order); SWAP(b.clock);
	     SWAP(b.clock_hz); SWAP(b.mode); SWAP(b.scope); SWAP(b.pid); SWAP(b.ncpus);
	     SWAP(b.start_realtime); SWAP(b.rate); SWAP(b.dither); SWAP(b.page_size); SWAP(b.crc););
	file_swap_header(&b);
	CU_ASSERT(!memcmp(&a, &b, sizeof(a)));
}

static void test_section(void)
{
	BOTH(struct pifile_section, SWAP(b.magic); SWAP(b.size); SWAP(b.type); SWAP(b.flags);
	     SWAP(b.cpu); SWAP(b.ring); SWAP(b.session); SWAP(b.sequence); SWAP(b.stored);
	     SWAP(b.bytes); SWAP(b.records); SWAP(b.lost); SWAP(b.first); SWAP(b.last);
	     SWAP(b.interval); SWAP(b.payload_crc); SWAP(b.crc););
	file_swap_section(&b);
	CU_ASSERT(!memcmp(&a, &b, sizeof(a)));
}

/* Each byte of a struct is one field's: what a row of the table leaves out would not be turned. */
static bool whole(const struct record_kind *kind)
{
	uint8_t seen[4096] = { 0 };

	for (const struct field *f = kind->fields; f->type; f++)
		for (size_t i = 0; i < f->width; i++)
			if (f->offset + i >= kind->size || seen[f->offset + i]++)
				return false;
	return !memchr(seen, 0, kind->size);
}

static void test_fields(void)
{
	static const uint32_t bits[] = { 0, PITRACE_EXIT, PITRACE_SYSCALL_COMPAT,
					 PITRACE_EXIT | PITRACE_SYSCALL_COMPAT };
	unsigned int kinds = 0;

	for (unsigned int major = 0; major < PITRACE_MAJORS; major++)
		for (uint32_t i = 0; i < 4 * 256; i++) {
			const struct record_kind *kind = record_kind((uint16_t)major,
								     i / 4 | bits[i % 4]);

			if (!kind)
				continue;
			kinds++;
			CU_ASSERT_PTR_NOT_NULL(record_major_name((int)major));
			CU_ASSERT(whole(kind));
			if (!whole(kind))
				printf("  %s %s\n", record_major_name((int)major), kind->name);
		}
	CU_ASSERT(kinds > 100);
}

static const struct unit_test tests[] = {
	{ "mte", test_mte },
	{ "trace", test_trace },
	{ "stack", test_stack },
	{ "user", test_user },
	{ "bounds", test_bounds },
	{ "stats", test_stats },
	{ "index", test_index },
	{ "headers", test_headers },
	{ "section", test_section },
	{ "fields", test_fields },
	{ 0 },
};

int main(void)
{
	return unit_run("file_swap", tests);
}
