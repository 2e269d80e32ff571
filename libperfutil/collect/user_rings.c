/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts records into segments; the names that a trace segment needs are handed over before it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "collect/user_rings.h"

int user_rings_open(struct user_rings *o, size_t segment_bytes)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	memset(o, 0, sizeof(*o));
	o->ncpus = n > 0 ? (uint32_t)n : 1;
	o->trace = calloc(o->ncpus, sizeof(*o->trace));
	o->stats = calloc(o->ncpus, sizeof(*o->stats));
	o->files = known_files_new();
	if (!o->trace || !o->stats || !o->files)
		return -1;
	o->mte = (struct segment_out){
		.session = 1,
		.ring = PITRACE_RING_MTE,
		.size = segment_bytes,
	};
	for (uint32_t i = 0; i < o->ncpus; i++) {
		o->trace[i] = (struct segment_out){
			.session = 1,
			.cpu = i,
			.ring = PITRACE_RING_TRACE,
			.size = segment_bytes,
		};
		o->stats[i].cpu = i;
		o->stats[i].online = 1;
	}
	return 0;
}

void user_rings_close(struct user_rings *o)
{
	segment_free(&o->mte);
	for (uint32_t i = 0; o->trace && i < o->ncpus; i++)
		segment_free(&o->trace[i]);
	free(o->trace);
	free(o->stats);
	known_files_free(o->files);
}

static int sink_mte(void *arg, const void *segment, size_t size)
{
	struct user_rings *o = arg;

	o->stats[0].mte_bytes += size;
	return o->sink(o->arg, segment, size);
}

static int sink_trace(void *arg, const void *segment, size_t size)
{
	struct user_rings *o = arg;
	const struct pitrace_segment *s = segment;
	int err = segment_close(&o->mte, sink_mte, o);

	o->stats[s->cpu].trace_bytes += size;
	return err ? err : o->sink(o->arg, segment, size);
}

void user_rings_flush(struct user_rings *o)
{
	if (!o->err)
		o->err = segment_close(&o->mte, sink_mte, o);
	for (uint32_t i = 0; i < o->ncpus && !o->err; i++)
		o->err = segment_close(&o->trace[i], sink_trace, o);
}

static void *put_mte(struct user_rings *o, uint16_t major, uint32_t minor, size_t bytes,
		     uint64_t stamp)
{
	return o->err ? NULL :
			segment_put(&o->mte, major, minor, PITRACE_TYPE_STRUCT, bytes, stamp,
				    sink_mte, o, &o->err);
}

