/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libperfutil: control of tracing. Names and state rules are those of IBM's Performance Inspector
 * (Linux Symposium 2008), codes and sizes are ours.
 *
 * A trace session has its own process: TraceInit starts a *holder*, which keeps the descriptors and
 * drains the buffers until TraceTerminate. So a session outlives the program that began it, and any
 * program of the same user (or root) may control it. All functions return 0 or a positive value as
 * described, or one of the negative codes below; RcToString returns its text.
 *
 * 	TraceInit → TraceEnable … → TraceOn → TraceOff → TraceWriteBufferToFile → TraceTerminate
 *
 * State rules: *on* before init is PI_NOT_INITIALIZED; a mode, size, rate or scope changed while
 * on, and *on* while on, are PI_INCORRECT_STATE; suspend and resume while not on are
 * PI_INCORRECT_STATE, but succeed in the state already reached; terminate implies off; off disables
 * all majors.
 */
#ifndef PERFUTIL_H
#define PERFUTIL_H

#include <stddef.h>
#include <stdint.h>
#include "pitrace.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- return codes ---------------------------------------------------------------------------- */

enum pi_rc {
	PI_OK = 0,
	PI_ERROR = -1, /* see errno, or TraceLastError */
	PI_NOT_INITIALIZED = -2,
	PI_INCORRECT_STATE = -3,
	PI_BUFFER_FULL = -4, /* a ring filled up while tracing began */
	PI_DRIVER_NOT_LOADED = -5,
	PI_NOT_SUPPORTED = -6,
	PI_BUSY = -7,      /* another user's session prevents this */
	PI_NOT_OWNER = -8, /* the session is another user's */
	PI_NO_PERMISSION = -9,
	PI_INVALID_ARGUMENT = -10,
	PI_NO_MEMORY = -11,
	PI_NO_PROCESS = -12,
	PI_FILE_ERROR = -13,  /* the trace file cannot be created or written */
	PI_HOLDER_GONE = -14, /* the holder process died */
	PI_BAD_DRIVER = -15,  /* the driver has another interface version */
	PI_HOOK_TOO_LONG = -16,
	PI_EVENT_UNSUPPORTED = -17,
	PI_TOO_MANY_METRICS = -18,
	PI_DUPLICATE_METRIC = -19,
	PI_BAD_PRIVILEGE = -20,
};

/* Returns the text of a code; never NULL. */
const char *RcToString(int rc);
/* Returns the message of the last failed call of this thread, or "". */
const char *TraceLastError(void);

/* ---- set up ---------------------------------------------------------------------------------- */

enum trace_mode {
	TRACE_NORMAL = PITRACE_MODE_NORMAL,
	TRACE_CONTINUOUS = PITRACE_MODE_CONTINUOUS,
	TRACE_WRAP = PITRACE_MODE_WRAP
};
enum trace_scope { TRACE_SYSTEM = PITRACE_SCOPE_SYSTEM, TRACE_PROCESS = PITRACE_SCOPE_PROCESS };

#define TRACE_DEFAULT_NAME "swtrace.nrm2"
#define TRACE_DEFAULT_RATE 997 /* ticks a second */
#define TRACE_MAX_RATE     20000

/* Call these before TraceInit; they configure the session. */
int TraceSetMode(int mode);              /* enum trace_mode; default TRACE_NORMAL */
int TraceSetName(const char *path);      /* trace file; default swtrace.nrm2 */
int TraceSetMteSize(uint64_t bytes);     /* of each CPU's MTE buffer; default 2 MB */
int TraceSetSectionSize(uint64_t bytes); /* of a segment; default 64 KB */
int TraceSetScope(int scope, int pid);   /* default TRACE_SYSTEM; pid and its children */
/* Records call stacks with samples: what is PITRACE_WANT_*, 0: none (default); depth is the maximum
 * number of addresses of each part, 0: as many as fit; copy is the number of bytes of user stack, a
 * multiple of 8, with PITRACE_WANT_COPY. */
int TraceSetStacks(int what, int depth, int copy);
/* Continuous mode: start a new file after this many bytes or seconds (0: no limit), and keep this
 * many older ones, name.1, name.2 … (0: all). */
int TraceSetRotation(uint64_t bytes, uint64_t seconds, int keep);
/* The collector: "driver", "perf", …; NULL (the default): the first that works. */
int TraceSetCollector(const char *name);

/* Samples by events instead of the timer. Call it before TraceInit, or for the current session
 * while tracing is off. Names, separated by commas, of perf events, of the kernel's PMUs, of
 * libpfm4; NULL: the timer. A sample is taken each `count` events; 0: by frequency, at the
 * session's rate. cpu is -1: all. priv: the code in which events count. */
enum trace_priv { TRACE_PRIV_ANY, TRACE_PRIV_USER, TRACE_PRIV_KERNEL };
int TraceSetTprofEvent(int cpu, const char *event, uint64_t count, int priv);
/* Looks up the names, at most PITRACE_EVENTS. Returns their number or a negative code. rate:
 * samples per second where count is 0. */
