/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The perf collector's session, shared by its files. perf_events.c opens events and rings,
 * perf_pump.c converts the content of the rings to segments, backend_perf.c is the collector.
 *
 * A CPU has a ring for names, one for samples and one each for switches, wake-ups and system calls,
 * if they are recorded: so that the losses of each kind are known. Names become the CPU's MTE
 * segments, the others, merged by time, its trace segments. The collector's own records (clock
 * syncs, the walk of live tasks) are queued with their time and join the first CPU's names.
 */
#ifndef PITRACE_PERF_SESSION_H
#define PITRACE_PERF_SESSION_H

#include <pthread.h>
#include "collect/backend.h"
#include "image/known_files.h"
#include "collect/perf/perf_dither.h"
#include "collect/perf/perf_idle.h"
#include "collect/perf/perf_points.h"
#include "collect/perf/perf_ring.h"
#include "file/segment.h"

#define PERF_PIDS (1u << 22) /* the kernel's own limit */

struct perf_event {
	int fd;
	enum perf_use use;
	uint32_t number;   /* SAMPLES: index in config.events; tracepoints: enum perf_point */
	uint32_t cpu;      /* index in perf_session.cpu */
	bool in_turns;     /* paired with the next or the previous event: */
	unsigned int turn; /* … its number in the pair */
	uint64_t id;
};

struct perf_cpu {
	uint32_t cpu;
	struct perf_ring ring[PERF_USES];
	uint64_t until[PERF_USES]; /* limit of this drain */
	uint64_t names_seen;       /* position of perf_mapped.c */
	struct segment_out mte, trace;
	struct perf_running running;
	struct perf_left *left; /* NULL: dispatches without the tracepoint */
	uint64_t lost[PITRACE_LOST_KINDS], base[PITRACE_LOST_KINDS];
	uint64_t ticks, idle_ticks;
	uint64_t mte_bytes, trace_bytes; /* handed over */
	uint64_t due;                    /* time of the timer's last tick, 0 unknown */
	uint64_t due_of;                 /* … identifier of its event */
	/* start of throttling since the last sample, 0: none */
	uint64_t throttled;
	uint64_t reported; /* lost since the last sample */
	/* Ticks of an idle CPU, to be reported by one record. */
	uint32_t idle_count;
	uint64_t idle_since, idle_last;
};

/* The collector's own records, with their times, in order. */
struct perf_queue {
	uint8_t *data;
	size_t used, room, at;
};

struct perf_session {
	struct trace_config config;
	bool user_only;
	struct perf_shape shape[PERF_USES]; /* records other than samples have the same in all */
	struct perf_points points;
	struct perf_stacks stacks;
	struct perf_idle idle;
	struct perf_cpu *cpu;
	uint32_t ncpus;
	struct perf_event *event; /* sorted by identifier: the kernel assigns ascending ones */
	size_t nevents, events_room;
	uint8_t *scope;  /* one bit per pid that was ever in scope; NULL: all */
	uint32_t *tasks; /* pids by tid, 0: unknown; NULL: not needed */
	struct perf_queue queue;
	struct known_files *files; /* owned by the backend: it outlives events and rings */
	uint64_t synced;           /* time of the last clock sync */
	bool names_lost;           /* since the last walk */
	/* perf_dither.c */
	pthread_t turns;
	pthread_mutex_t turns_lock; /* protects the members below and whether samples are on */
	bool turning;               /* the thread is running */
	int turns_quit;             /* eventfd: makes it end */
	bool sampling;
	unsigned int turn; /* the event whose turn it is */
};

/* Opens all events and rings of s->config, disabled. 0; or -errno with the event of the CPU or
 * thread that failed. */
int perf_session_open(struct perf_session *s);
/* Opens the rings of switches or wake-ups, once they are requested. */
int perf_session_open_whole(struct perf_session *s, enum perf_use use);
void perf_session_close(struct perf_session *s);
/* Enables or disables all events of that use; for pairs, the event whose turn it is. */
void perf_session_enable(struct perf_session *s, enum perf_use use, bool on);
/* Finds the event whose records have this identifier (inherited events share it), or NULL. */
const struct perf_event *perf_session_event(const struct perf_session *s, uint64_t id);
/* The kind of losses that a ring of this use counts as. */
enum pitrace_lost perf_lost_of(enum perf_use use);
/* Reads losses from the events' own counters, where the kernel has them: at *on* (begin) and after
 * the last drain, because a ring that stays full has no record of them. */
void perf_session_count_lost(struct perf_session *s, bool begin);

/* Queues one of the collector's own records. 0 or -ENOMEM. */
int perf_emit(struct perf_session *s, uint16_t major, uint32_t minor, const void *data, size_t size,
	      uint64_t time);
int perf_emit_sync(struct perf_session *s, enum pitrace_sync_why why);
int perf_emit_walk(struct perf_session *s);
/* Discards everything that was not handed over, and all counts: an interval begins. */
void perf_pump_reset(struct perf_session *s);
/* Discards the samples and dispatches that were not handed over; keeps names. */
void perf_pump_discard(struct perf_session *s);
/* Moves rings and queue to segments: names first, then the records that precede the reading of the
 * names. With `all` no segment stays open. */
int perf_pump(struct perf_session *s, bool all, segment_sink sink, void *arg);
/* The same, but segments of names also stay open until they are full: for a sink that stores names
 * separately and writes them first. */
int perf_pump_full(struct perf_session *s, segment_sink sink, void *arg);

#endif