static void *put_trace(struct user_rings *o, uint32_t cpu, uint16_t major, uint32_t minor,
		       size_t bytes, uint64_t stamp)
{
	return o->err ? NULL :
			segment_put(&o->trace[cpu], major, minor, PITRACE_TYPE_STRUCT, bytes, stamp,
				    sink_trace, o, &o->err);
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Uses the present offset between the clocks: they run alike except for steps. */
void user_rings_sync(struct user_rings *o, enum pitrace_sync_why why, uint64_t stamp)
{
	struct pitrace_sync s = { .stamp = stamp, .monotonic = stamp };
	uint64_t now = ns_of(CLOCK_MONOTONIC);
	void *p = put_mte(o, PITRACE_SYNC, why, sizeof(s), stamp);

	s.boottime = ns_of(CLOCK_BOOTTIME) - now + stamp;
	s.realtime = ns_of(CLOCK_REALTIME) - now + stamp;
	if (p)
		memcpy(p, &s, sizeof(s));
}

void user_rings_interval(struct user_rings *o, const struct trace_config *config, uint32_t rate,
			 uint64_t stamp)
{
	struct pitrace_interval i = {
		.interval = 1,
		.rate = rate,
		.dither = timer_dither(config),
		.seed = config->seed,
		.cpus_present = o->ncpus,
		.cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
	};
	void *p = put_trace(o, 0, PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, sizeof(i), stamp);

	if (p)
		memcpy(p, &i, sizeof(i));
}

void user_rings_task(struct user_rings *o, enum pitrace_mte_minor minor,
		     const struct pitrace_mte_task *task, uint64_t stamp)
{
	void *p = put_mte(o, PITRACE_MTE, minor, sizeof(*task), stamp);

	if (p)
		memcpy(p, task, sizeof(*task));
}

static void put_file(struct user_rings *o, const struct pitrace_mte_map *map, const void *id,
		     size_t id_size, uint64_t stamp)
{
	const struct pitrace_mte_buildid *news = known_files_take_id(o->files, map);
	void *p;

	if (!news && id_size)
		news = known_files_add_id(o->files, map, id, id_size);
	p = news ? put_mte(o, PITRACE_MTE, PITRACE_MTE_BUILDID, sizeof(*news), stamp) : NULL;
	if (p)
		memcpy(p, news, sizeof(*news));
}

void user_rings_map(struct user_rings *o, uint32_t pid, const struct timer_map *map, const void *id,
		    size_t id_size, uint64_t stamp)
{
	size_t n = strlen(map->path), size = sizeof(struct pitrace_mte_map) + n + 1;
	struct pitrace_mte_map *m = malloc(size);
	const char *place;
	uint8_t *p;

	if (!m) {
		user_rings_lost(o, 0, PITRACE_LOST_MTE, 1, stamp);
		return;
	}
	*m = (struct pitrace_mte_map){
		.pid = pid,
		.flags = map->flags,
		.start = map->start,
		.length = map->end - map->start,
		.offset = map->offset,
		.inode = map->inode,
		.dev_major = map->dev_major,
		.dev_minor = map->dev_minor,
	};
	memcpy(m->path, map->path, n + 1);
	put_file(o, m, id, id_size, stamp);
	place = known_files_path(o->files, m);
	if (!place)
		place = map->path;
	n = strlen(place);
	m->path_len = (uint32_t)n;
	p = put_mte(o, PITRACE_MTE, PITRACE_MTE_MODULE, sizeof(*m) + n + 1, stamp);
	if (p) {
		memcpy(p, m, sizeof(*m));
		memcpy(p + sizeof(*m), place, n);
		/* The NUL and padding to a word. */
		memset(p + sizeof(*m) + n, 0, 4 - n % 4);
	}
	free(m);
}

void user_rings_unmap(struct user_rings *o, uint32_t pid, const struct timer_map *map,
		      uint64_t stamp)
{
	struct pitrace_mte_unmap u = {
		.pid = pid,
		.start = map->start,
		.length = map->end - map->start,
	};
	void *p = put_mte(o, PITRACE_MTE, PITRACE_MTE_UNMAP, sizeof(u), stamp);

	if (p)
		memcpy(p, &u, sizeof(u));
}

void user_rings_sample(struct user_rings *o, uint32_t cpu, const struct pitrace_sample *sample,
		       const void *stack, uint32_t bytes, uint64_t stamp)
{
	uint32_t minor = PITRACE_TPROF_USER | (bytes ? PITRACE_TPROF_STACK : 0);
	uint8_t *p;

	if (cpu >= o->ncpus)
		cpu = 0;
	p = put_trace(o, cpu, PITRACE_TPROF, minor, sizeof(*sample) + bytes, stamp);
	if (!p)
		return;
	memcpy(p, sample, sizeof(*sample));
	if (bytes)
		memcpy(p + sizeof(*sample), stack, bytes);
	o->stats[cpu].ticks++;
}

void user_rings_trace(struct user_rings *o, uint32_t cpu, uint16_t major, uint32_t minor,
		      const void *data, size_t bytes, const void *more, size_t more_bytes,
		      uint64_t stamp)
{
	uint8_t *p = put_trace(o, cpu, major, minor, bytes + more_bytes, stamp);

	if (!p)
		return;
	memcpy(p, data, bytes);
	if (more_bytes)
		memcpy(p + bytes, more, more_bytes);
}

void user_rings_lost(struct user_rings *o, uint32_t cpu, enum pitrace_lost kind, uint32_t count,
		     uint64_t stamp)
{
	struct pitrace_lost_rec l = { .count = count };
	void *p;

	if (cpu >= o->ncpus)
		cpu = 0;
	p = put_trace(o, cpu, PITRACE_LOST, kind, sizeof(l), stamp);
	o->stats[cpu].lost[kind] += count;
	o->trace[cpu].lost += count;
	l.total = o->stats[cpu].lost[kind];
	if (p)
		memcpy(p, &l, sizeof(l));
}
