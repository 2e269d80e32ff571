/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace session in this process, as used by the holder for its clients and by `swtrace run` for
 * itself. A thread drains the buffers into the file. Functions return 0 or a negative enum pi_rc,
 * with a message in TraceLastError. One tracer is controlled by one thread.
 */
#ifndef PITRACE_TRACER_H
#define PITRACE_TRACER_H

#include <stdbool.h>
#include <sys/types.h>
#include <stddef.h>
#include "perfutil.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tracer;

/* Instructions traced, where BRANCH_USER or BRANCH_KERNEL is enabled: see pitrace_itrace.h. */
struct tracer_itrace {
	uint32_t scope; /* enum pitrace_itrace_scope; NONE: as ALL */
	uint32_t flags; /* PITRACE_ITRACE_* */
	int32_t first, last;
	uint32_t listed;
	int32_t list[PITRACE_ITRACE_LIST];
	uint64_t skip, limit;                   /* instructions per thread; limit 0: none */
	uint64_t start, stop;                   /* FROM, UNTIL: the byte of this file; … */
	char start_file[1024], stop_file[1024]; /* … "": an address in memory */
};

struct tracer_options {
	int mode;  /* enum trace_mode */
	int scope; /* enum trace_scope */
	int pid;
	/* Majors enabled from the start (see tracer_enable): the collector chosen must have them,
	 * for this user. */
	uint64_t majors[PITRACE_MAJORS / 64];
	uint32_t rate;   /* 0: 997 */
	uint32_t dither; /* thousandths of a period */
	uint64_t seed;
	uint64_t mte_bytes, trace_bytes, section_bytes; /* 0: 2 MB, 4 MB, 64 KB */
	uint32_t clock;                                 /* enum pitrace_clock */
	int compression;                                /* zstd level of segments, 0 none */
	const char *file;                               /* NULL: swtrace.nrm2 */
	const char *command;   /* command words for the file's system section, or NULL */
	const char *collector; /* "driver", …; NULL: the first that works */
	bool stop_on_crash;    /* TRACE_PROCESS: stop when one of its processes crashes */
	/* Continuous mode: start a new file after this many bytes or ns (0: no limit); keep this
	 * many older ones (0: all). */
	uint64_t rotate_bytes, rotate_ns;
	uint32_t rotate_keep;
	uint32_t stacks, depth, copy; /* PITRACE_WANT_*; addresses per part; bytes of user stack */
	const char *hooks;            /* folder for hook files; NULL: a new one */
	const char *program;          /* the file that `pid` is about to execute, or NULL */
	/* Sample by events instead of the timer; NULL: the timer. See TraceFindEvents. */
	const struct pitrace_event_args *events;
	uint32_t nevents;
	/* Without events: sample by CPU cycles, at `rate`, if the collector can count them for this
	 * user, else by the timer. info.sampler shows which. */
	bool prefer_cycles;
	const struct tracer_itrace *itrace; /* ITrace; NULL: all threads, as FOLLOW says */
	uid_t owner;                        /* owner of the file; (uid_t)-1: unchanged */
	gid_t group;
};
void tracer_defaults(struct tracer_options *o) PITRACE_WRITES(1);

struct tracer *tracer_open(const struct tracer_options *options, int *rc)
	PITRACE_NONNULL(2) PITRACE_USE_RESULT;
void tracer_close(struct tracer *t);

int tracer_enable(struct tracer *t, int major, bool on) PITRACE_NONNULL(1);
int tracer_rate(struct tracer *t, int rate) PITRACE_NONNULL(1);
/* While off: sets the sampler, as in the options; n 0: the timer. */
int tracer_events(struct tracer *t, const struct pitrace_event_args *events, unsigned int n)
	PITRACE_NONNULL(1) PITRACE_READS(2, 3);
