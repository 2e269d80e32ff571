/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads mappings that no program reported: when a sample needs them, and from time to time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/now.h"
#include "base/proc_lines.h"
#include "collect/timer/timer_session.h"

#define RESCAN_NS 100000000ull /* minimum time between reads of a process's mappings */

/* Reads the maps as if the process had reported them now. Only for an image that has the library:
 * another one may have replaced it. */
void timer_rescan(struct timer_session *s, struct timer_process *p)
{
	uint64_t now = now_ns();
	size_t first = s->nitem, room = 0;
	char path[64], *line = NULL;
	bool ours = false;
	uint32_t n = 0;
	ssize_t got;
	FILE *f;

	if (p->gone || now - p->scanned_at < RESCAN_NS ||
	    timer_process_newest(&s->all, p->pid, UINT64_MAX) != p)
		return;
	p->scanned_at = now;
	snprintf(path, sizeof(path), "/proc/%u/maps", p->pid);
	f = fopen(path, "re");
	while (f && (got = getline(&line, &room, f)) > 0) {
		struct timer_map map;

		got -= line[got - 1] == '\n';
		if (!timer_map_parse(line, (size_t)got, &map))
			continue;
		ours |= strstr(map.path, TIMER_LIBRARY) != NULL;
		free(map.path);
		timer_add_item(s, p, TIMER_MAP, p->pid, now, line, (uint32_t)got);
		n++;
	}
	/* An incomplete list proves nothing about missing mappings. */
	ours = ours && !getline_error(f);
	free(line);
	if (f)
		fclose(f);
	if (ours) {
		timer_add_item(s, p, TIMER_SCAN, p->pid, now, &n, sizeof(n));
		return;
	}
	while (s->nitem > first) {
		s->item_bytes -= s->item[--s->nitem].bytes;
		free(s->item[s->nitem].data);
	}
}

/* Takes the build id that the same scan reported for this mapping. */
static void take_id(struct timer_session *s, size_t from, size_t to, struct timer_process *p,
		    const struct timer_map *map)
{
	for (size_t i = from; i < to; i++) {
		struct timer_build_id id;

		if (s->item[i].p != p || s->item[i].kind != TIMER_BUILD_ID ||
		    s->item[i].bytes < sizeof(id))
			continue;
		memcpy(&id, s->item[i].data, sizeof(id));
		if (id.address < map->start || id.address >= map->end)
			continue;
		if (!timer_process_scan_id(p, &id))
			user_rings_lost(&s->out, 0, PITRACE_LOST_MTE, 1, s->item[i].stamp);
		return;
	}
}

/* A mapping was created after the last scan. Uses the next scan that shows what the sample at item
 * `i` needs, or reads the maps. */
void timer_require_mapping(struct timer_session *s, size_t i, uint64_t address)
{
	struct timer_process *p = s->item[i].p;

	if (!user_rings_steps(&s->out, p->maps.n) || timer_maps_have(&p->maps, address) ||
	    (p->missed && p->missed == address >> 12))
		return;
	for (size_t j = i + 1, end = s->nitem; j <= end; j++) {
		struct timer_map map;

		if (j == end) {
			timer_rescan(s, p);
			end = s->nitem;
			if (j == end)
				break;
		}
		if (!user_rings_steps(&s->out, 1))
			return;
		if (s->item[j].p != p)
			continue;
		if (s->item[j].kind == TIMER_SCAN)
			break;
		if (s->item[j].kind != TIMER_MAP ||
		    !timer_map_parse((char *)s->item[j].data, s->item[j].bytes, &map))
			continue;
		if (address >= map.start && address < map.end) {
			take_id(s, i + 1, j, p, &map);
			timer_process_map(p, &s->out, &map, s->item[i].stamp);
			free(map.path);
			return;
		}
		free(map.path);
	}
	p->missed = address >> 12;
}
