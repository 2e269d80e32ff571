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

/* Begin a session with trace buffers of so many bytes a CPU (0: 4 MB). */
int TraceInit(uint64_t size);
/* End it: off if it is on; buffers are gone. */
int TraceTerminate(void);

/* ---- between init and on --------------------------------------------------------------------- */

/* Majors 0-255. MTE is always recorded. With no major enabled, on records tprof. */
int TraceEnable(int major);
int TraceDisable(int major);
int TraceQueryMajor(int major);			/* 1 enabled, 0 not */
int SetProfilerRate(int rate);			/* ticks a second, 1 - 20000 */

/* ---- on and off ------------------------------------------------------------------------------ */

int TraceOn(void);
int TraceOff(void);
int TraceSuspend(void);		/* samples pause, names are still recorded */
int TraceResume(void);
/* Write what the buffers hold to a file (NULL: the session's), after off. In continuous mode the
 * file is complete at off already; then only its own name is accepted. */
int TraceWriteBufferToFile(const char *path);

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
	uint32_t stop_cpu, stop_ring;	/* why a normal session stopped, when `stopped` */
	uint32_t stopped;
	uint32_t file_error;		/* errno of the first write that failed, 0 none */
	uint32_t driver_have, driver_missing;	/* PITRACE_HAVE_* */
	uint32_t clock;
	int32_t  holder;		/* pid of the holder */
	uint64_t mte_bytes, trace_bytes, segment_bytes;
	uint64_t interval;
	uint64_t ticks, idle_ticks, late;
	uint64_t lost[PITRACE_LOST_KINDS];
	uint64_t written, records;	/* of the file */
	uint64_t majors[PITRACE_MAJORS / 64];
	char	 collector[16];
	char	 file[4096];
};
int TraceGetInfo(struct trace_info *info);

#ifdef __cplusplus
}
#endif
#endif
