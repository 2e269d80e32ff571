/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identifies files as soon as perf reports their mappings. */
#include <string.h>
#include "collect/perf/perf_mapped.h"

#define PATH_ROOM 4096

static int identify(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		    uint64_t time)
{
	struct perf_session *s = arg;

	(void)size;
	(void)time;
	if (major == PITRACE_MTE && minor == PITRACE_MTE_MODULE)
		known_files_identify(s->files, data);
	return 0;
}

void perf_files_identify(struct perf_session *s)
{
	const struct perf_event_header *h;
	struct perf_item item;
	const char *why;

	for (uint32_t i = 0; i < s->ncpus; i++) {
		struct perf_cpu *c = &s->cpu[i];
		struct perf_ring r = c->ring[PERF_NAMES];
		uint64_t until = perf_ring_head(&r);

		if (r.at < c->names_seen)
			r.at = c->names_seen;
		while ((h = perf_ring_peek(&r, until))) {
			if (!perf_decode(&s->shape[PERF_NAMES], h, h->size, &item, &why))
				perf_put_name(&item, identify, s);
			perf_ring_next(&r, h);
		}
		c->names_seen = r.at;
	}
}

/* The mapping record with another path. */
static int put_at(const struct pitrace_mte_map *map, const char *place, perf_put put, void *arg,
		  uint64_t time)
{
	union {
		struct pitrace_mte_map map;
		uint8_t room[sizeof(struct pitrace_mte_map) + PATH_ROOM + 4];
	} u = { .map = *map };
	size_t n = strnlen(place, PATH_ROOM);

	u.map.path_len = (uint32_t)n;
	memset(u.map.path + (n & ~(size_t)3), 0, 4);
	memcpy(u.map.path, place, n);
	return put(arg, PITRACE_MTE, PITRACE_MTE_MODULE, &u.map,
		   sizeof(u.map) + (n & ~(size_t)3) + 4, time);
}

int perf_files_put(struct perf_session *s, const struct pitrace_mte_map *map, size_t size,
		   uint64_t time, perf_put put, void *arg)
{
	const char *place = known_files_path(s->files, map);
	const struct pitrace_mte_buildid *id = known_files_take_id(s->files, map);
	int err = id ? put(arg, PITRACE_MTE, PITRACE_MTE_BUILDID, id, sizeof(*id), time) : 0;

	if (err)
		return err;
	return place ? put_at(map, place, put, arg, time) :
		       put(arg, PITRACE_MTE, PITRACE_MTE_MODULE, map, size, time);
}
