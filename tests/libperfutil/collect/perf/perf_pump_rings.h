/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rings of perf as the kernel fills them, files and /proc of the test's own, and a session of the
 * collector `perf` that reads them.
 */
#ifndef PERF_PUMP_RINGS_H
#define PERF_PUMP_RINGS_H

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "collect/perf/perf_mapped.h"
#include "collect/perf/proc_walk.h"
#include "perf_rings.h"
#include "records.h"

#define RING   65536u
#define CPUS   2
#define PERIOD 1000000u /* ns: 1000 a second */
#define IDLE   0xffffffff81000000u
#define SECOND 1000000000ull

/* ---- files and /proc ------------------------------------------------------------------------- */

static const char *other_path; /* where this process finds the file */
static struct pitrace_mte_buildid known_id;
static unsigned int ids_left, identified, resets;
static int walk_fails;
static pid_t walked;

void __wrap_known_files_identify(struct known_files *k, const struct pitrace_mte_map *map);
const struct pitrace_mte_buildid *__wrap_known_files_take_id(struct known_files *k,
							     const struct pitrace_mte_map *map);
const char *__wrap_known_files_path(struct known_files *k, const struct pitrace_mte_map *map);
void __wrap_known_files_reset(struct known_files *k);
int __wrap_proc_walk(pid_t scope, perf_put put, void (*visit)(void *arg, pid_t pid), void *arg);

void __wrap_known_files_identify(struct known_files *k, const struct pitrace_mte_map *map)
{
	(void)k;
	(void)map;
	identified++;
}

const struct pitrace_mte_buildid *__wrap_known_files_take_id(struct known_files *k,
							     const struct pitrace_mte_map *map)
{
	(void)k;
	if (!ids_left)
		return NULL;
	ids_left--;
	known_id.inode = map->inode;
	return &known_id;
}

const char *__wrap_known_files_path(struct known_files *k, const struct pitrace_mte_map *map)
{
	(void)k;
	(void)map;
	return other_path;
}

void __wrap_known_files_reset(struct known_files *k)
{
	(void)k;
	resets++;
}

/* Two processes and a mapping. */
int __wrap_proc_walk(pid_t scope, perf_put put, void (*visit)(void *arg, pid_t pid), void *arg)
{
	struct pitrace_mte_task task = { .pid = 70 };
	struct pitrace_mte_map map = { .pid = 70, .inode = 5 };

	walked = scope;
	visit(arg, 70);
	visit(arg, 71);
	if (put(arg, PITRACE_MTE, PITRACE_MTE_PROCESS, &task, sizeof(task), 1))
		return -ENOMEM;
	put(arg, PITRACE_MTE, PITRACE_MTE_MODULE, &map, sizeof(map), 1);
	return walk_fails;
}

static bool no_memory;

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
	return no_memory ? NULL : __real_realloc(p, n);
}

/* ---- rings ----------------------------------------------------------------------------------- */

static struct perf_session s;
static struct perf_cpu cpus[CPUS + 1]; /* of the last nobody knows */
static struct perf_event events[2] = { { .id = 11 }, { .id = 12, .number = 1 } };

static inline void map_ring(struct perf_ring *r, uint64_t at)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	*r = (struct perf_ring){
		.page = aligned_alloc(page, page + RING),
		.bytes = RING,
		.at = at,
		.joined = malloc(UINT16_MAX + 1),
	};
	CU_ASSERT_FATAL(r->page && r->joined);
	memset(r->page, 0, page);
	r->page->data_head = at;
}

static inline void unmap_ring(struct perf_ring *r)
{
	free(r->page);
	free(r->joined);
}

/* A session of the whole system, its timer at 1000 a second, as *on* leaves it. */
static inline void begin(void)
{
	s = (struct perf_session){ .ncpus = CPUS, .cpu = cpus, .event = events, .nevents = 2 };
	memset(cpus, 0, sizeof(cpus));
	s.config.rate = 1000;
	s.config.segment_bytes = 32768;
	for (int use = 0; use < PERF_USES; use++) {
		s.shape[use].sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
					   PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
		s.shape[use].id_all = true;
	}
	s.shape[PERF_SAMPLES].sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	s.idle.n = 1;
	s.idle.range[0].start = IDLE;
	s.idle.range[0].end = IDLE + 0x100;
	for (uint32_t i = 0; i <= CPUS; i++) {
		cpus[i].cpu = 3 + i;
		map_ring(&cpus[i].ring[PERF_NAMES], 64);
		map_ring(&cpus[i].ring[PERF_SAMPLES], RING - 128);
		map_ring(&cpus[i].ring[PERF_SWITCHES], 1ull << 33);
	}
	perf_pump_reset(&s);
	put_comm(&cpus[CPUS].ring[PERF_NAMES], 70, "nobody", 1);
	put_lost(&cpus[CPUS].ring[PERF_SAMPLES], 1, 1);
	put_lost(&cpus[CPUS].ring[PERF_SWITCHES], 1, 1);
	cpus[CPUS].due = 77;
	records_forget();
	ids_left = identified = resets = 0;
	other_path = NULL;
	walk_fails = 0;
}

