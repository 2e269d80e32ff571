/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libperfutil: control of tracing. Names and state rules are those of IBM's Performance Inspector
 * (Linux Symposium 2008), codes and sizes are ours.
 *
 * A trace session has an owner of its own: TraceInit starts a *holder* process, which keeps the
 * descriptors and drains the buffers until TraceTerminate; so a session outlives the program that
 * began it, and any program of the same user (or root) may control it. All functions return 0 or a
 * positive value as described, or one of the negative codes below; RcToString gives its words.
 *
 *	TraceInit → TraceEnable … → TraceOn → TraceOff → TraceWriteBufferToFile → TraceTerminate
 *
 * State rules: *on* before init is PI_NOT_INITIALIZED; a mode, size, rate or scope changed while
 * on, and *on* while on, are PI_INCORRECT_STATE; suspend and resume while not on are
 * PI_INCORRECT_STATE and in the state already reached succeed; terminate implies off; off disables
 * all majors.
 */
#ifndef PERFUTIL_H
#define PERFUTIL_H

#include <stdint.h>
#include <pitrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- return codes ---------------------------------------------------------------------------- */

enum pi_rc {
	PI_OK			= 0,
	PI_ERROR		= -1,	/* see errno, or TraceLastError */
	PI_NOT_INITIALIZED	= -2,
	PI_INCORRECT_STATE	= -3,
	PI_BUFFER_FULL		= -4,	/* a ring filled while tracing began */
	PI_DRIVER_NOT_LOADED	= -5,
	PI_NOT_SUPPORTED	= -6,
	PI_BUSY			= -7,	/* someone else's session is in the way */
	PI_NOT_OWNER		= -8,	/* the session is another user's */
	PI_NO_PERMISSION	= -9,
	PI_INVALID_ARGUMENT	= -10,
	PI_NO_MEMORY		= -11,
	PI_NO_PROCESS		= -12,
	PI_FILE_ERROR		= -13,	/* the trace file cannot be made or written */
	PI_HOLDER_GONE		= -14,	/* the holder process died */
	PI_BAD_DRIVER		= -15,	/* the driver speaks another version */
	PI_HOOK_TOO_LONG	= -16,
	PI_EVENT_UNSUPPORTED	= -17,
	PI_TOO_MANY_METRICS	= -18,
	PI_DUPLICATE_METRIC	= -19,
	PI_BAD_PRIVILEGE	= -20,
};

/* Words for a code; never NULL. */
const char *RcToString(int rc);
/* What exactly was wrong with the last call of this thread that failed: a sentence, or "". */
const char *TraceLastError(void);

/* ---- set up ---------------------------------------------------------------------------------- */

enum trace_mode { TRACE_NORMAL = PITRACE_MODE_NORMAL, TRACE_CONTINUOUS = PITRACE_MODE_CONTINUOUS,
		  TRACE_WRAP = PITRACE_MODE_WRAP };
enum trace_scope { TRACE_SYSTEM = PITRACE_SCOPE_SYSTEM, TRACE_PROCESS = PITRACE_SCOPE_PROCESS };

#define TRACE_DEFAULT_NAME	"swtrace.nrm2"
#define TRACE_DEFAULT_RATE	997		/* ticks a second */
#define TRACE_MAX_RATE		20000

/* These come before TraceInit; they set what it will use. */
int TraceSetMode(int mode);			/* enum trace_mode; default TRACE_NORMAL */
int TraceSetName(const char *path);		/* trace file; default swtrace.nrm2 */
int TraceSetMteSize(uint64_t bytes);		/* of each CPU's MTE buffer; default 2 MB */
int TraceSetSectionSize(uint64_t bytes);	/* of a segment; default 64 KB */
int TraceSetScope(int scope, int pid);		/* default TRACE_SYSTEM; pid and its children */
/* Call stacks with samples: what is PITRACE_WANT_*, 0 none (default); depth addresses of each part,
 * 0 as many as fit; copy bytes of the user stack, a multiple of 8, with PITRACE_WANT_COPY. */
int TraceSetStacks(int what, int depth, int copy);
/* Continuous mode: begin a new file at so many bytes, after so many seconds (0: not by that), and
 * keep so many older ones, name.1, name.2 … (0: all). */
int TraceSetRotation(uint64_t bytes, uint64_t seconds, int keep);
/* Who records: "driver", "perf", …; NULL (the default): the first that can serve. */
int TraceSetCollector(const char *name);

/* Before TraceInit or, while tracing is off, of the session there is.
 * Sample by events instead of the timer: names with commas between them, of perf events, of the
 * kernel's PMUs, of libpfm4; NULL: the timer. A sample each `count` events; 0: as often a second as
 * the rate says. cpu is -1: all. priv: whose code is counted. */
enum trace_priv { TRACE_PRIV_ANY, TRACE_PRIV_USER, TRACE_PRIV_KERNEL };
int TraceSetTprofEvent(int cpu, const char *event, uint64_t count, int priv);
/* The names looked up, at most PITRACE_EVENTS: their number or a negative code. rate: samples a
 * second where count is 0. */
int TraceFindEvents(const char *names, uint64_t count, uint32_t rate, int priv,
		    struct pitrace_event_args *list);
/* Tells each name that is known here: its source, what it counts. */
void TraceListEvents(void (*each)(void *arg, const char *source, const char *name,
				  const char *what), void *arg);
/* Can this machine count and sample it? 1, or 0. */
int TraceCanCount(const struct pitrace_event_args *event);

/* Can the collectors serve this user here and now, and what would have to change? One entry each,
 * in the order in which they are tried. Returns their number, of which at most `room` were filled
 * in, or a negative code. pid 0: a command still to be started. */