/* While off: sets the scope of the instruction trace. */
int tracer_itrace(struct tracer *t, const struct tracer_itrace *itrace) PITRACE_NONNULL(1);
/* In continuous and wrap mode this creates the file. */
int tracer_on(struct tracer *t) PITRACE_NONNULL(1);
int tracer_off(struct tracer *t) PITRACE_NONNULL(1);
int tracer_suspend(struct tracer *t, bool suspend) PITRACE_NONNULL(1);
int tracer_discard(struct tracer *t) PITRACE_NONNULL(1);
/* Writes a file of what was traced so far, on or off (NULL: the session's, or another that
 * info.got_file names). */
int tracer_write(struct tracer *t, const char *path) PITRACE_NONNULL(1);
void tracer_info(struct tracer *t, struct trace_info *info) PITRACE_NONNULL(1) PITRACE_WRITES(2);
/* The variables that the environment of the process `pid` needs when it executes its program,
 * "NAME=VALUE", as an array that ends with NULL; NULL: none. The caller frees the strings and the
 * array. */
int tracer_environment(struct tracer *t, char ***variables) PITRACE_NONNULL(1) PITRACE_USE_RESULT;
/* Checks whether this child, the process of the scope, has ended: 1, with its status as of waitpid;
 * else 0. Callers must not wait for the child themselves, because a collector may have to; SIGCHLD
 * announces its end. */
int tracer_ended(struct tracer *t, pid_t child, int *status) PITRACE_USE_RESULT;
/* Returns a descriptor that becomes readable when the session stopped on its own (a full buffer) or
 * its file failed: then call tracer_off. */
int tracer_fd(struct tracer *t) PITRACE_NONNULL(1);

/*
 * Lets the traced program control the session: tracer_socket creates a socket in this user's
 * runtime folder and returns its path, which the program needs as PITRACE_SOCKET. Besides this user
 * and root, `guest` may connect ((uid_t)-1: nobody). Returns the descriptor (the caller finally
 * unlinks the path), or a negative rc. When it is readable tracer_serve answers one request: off,
 * suspend, resume, discard, get without a name, a hook descriptor of the driver.
 */
int tracer_socket(uid_t guest, char *path, size_t room) PITRACE_WRITES(2, 3) PITRACE_USE_RESULT;
void tracer_serve(struct tracer *t, int socket, uid_t guest) PITRACE_NONNULL(1);

/* Returns the value of PITRACE_HOOKS by which a traced command finds this session for its
 * TraceHook. NULL: there is no folder; the command can then write only through the driver. If the
 * command may not open the device, tracer_serve passes it a hook descriptor. */
#define TRACER_HOOKS_ENV "PITRACE_HOOKS"
const char *tracer_hooks(struct tracer *t) PITRACE_NONNULL(1);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
void tracer_defaults_sized(struct tracer_options *o, size_t size) PITRACE_WRITES(1);
void tracer_info_sized(struct tracer *t, struct trace_info *info, size_t size) PITRACE_NONNULL(1)
	PITRACE_WRITES(2);
struct tracer *tracer_open_sized(const struct tracer_options *options, int *rc, size_t size,
				 size_t itrace_size) PITRACE_NONNULL(2) PITRACE_USE_RESULT;
int tracer_itrace_sized(struct tracer *t, const struct tracer_itrace *itrace, size_t size)
	PITRACE_NONNULL(1);
#ifndef PITRACE_OWN_SOURCE
#define tracer_itrace(...)   tracer_itrace_sized(__VA_ARGS__, sizeof(struct tracer_itrace))
#define tracer_defaults(...) tracer_defaults_sized(__VA_ARGS__, sizeof(struct tracer_options))
#define tracer_info(...)     tracer_info_sized(__VA_ARGS__, sizeof(struct trace_info))
#define tracer_open(...) \
	tracer_open_sized(__VA_ARGS__, sizeof(struct tracer_options), sizeof(struct tracer_itrace))
#endif

#ifdef __cplusplus
}
#endif
#endif