static inline void end(void)
{
	struct perf_cpu *none = &cpus[CPUS];

	CU_ASSERT(none->ring[PERF_NAMES].at == 64 && none->ring[PERF_SAMPLES].at == RING - 128);
	CU_ASSERT(none->ring[PERF_SWITCHES].at == 1ull << 33 && none->due == 77 &&
		  !none->names_seen);
	CU_ASSERT(!none->until[PERF_SAMPLES] && !none->mte.size);
	for (uint32_t i = 0; i <= CPUS; i++) {
		unmap_ring(&cpus[i].ring[PERF_NAMES]);
		unmap_ring(&cpus[i].ring[PERF_SAMPLES]);
		unmap_ring(&cpus[i].ring[PERF_SWITCHES]);
		segment_free(&cpus[i].mte);
		segment_free(&cpus[i].trace);
	}
	free(s.queue.data);
	free(s.scope);
}

/* Fields that a record leaves unset become visible. */
static __attribute__((noinline, unused)) void dirty_stack(void)
{
	volatile uint8_t below[65536];

	for (size_t i = 0; i < sizeof(below); i++)
		below[i] = 0xa5;
}

static inline void pump(bool all)
{
	dirty_stack();
	CU_ASSERT_EQUAL(perf_pump(&s, all, records_take, NULL), 0);
	for (uint32_t i = 0; i < CPUS; i++) {
		CU_ASSERT_EQUAL(cpus[i].ring[PERF_NAMES].page->data_tail,
				cpus[i].ring[PERF_NAMES].page->data_head);
		CU_ASSERT_EQUAL(cpus[i].ring[PERF_SAMPLES].page->data_tail,
				cpus[i].ring[PERF_SAMPLES].page->data_head);
		CU_ASSERT_EQUAL(cpus[i].ring[PERF_SWITCHES].page->data_tail,
				cpus[i].ring[PERF_SWITCHES].page->data_head);
	}
}

static inline void sample_of(struct perf_cpu *c, uint64_t id, uint32_t pid, uint64_t ip,
			     uint64_t time, uint64_t period)
{
	put_sample(&c->ring[PERF_SAMPLES],
		   ip >= IDLE ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, id, pid, ip, time,
		   period);
}

static inline void sample(struct perf_cpu *c, uint64_t time)
{
	sample_of(c, 11, 70, 0x1000, time, PERIOD);
}

static inline void idle(struct perf_cpu *c, uint64_t time)
{
	sample_of(c, 11, 0, IDLE + 1, time, PERIOD);
}

static inline void throttle(struct perf_cpu *c, bool begins, uint64_t time)
{
	u64(time);
	u64(11);
	u64(11);
	put_id(&c->ring[PERF_SAMPLES], begins ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE, 0,
	       70, time);
}

static inline void fork_of(struct perf_cpu *c, uint32_t parent, uint32_t child, uint64_t time)
{
	u32(child);
	u32(parent);
	u32(child);
	u32(parent);
	u64(time);
	put_id(&c->ring[PERF_NAMES], PERF_RECORD_FORK, 0, parent, time);
}

static inline void mapping(struct perf_cpu *c, uint32_t pid, uint64_t start, const char *path,
			   uint64_t time)
{
	u32(pid);
	u32(pid);
	u64(start);
	u64(0x1000);
	u64(0);
	u32(8);
	u32(1);
	u64(start); /* for an inode */
	u64(0);
	u32(5); /* read and execute */
	u32(2);
	text(path);
	put_id(&c->ring[PERF_NAMES], PERF_RECORD_MMAP2, 0, pid, time);
}

/* Too short for its fields. */
static inline void bad(struct perf_ring *r, uint32_t type)
{
	put_rec(r, type, 0);
}

#endif