enum trace_check_state { TRACE_CHECK_WORKS, TRACE_CHECK_REFUSED, TRACE_CHECK_ABSENT };
struct trace_check {
	char name[16];
	char what[80];			/* where its records come from */
	int  state;			/* enum trace_check_state */
	int  serves;			/* it is the one that will */
	char why[400];			/* a sentence; "" when it works without reserve */
	char cure[400];			/* the one command that mends it, or "" */
};
int TraceCheck(int scope, int pid, struct trace_check *list, int room);

/* Has this collector records of this major? 1, or 0; the driver's may be fewer on a kernel: see
 * trace_info.available. */
int TraceCollectorHas(const char *collector, int major);

/* Begin a session with trace buffers of so many bytes a CPU (0: 4 MB). */
int TraceInit(uint64_t size);
/* End it: off if it is on; buffers are gone. */
int TraceTerminate(void);

/* ---- between init and on --------------------------------------------------------------------- */

/* Majors 0-255; PI_NOT_SUPPORTED: the collector has none of this one. MTE is always recorded. With
 * no major enabled, on records tprof. */
int TraceEnable(int major);
int TraceDisable(int major);
int TraceQueryMajor(int major);			/* 1 enabled, 0 not */
/* Its name: "dispatch"; "user" for all of the users'. NULL: it has none. */
const char *TraceMajorName(int major);
int SetProfilerRate(int rate);			/* ticks a second, 1 - 20000 */

/* ---- on and off ------------------------------------------------------------------------------ */

int TraceOn(void);
int TraceOff(void);
int TraceSuspend(void);		/* samples pause, names are still recorded */
int TraceResume(void);
int TraceDiscard(void);		/* what the trace buffers hold is forgotten, names are not */
/* Write a file that is complete by itself, of what was traced so far; on or off. NULL: the
 * session's file, or in wrap mode while on the first of name.1, name.2 … that does not exist. */
int TraceWriteBufferToFile(const char *path);

/* ---- records of the program's own ------------------------------------------------------------ */

/*
 * Write a record with integers and strings: major 0xB0 or 0xD0-0xFF, or PITRACE_MTE with minor
 * PITRACE_MTE_JIT or PITRACE_MTE_JAVA_THREAD; any minor otherwise. lens NULL: the strings end with
 * NULs. Process, thread, CPU (the argument is not used) and time are filled in. 0: written;
 * TRACE_NOBODY: no session wants it; PI_BUFFER_FULL: lost, and counted as such.
 */
#define TRACE_NOBODY	1
int TraceHook(int cpu, int major, int minor, int int_count, int str_count, const uint64_t ints[],
	      const int lens[], const char *const strs[]);

/* Records of PITRACE_MTE for runtimes: code that they made, moved, gave up; the calling thread's
 * name. As TraceHook. */
int TraceJitLoad(const char *name, uint64_t address, uint64_t size);
int TraceJitMove(uint64_t from, uint64_t to, uint64_t size);
int TraceJitUnload(uint64_t address, uint64_t size);
int TraceThreadName(const char *name);

/* ---- questions ------------------------------------------------------------------------------- */

int IsTraceActive(void);	/* 1: there is a session */
int IsTraceOn(void);		/* 1: on (or suspended) */
int IsContMode(void);
int IsWrapMode(void);
const char *TraceGetName(void);
int TraceGetIntervalId(void);	/* counts on; 0 before the first */

struct trace_info {
	uint32_t size, version;		/* set by TraceGetInfo: sizeof, 1 */
	uint32_t state;			/* enum pitrace_state */
	uint32_t mode, scope;
	int32_t  pid;			/* of the scope */
	uint32_t rate, dither;
	uint32_t ncpus;			/* with buffers */
	uint32_t stop_cpu, stop_ring;	/* why it stopped by itself, when `stopped` */
	int32_t  stop_pid;		/* … stop_ring PITRACE_STOP_CRASH: who crashed, */
	uint32_t stop_signal;		/* … and of what */
	uint32_t stopped;
	uint32_t file_error;		/* errno of the first write that failed, 0 none */
	uint32_t driver_have, driver_missing;	/* PITRACE_HAVE_* */
	uint32_t clock;
	int32_t  holder;		/* pid of the holder */
	uint32_t files;			/* older ones, by rotation: file.1, file.2 … */
	uint64_t mte_bytes, trace_bytes, segment_bytes;
	uint64_t interval;
	uint64_t ticks, idle_ticks, late;
	uint64_t lost[PITRACE_LOST_KINDS];
	uint64_t written, records;	/* of the file and the older ones */
	uint64_t unwritten;		/* records for which the file had no room any more */
	uint64_t got, got_records;	/* bytes, records of what was written by request last */
	uint64_t majors[PITRACE_MAJORS / 64];	/* enabled */
	uint64_t available[PITRACE_MAJORS / 64];	/* what the collector can record here */
	char	 collector[16];		/* who serves: "driver", "perf", "timer" */
	char	 note[200];		/* what it does not show, a sentence, or "" */
	char	 file[4096];
	char	 got_file[4096];	/* … and its name */
	uint64_t instructions, branches;	/* of ITrace's threads */
	uint64_t waits, waited;		/* of these, for the file to be written; ns */
	uint64_t taken;			/* threads left out: another session traces them */
	char	 sampler[128];		/* what samples: "the timer", or events: "cycles,page-faults" */
};
int TraceGetInfo(struct trace_info *info);
/* What was lost, in a word, for an index of lost[]: "dispatches". Never NULL. */
const char *TraceLostName(int kind);

#ifdef __cplusplus
}
#endif
#endif
