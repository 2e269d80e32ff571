/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that the collector `timer` samples: who they are, their threads and their
 * executable mappings, as far as records have told by now. What changes is written at once.
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

/* A ring, and what it has lost as far as was told. */
struct timer_source {
	uint64_t lost_samples;
	bool known, broken;
};

/* One image of a process: from an exec or a fork to the next exec or the end. */
struct timer_process {
	struct timer_process *next;
	uint32_t pid, ppid;
	uint64_t image;			/* CLOCK_MONOTONIC: when it began */
	uint64_t start;			/* of the process, CLOCK_BOOTTIME; 0: not told yet */
	char comm[16];
	bool begun;			/* PROCESS or FORK is written */
	bool gone;			/* dead, or another image: no more will come */
	bool exited;			/* dead */
	bool buried;			/* its files are removed */
	uint64_t last;			/* newest stamp */
	uint64_t scanned_at;		/* when we ourselves looked at its mappings last */
	uint64_t missed;		/* a page that no look has shown; 0 none */
	bool sampled;			/* in this second */
	uint64_t lost_events;
	uint32_t unsampled, parent;
	struct timer_source *source;
	uint32_t nsource;
	struct timer_maps maps;		/* known */
	struct timer_maps seen;		/* of a look that is being told */
	struct timer_build_id *id;	/* of objects, as the last look told them */
	uint32_t nids, room_ids;
	struct timer_thread *thread;
	uint32_t nthread, thread_room;
};

struct timer_processes {
	struct timer_process *by_pid[1024];
	uint32_t n;
};

/* The image of that pid; made when it is new. NULL: no memory. */
struct timer_process *timer_process_get(struct timer_processes *all, uint32_t pid, uint64_t image);
/* The newest image of a pid that is no newer than that, or NULL. */
struct timer_process *timer_process_newest(struct timer_processes *all, uint32_t pid,
					   uint64_t image);
void timer_process_free(struct timer_processes *all, struct timer_process *p);
void timer_processes_free(struct timer_processes *all);
struct timer_source *timer_process_source(struct timer_process *p, uint32_t number);

/* A line of /proc/PID/maps. False: none, or not executable. The path is allocated. */
bool timer_map_parse(const char *line, size_t length, struct timer_map *map);
/* Does the list cover the address? */
bool timer_maps_have(const struct timer_maps *maps, uint64_t address);

/* The process begins, by exec or as a copy of `parent` (NULL: nothing known of it); stat is the
 * text of its /proc/PID/stat. */
void timer_process_begin(struct timer_process *p, struct user_rings *o,
			 const struct timer_process *parent, const char *stat, size_t length,
			 uint64_t stamp);
/* One mapping, which a look has shown. */
void timer_process_map(struct timer_process *p, struct user_rings *o, const struct timer_map *map,
		       uint64_t stamp);
/* A look tells build ids first: of what is mapped at an address each. */
void timer_process_scan_id(struct timer_process *p, const struct timer_build_id *id);
/* A look tells one mapping after the other … */
bool timer_process_scan_map(struct timer_process *p, const struct timer_map *map);
/* … of which some were lost: forget them; or these are all that there are now. */
void timer_process_scan_abort(struct timer_process *p);
void timer_process_scan_done(struct timer_process *p, struct user_rings *o, uint64_t stamp);
/* The thread is alive: written if that is news. */
void timer_process_thread(struct timer_process *p, struct user_rings *o, uint32_t tid,
			  uint64_t stamp);
void timer_process_thread_exit(struct timer_process *p, struct user_rings *o, uint32_t tid,
			       const char *comm, uint64_t stamp);
/* Ask the system for the names of threads again. */
void timer_process_names(struct timer_process *p, struct user_rings *o, uint64_t stamp);
void timer_process_exit(struct timer_process *p, struct user_rings *o, uint64_t stamp);

#endif
