/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The layout shared by the preloaded library and the collector `timer`: files in a folder of
 * the collector, whose path the traced programs find in TIMER_VARIABLE.
 *
 * FOLDER/control       written by the collector, mapped read-only by the library
 * FOLDER/PID-IMAGE-N   written by the library: ring N of a process. IMAGE is the time at which the
 *                      program began (exec) or was forked. Ring 0 belongs to the main thread and
 *                      also has the process's events; the others are reused by further threads.
 *
 * A ring has one writer, the thread that it belongs to (events: the thread that holds the lock),
 * and one reader. head and tail are byte counts that only grow; they are multiples of 8. Records do
 * not wrap: a PAD record skips the rest of the ring, and only its first 8 bytes are guaranteed to
 * exist.
 *
 * Barriers   library                                  collector
 *   (T)  write the record; head, store-release  |  head, load-acquire; read the records below
 *   (U)  tail, load-acquire; write over it      |  finish reading; tail, store-release
 */
#ifndef PITRACE_TIMER_LAYOUT_H
#define PITRACE_TIMER_LAYOUT_H

#include <stdint.h>

#define TIMER_VARIABLE "PITRACE_TIMER"
#define TIMER_CONTROL  "control"
#define TIMER_MAGIC    0x4D544950u
#define TIMER_VERSION  2
#define TIMER_DATA     4096 /* a file's events begin here, its samples follow */
#define TIMER_RINGS    4096 /* maximum per process */

/*
 * The library's signal, between SIGRTMIN and SIGRTMAX. SIGPROF belongs to the programs' own
 * profilers, the kernel sends other signals (SIGURG, SIGWINCH …) to programs that wait for them,
 * and the real-time signals that programs use are those at both ends.
 */
#define TIMER_SIGNAL 57

enum timer_state { TIMER_PAUSED = 0, TIMER_ON = 1, TIMER_OVER = 2 };

struct timer_control {
	uint32_t magic;
	uint32_t version;
	uint32_t state;       /* enum timer_state */
	uint32_t stacks;      /* PITRACE_WANT_USER, PITRACE_WANT_COPY */
	uint64_t interval;    /* ns of a thread's CPU time between samples */
	uint64_t tick;        /* ns: period at which the kernel checks CPU timers */
	uint32_t event_bytes; /* sizes of the rings, powers of two */
	uint32_t sample_bytes;
	uint32_t depth; /* maximum addresses of a stack */
	uint32_t copy;  /* maximum bytes of a stack */
	uint32_t fine;  /* 0: only the tick takes samples */
	uint32_t unused;
};

struct timer_ring {
	uint64_t head; /* written by the library */
	uint64_t lost; /* records lost for lack of space; written by the library */
	uint64_t unused[6];
	uint64_t tail; /* written by the collector */
	uint64_t unused2[7];
};

struct timer_file {
	uint32_t magic;
	uint32_t version;
	uint32_t pid;
	uint32_t number;      /* number of the ring; 0 has events too */
	uint64_t image;       /* CLOCK_MONOTONIC */
	uint32_t event_bytes; /* 0, or from the control file */
	uint32_t sample_bytes;
	uint32_t unsampled; /* threads without a ring or timer; counted in ring 0 */
	uint32_t parent;    /* FORKED: pid of the parent; 0: by exec */
	uint32_t unused[6];
	struct timer_ring events;  /* at 64 */
	struct timer_ring samples; /* at 192 */
};
_Static_assert(sizeof(struct timer_file) == 320, "timer file");

enum timer_kind {
	TIMER_PAD,
	TIMER_SAMPLE,      /* struct timer_sample */
	TIMER_START,       /* start of a program; text: /proc/self/stat */
	TIMER_FORKED,      /* fork, likewise */
	TIMER_MAP,         /* a line of /proc/self/maps, without its newline */
	TIMER_SCAN,        /* end of a scan of executable mappings: u32 number of lines */
	TIMER_THREAD_EXIT, /* text: its name */
	TIMER_EXIT,
	TIMER_BUILD_ID, /* struct timer_build_id: before the lines of a scan */
};

struct timer_record {
	uint16_t length; /* with this header, a multiple of 8; PAD: to the ring's end */
	uint16_t kind;   /* enum timer_kind */
	uint32_t tid;
	uint64_t stamp; /* CLOCK_MONOTONIC */
};

struct timer_sample {
	uint64_t address;
	uint32_t overruns; /* further intervals that ended */
	uint16_t cpu;
	uint16_t flags; /* TIMER_STACK, TIMER_FINE */
};

#define TIMER_STACK 1 /* followed by struct pitrace_stack and its data */
#define TIMER_FINE  2 /* not at the kernel's tick */

/* The build id of the object at that address, read from its memory. */
struct timer_build_id {
	uint64_t address;
	uint8_t size; /* bytes of the id, up to 20 */
	uint8_t id[23];
};

#endif
