/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that the collector `timer` samples, with their threads and executable mappings, as
 * far as records have reported them. Changes are written at once.
 */
#ifndef PITRACE_TIMER_PROCESS_H
#define PITRACE_TIMER_PROCESS_H

#include "collect/timer/preload/layout.h"
#include "collect/user_rings.h"

struct timer_maps {
	struct timer_map *list;
	uint32_t n, room;
};

struct timer_thread {
	uint32_t tid;
	char comm[16];
};

/* A ring, and its losses reported so far. */
struct timer_source {
	uint64_t lost_samples;
	bool known, broken;
};

/* One image of a process: from an exec or a fork to the next exec or the end. */
struct timer_process {
	struct timer_process *next;
	uint32_t pid, ppid;
	uint64_t image; /* start, CLOCK_MONOTONIC */
	/* start of the process, CLOCK_BOOTTIME; 0: not reported yet */
	uint64_t start;
	char comm[16];
	bool begun;          /* PROCESS or FORK is written */
	bool gone;           /* exited, or replaced by exec: no more records will come */
	bool exited;         /* exited */
	bool buried;         /* its files are removed */
	uint64_t last;       /* newest stamp */
	uint64_t scanned_at; /* when the collector last read its mappings */
	uint64_t missed;     /* a page that no scan has found; 0: none */
	bool sampled;        /* number in this second */
	uint64_t lost_events;
	uint32_t unsampled, parent;
	struct timer_source *source;
	uint32_t nsource;
	struct timer_maps maps;    /* known mappings */
	struct timer_maps seen;    /* mappings of a scan in progress */
	struct timer_build_id *id; /* build ids, as the last scan reported them */
	uint32_t nids, room_ids;
	struct timer_thread *thread;
	uint32_t nthread, thread_room;
};

struct timer_processes {
	struct timer_process *by_pid[1024];
	uint32_t n;
};

/* Returns the image of that pid; created if new. NULL: no memory. */
struct timer_process *timer_process_get(struct timer_processes *all, uint32_t pid, uint64_t image);
/* Returns the newest image of a pid that is not newer than that, or NULL. */
struct timer_process *timer_process_newest(struct timer_processes *all, uint32_t pid,
					   uint64_t image);
void timer_process_free(struct timer_processes *all, struct timer_process *p);
void timer_processes_free(struct timer_processes *all);
struct timer_source *timer_process_source(struct timer_process *p, uint32_t number);

/* Parses a line of /proc/PID/maps. False: not a mapping, or not executable. The path is allocated;
 * the caller frees it. */
bool timer_map_parse(const char *line, size_t length, struct timer_map *map);
/* Checks whether the list covers the address. */
bool timer_maps_have(const struct timer_maps *maps, uint64_t address);

/* Begins a process, by exec or as a copy of `parent` (NULL: unknown); stat is the text of its
 * /proc/PID/stat. */
void timer_process_begin(struct timer_process *p, struct user_rings *o,
			 const struct timer_process *parent, const char *stat, size_t length,
			 uint64_t stamp);
/* Writes one mapping that a scan has shown. */
void timer_process_map(struct timer_process *p, struct user_rings *o, const struct timer_map *map,
		       uint64_t stamp);
/* A scan reports build ids first: each for the mapping at an address. False, here and below: no
 * room for it. */
bool timer_process_scan_id(struct timer_process *p, const struct timer_build_id *id);
/* Then it reports one mapping after the other … */
bool timer_process_scan_map(struct timer_process *p, const struct timer_map *map);
/* … some of which were lost: discards them; or they are complete. */
void timer_process_scan_abort(struct timer_process *p);
void timer_process_scan_done(struct timer_process *p, struct user_rings *o, uint64_t stamp);
/* Writes the thread if it is new. */
void timer_process_thread(struct timer_process *p, struct user_rings *o, uint32_t tid,
			  uint64_t stamp);
void timer_process_thread_exit(struct timer_process *p, struct user_rings *o, uint32_t tid,
			       const char *comm, uint64_t stamp);
/* Reads the names of threads again. */
void timer_process_names(struct timer_process *p, struct user_rings *o, uint64_t stamp);
void timer_process_exit(struct timer_process *p, struct user_rings *o, uint64_t stamp);

#endif