int TraceFindEvents(const char *names, uint64_t count, uint32_t rate, int priv,
		    struct pitrace_event_args *list) PITRACE_WRITES(5) PITRACE_USE_RESULT;
/* Calls back for each known event name, with its source and a description. */
void TraceListEvents(void (*each)(void *arg, const char *source, const char *name,
				  const char *what),
		     void *arg);
/* Checks whether this machine can count and sample the event: 1, or 0. */
int TraceCanCount(const struct pitrace_event_args *event) PITRACE_USE_RESULT;

/* Checks whether the collectors work for this user here and now, and what to change if not. One
 * entry per collector, in the order in which they are tried. Returns their number, of which at most
 * `room` were filled in, or a negative code. pid 0: a command that is not started yet. */
enum trace_check_state { TRACE_CHECK_WORKS, TRACE_CHECK_REFUSED, TRACE_CHECK_ABSENT };
struct trace_check {
	char name[16];
	char what[80];  /* the source of its records */
	int state;      /* enum trace_check_state */
	int serves;     /* it is the one that would be used */
	char why[400];  /* the reason; "" when it works without restrictions */
	char cure[400]; /* the one command that fixes it, or "" */
};
int TraceCheck(int scope, int pid, struct trace_check *list, int room)
	PITRACE_WRITES(3, 4) PITRACE_USE_RESULT;

/* Checks whether this collector can record this major: 1, or 0. On some kernels the driver can
 * record fewer: see trace_info.available. */
int TraceCollectorHas(const char *collector, int major);
/* Returns the names of the collectors, from index 0 on, in the order in which they are tried; NULL:
 * no more. */
const char *TraceCollectorName(int place);
/* The purposes of this collector, as bits. */
enum trace_use {
	TRACE_FOR_SAMPLES = 1,
	TRACE_FOR_ITRACE = 2,
	TRACE_FOR_SESSIONS = 4, /* which continue after the program that created them has ended */
	TRACE_FOR_ALL = TRACE_FOR_SAMPLES | TRACE_FOR_ITRACE | TRACE_FOR_SESSIONS,
	TRACE_BY_MODULE = 8, /* is the kernel module */
	TRACE_BY_STEPS = 16  /* stops the thread at each instruction, which is slow */
};
int TraceCollectorUse(const char *collector);

/* Starts a session with trace buffers of this many bytes per CPU (0: 4 MB). */
int TraceInit(uint64_t size) PITRACE_USE_RESULT;
/* Ends the session: turns tracing off and frees the buffers. */
int TraceTerminate(void);

/* ---- between init and on --------------------------------------------------------------------- */

/* Majors 0-255; PI_NOT_SUPPORTED: the collector cannot record this one. MTE is always recorded.
 * With no major enabled, TraceOn records tprof. */
int TraceEnable(int major);
int TraceDisable(int major);
int TraceQueryMajor(int major) PITRACE_USE_RESULT; /* 1 enabled, 0 not */
/* Returns the name of a major: "dispatch"; "user" for all user majors. NULL: no name. */
const char *TraceMajorName(int major);
int SetProfilerRate(int rate); /* ticks a second, 1 - 20000 */

/* ---- on and off ------------------------------------------------------------------------------ */

int TraceOn(void);
int TraceOff(void);
int TraceSuspend(void); /* samples pause, names are still recorded */
int TraceResume(void);
int TraceDiscard(void); /* discards the trace buffers, but no names */
/* Writes a complete file of what was traced so far; on or off. NULL: the session's file, or in wrap
 * mode while on the first unused one of name.1, name.2 … */
int TraceWriteBufferToFile(const char *path) PITRACE_USE_RESULT;

/* records of programs */

/*
 * Writes a record with integers and strings: major 0xB0 or 0xD0-0xFF, or PITRACE_MTE with minor
 * PITRACE_MTE_JIT or PITRACE_MTE_JAVA_THREAD; any minor otherwise. lens NULL: the strings end with
 * NULs. The library fills in process, thread, CPU (the argument is ignored) and time. 0: written;
 * TRACE_NOBODY: no session records it; PI_BUFFER_FULL: lost, and counted as lost.
 */
#define TRACE_NOBODY 1
int TraceHook(int cpu, int major, int minor, int int_count, int str_count, const uint64_t ints[],
	      const int lens[], const char *const strs[]);

/* Mapped pages that show which majors are recorded; only for TraceEnabled. */
extern const uint64_t *TraceListening[2];

/* 1: a session may record this major; 0: TraceHook would only return TRACE_NOBODY. A few
 * instructions, no call. */
