/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The perf collector's session, as its parts share it. perf_events.c opens events and rings,
 * perf_pump.c turns what rings hold into segments, backend_perf.c is the collector.
 *
 * A CPU has a ring for names, one for samples and, when dispatches are wanted, one for switches:
 * so each kind's losses are known apart. Names become the CPU's MTE segments, the others, merged by
 * time, its trace segments. What the collector says itself (clock syncs, the walk of what lives) is
 * queued with its time and joins the first CPU's names.
 */
#ifndef PITRACE_PERF_SESSION_H
#define PITRACE_PERF_SESSION_H

#include <pthread.h>
#include "collect/backend.h"
#include "image/known_files.h"
#include "collect/perf/perf_dither.h"
#include "collect/perf/perf_idle.h"
#include "collect/perf/perf_open.h"
#include "collect/perf/perf_ring.h"
#include "file/segment.h"

#define PERF_PIDS	(1u << 22)	/* the kernel's own limit */

struct perf_event {
	int fd;
	enum perf_use use;
	uint32_t number;		/* SAMPLES: which of config.events */
	uint32_t cpu;			/* place in perf_session.cpu */
	bool in_turns;			/* with the next or the one before: */
	unsigned int turn;		/* … which of them it is */
	uint64_t id;
};

struct perf_cpu {
	uint32_t cpu;
	struct perf_ring names, samples, switches;
	uint64_t until_samples, until_switches;	/* how far this drain reads them */
	uint64_t names_seen;		/* how far files were looked at (perf_mapped.c) */
	struct segment_out mte, trace;
	struct perf_running running;
	uint64_t lost[PITRACE_LOST_KINDS], base[PITRACE_LOST_KINDS];
	uint64_t ticks, idle_ticks;
	uint64_t mte_bytes, trace_bytes;	/* handed over */
	uint64_t due;				/* when the timer's last tick was, 0 unknown */
	uint64_t due_of;			/* … of the event with that identifier */
	uint64_t throttled;			/* since when, 0: not, since the last sample */
	uint64_t reported;				/* lost since the last sample */
	/* Ticks of an idle CPU that one record will tell. */
	uint32_t idle_count;
	uint64_t idle_since, idle_last;
};

/* What the collector says: records with their times, in their order. */
struct perf_queue {
	uint8_t *data;
	size_t used, room, at;
};

struct perf_session {
	struct trace_config config;
	bool user_only;
	struct perf_shape shape, sample_shape;
	struct perf_stacks stacks;
	struct perf_idle idle;
	struct perf_cpu *cpu;
	uint32_t ncpus;
	struct perf_event *event;	/* in the order of identifiers: the kernel counts up */
	size_t nevents, events_room;
	uint8_t *scope;			/* a bit a pid: ever in scope; NULL: all are */
	struct perf_queue queue;
	struct known_files *files;	/* the backend's: it outlives events and rings */
	uint64_t synced;		/* time of the last clock sync */
	bool names_lost;		/* since the last walk */
	/* perf_dither.c */
	pthread_t turns;
	pthread_mutex_t turns_lock;	/* of what follows, and of samples' being on or off */
	bool turning;			/* the thread is there */
	int turns_quit;			/* eventfd: it shall end */
	bool sampling;
	unsigned int turn;		/* whose it is */
};

/* Open all events and rings of s->config, off. 0; or -errno with the CPU's or thread's event that
 * failed. */
int perf_session_open(struct perf_session *s);
/* The rings of switches, once they are wanted. */
int perf_session_open_switches(struct perf_session *s);
void perf_session_close(struct perf_session *s);
/* Count on or off, all events of that use; of those in turns the ones whose it is. */
void perf_session_enable(struct perf_session *s, enum perf_use use, bool on);
/* Whose records have that identifier (also those inherited from it), or NULL. */
const struct perf_event *perf_session_event(const struct perf_session *s, uint64_t id);
/* The timer's events have the periods of s->config.rate from now on. */
void perf_session_period(struct perf_session *s);
/* Losses by the events' own counters, where the kernel keeps them: at on (begin) and after the last
 * drain, since a ring that stays full tells of them by no record. */
void perf_session_count_lost(struct perf_session *s, bool begin);

/* Queue a record of the collector's own. 0 or -ENOMEM. */
int perf_emit(struct perf_session *s, uint16_t major, uint32_t minor, const void *data, size_t size,
	     uint64_t time);
int perf_emit_sync(struct perf_session *s, enum pitrace_sync_why why);
int perf_emit_walk(struct perf_session *s);
/* Forget what was not handed over, and all counts: an interval begins. */
void perf_pump_reset(struct perf_session *s);
/* Forget the samples and dispatches that were not handed over; names stay. */
void perf_pump_discard(struct perf_session *s);
/* Rings and queue to segments: names first, then what came before their reading; with `all` no
 * segment stays open. */
int perf_pump(struct perf_session *s, bool all, segment_sink sink, void *arg);

#endif
