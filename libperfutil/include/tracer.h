/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace session held by this very process: what the holder does for others, and `swtrace run` for
 * itself. A thread drains the buffers into the file. Functions return 0 or a negative enum pi_rc,
 * with a sentence in TraceLastError. One tracer is controlled by one thread.
 */
#ifndef PITRACE_TRACER_H
#define PITRACE_TRACER_H

#include <stdbool.h>
#include <sys/types.h>
#include <perfutil.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tracer;

/* Instructions traced, where BRANCH_USER or BRANCH_KERNEL is enabled: see pitrace_itrace.h. */
struct tracer_itrace {
	uint32_t scope;			/* enum pitrace_itrace_scope; NONE: as ALL */
	uint32_t flags;			/* PITRACE_ITRACE_* */
	int32_t	 first, last;
	uint32_t listed;
	int32_t	 list[PITRACE_ITRACE_LIST];
	uint64_t skip, limit;		/* instructions of each thread; limit 0: none */
	uint64_t start, stop;		/* FROM, UNTIL: the byte of this file; … */
	char	 start_file[1024], stop_file[1024];	/* … "": of memory */
};

struct tracer_options {
	int mode;			/* enum trace_mode */
	int scope;			/* enum trace_scope */
	int pid;
	/* What is enabled from the beginning (see tracer_enable): a collector is chosen that has
	 * it, for this user. */
	uint64_t majors[PITRACE_MAJORS / 64];
	uint32_t rate;			/* 0: 997 */
	uint32_t dither;		/* thousandths of a period */
	uint64_t seed;
	uint64_t mte_bytes, trace_bytes, section_bytes;	/* 0: 2 MB, 4 MB, 64 KB */
	uint32_t clock;			/* enum pitrace_clock */
	int compression;		/* zstd level of segments, 0 none */
	const char *file;		/* NULL: swtrace.nrm2 */
	const char *command;		/* words for the file's system section, or NULL */
	const char *collector;		/* "driver", …; NULL: the first that can serve */
	bool stop_on_crash;		/* TRACE_PROCESS: when one of its processes crashes */
	/* Continuous mode: begin a new file at so many bytes, after so many ns (0: not by that);
	 * keep so many older ones (0: all). */
	uint64_t rotate_bytes, rotate_ns;
	uint32_t rotate_keep;
	uint32_t stacks, depth, copy;	/* PITRACE_WANT_*; addresses a part; bytes of user stack */
	const char *hooks;		/* folder for hook files; NULL: a new one */
	const char *program;		/* the file that `pid` is about to execute, or NULL */
	/* Samples by events instead of the timer; NULL: the timer. See TraceFindEvents. */
	const struct pitrace_event_args *events;
	uint32_t nevents;
	/* Without events: by CPU cycles, at `rate`, where the collector can count them for this
	 * user, else by the timer. info.sampler tells which. */
	bool prefer_cycles;
	const struct tracer_itrace *itrace;	/* NULL: of all, as FOLLOW says */
	uid_t owner;			/* of the file; (uid_t)-1: as it comes */
	gid_t group;
};
void tracer_defaults(struct tracer_options *o);

struct tracer *tracer_open(const struct tracer_options *options, int *rc);
void tracer_close(struct tracer *t);

int tracer_enable(struct tracer *t, int major, bool on);
int tracer_rate(struct tracer *t, int rate);
/* While it is off: what samples, as the options' events; n 0: the timer. */
int tracer_events(struct tracer *t, const struct pitrace_event_args *events, unsigned int n);
/* While it is off: whose instructions are traced, and which. */
int tracer_itrace(struct tracer *t, const struct tracer_itrace *itrace);
/* In continuous and wrap mode the file is made here. */
int tracer_on(struct tracer *t);
int tracer_off(struct tracer *t);
int tracer_suspend(struct tracer *t, bool suspend);
int tracer_discard(struct tracer *t);
/* A file of what there is now, on or off (NULL: the session's, or another that info.got_file
 * names). */
int tracer_write(struct tracer *t, const char *path);
void tracer_info(struct tracer *t, struct trace_info *info);
/* What the environment of the process `pid` must hold when it executes its program, "NAME=VALUE":
 * an array that ends with NULL, or NULL for nothing. The caller frees its words and itself. */
int tracer_environment(struct tracer *t, char ***variables);
/* Did this child of ours, the process of the scope, end? Then 1, and its status as of waitpid; else
 * 0. Who waits for such a child must ask here: a collector may have to wait for it itself; then the
 * end is told by SIGCHLD. */
int tracer_ended(struct tracer *t, pid_t child, int *status);
/* Readable when the session stopped by itself (a full buffer) or its file failed: then
 * tracer_off. */
int tracer_fd(struct tracer *t);

/*
 * Let the traced program control it: tracer_socket makes a socket in this user's runtime folder
 * and tells its path, which that program must have as PITRACE_SOCKET; besides this user and root
 * `guest` may ask ((uid_t)-1: nobody). The descriptor (unlink the path in the end), or a negative
 * rc. When it is readable tracer_serve answers one request: off, suspend, resume, discard, get
 * without a name, a hook descriptor of the driver's.
 */
int tracer_socket(uid_t guest, char *path, size_t room);
void tracer_serve(struct tracer *t, int socket, uid_t guest);

/* How a command that is to be traced finds this session, for its TraceHook: the value of
 * PITRACE_HOOKS in its environment. NULL: by the driver; if the command may not open the device,
 * tracer_serve gives it a hook descriptor. */
#define TRACER_HOOKS_ENV	"PITRACE_HOOKS"
const char *tracer_hooks(struct tracer *t);

#ifdef __cplusplus
}
#endif
#endif