static inline int TraceEnabled(int major, int minor)
{
	unsigned int at = (unsigned int)major % PITRACE_MAJORS;
	const uint64_t *here = __atomic_load_n(&TraceListening[0], __ATOMIC_RELAXED);
	const uint64_t *there = __atomic_load_n(&TraceListening[1], __ATOMIC_RELAXED);

	(void)minor;
	return (int)((__atomic_load_n(here + at / 64, __ATOMIC_RELAXED) |
		      __atomic_load_n(there + at / 64, __ATOMIC_RELAXED)) >>
			     at % 64 &
		     1);
}

/* The call and its arguments are evaluated only if a session records the major, or if the major is
 * not a user major. If TRACE_NO_GUARD is defined before this file is included, TraceHook is just
 * the function. */
#ifndef TRACE_NO_GUARD
#define TraceHook(cpu, major, ...)                                                       \
	__extension__({                                                                  \
		int trace_major_ = (major);                                              \
		unsigned int trace_at_ = (unsigned int)trace_major_;                     \
		(trace_at_ - PITRACE_USER_FIRST < PITRACE_MAJORS - PITRACE_USER_FIRST || \
		 trace_at_ == PITRACE_HOOKIT) &&                                         \
				!TraceEnabled(trace_major_, 0) ?                         \
			TRACE_NOBODY :                                                   \
			(TraceHook)(cpu, trace_major_, __VA_ARGS__);                     \
	})
#endif

/* PITRACE_MTE records for runtimes: code loaded, moved, freed; the calling thread's name. Return
 * values as of TraceHook. */
int TraceJitLoad(const char *name, uint64_t address, uint64_t size);
int TraceJitMove(uint64_t from, uint64_t to, uint64_t size);
int TraceJitUnload(uint64_t address, uint64_t size);
int TraceThreadName(const char *name);

/* queries */

int IsTraceActive(void); /* 1: there is a session */
int IsTraceOn(void);     /* 1: on (or suspended) */
int IsContMode(void);
int IsWrapMode(void);
const char *TraceGetName(void);
int TraceGetIntervalId(void); /* number of the interval; 0 before the first on */

struct trace_info {
	uint32_t size, version; /* set by TraceGetInfo: sizeof, 1 */
	uint32_t state;         /* enum pitrace_state */
	uint32_t mode, scope;
	int32_t pid; /* pid of the scope */
	uint32_t rate, dither;
	uint32_t ncpus;               /* CPUs with buffers */
	uint32_t stop_cpu, stop_ring; /* the reason, when `stopped` */
	int32_t stop_pid;             /* … stop_ring PITRACE_STOP_CRASH: the process, */
	uint32_t stop_signal;         /* … and its signal */
	uint32_t stopped;
	uint32_t file_error;                  /* errno of the first failed write, 0: none */
	uint32_t driver_have, driver_missing; /* PITRACE_HAVE_* */
	uint32_t clock;
	int32_t holder; /* pid of the holder */
	uint32_t files; /* number of rotated files: file.1, file.2 … */
	uint64_t mte_bytes, trace_bytes, segment_bytes;
	uint64_t interval;
	uint64_t ticks, idle_ticks, late;
	uint64_t lost[PITRACE_LOST_KINDS];
	uint64_t written, records; /* bytes of the file and the older ones */
	uint64_t unwritten;        /* records lost because the file could not be written */
	uint64_t got, got_records; /* bytes and records of the last file written on request */
	uint64_t majors[PITRACE_MAJORS / 64]; /* enabled */
	/* majors that the collector can record here */
	uint64_t available[PITRACE_MAJORS / 64];
	char collector[16]; /* the collector: "driver", "perf", "timer" */
	char note[200];     /* what it does not record, or "" */
	char file[4096];
	char got_file[4096];             /* … name of the last file written on request */
	uint64_t instructions, branches; /* instructions of the threads traced by ITrace */
	uint64_t waits, waited;          /* number of their waits for the file, and their ns */
	uint64_t taken;                  /* threads not traced: another session traces them */
	/* the sampler: "the timer", or events: "cycles,page-faults" */
	char sampler[128];
	/* processes of other users that called TraceHook and could not record, and the first of
	 * them by name: "httpd (4711, uid 65534)" */
	uint64_t refused;
	char refused_names[200];
};
int TraceGetInfo(struct trace_info *info) PITRACE_WRITES(1) PITRACE_USE_RESULT;
/* The name of an index of lost[]: "dispatches". Never NULL. */
const char *TraceLostName(int kind);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int TraceCheck_sized(int scope, int pid, struct trace_check *list, int room, size_t size)
	PITRACE_WRITES(3, 4) PITRACE_USE_RESULT;
int TraceGetInfo_sized(struct trace_info *info, size_t size) PITRACE_WRITES(1) PITRACE_USE_RESULT;
#ifndef PITRACE_OWN_SOURCE
#define TraceCheck(...)   TraceCheck_sized(__VA_ARGS__, sizeof(struct trace_check))
#define TraceGetInfo(...) TraceGetInfo_sized(__VA_ARGS__, sizeof(struct trace_info))
#endif

#ifdef __cplusplus
}
#endif
#endif
