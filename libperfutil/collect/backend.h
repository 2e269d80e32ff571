/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of collectors. A collector fills segments (struct pitrace_segment and records) and
 * hands them over in an order in which a file truncated anywhere still names everything in it: all
 * MTE records up to an instant come before the samples up to that instant. Everything above
 * (sessions, holder, files) is the same for all collectors.
 */
#ifndef PITRACE_BACKEND_H
#define PITRACE_BACKEND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <perfutil.h>
#include <pifile.h>
#include <tracer.h>
#include "file/segment.h"

/* Default sizes, per CPU. */
#define TRACER_MTE_BYTES   (2 << 20)
#define TRACER_TRACE_BYTES (4 << 20)

struct trace_config {
	uint32_t mode;  /* enum pitrace_mode */
	uint32_t scope; /* enum pitrace_scope */
	uint32_t flags; /* PITRACE_SESSION_* */
	pid_t pid;
	uint32_t clock; /* enum pitrace_clock */
	uint32_t rate;
	uint32_t dither; /* thousandths */
	uint64_t seed;
	uint64_t mte_bytes, trace_bytes, segment_bytes;
	uint64_t majors[PITRACE_MAJORS / 64];
	uint32_t stacks;  /* PITRACE_WANT_* */
	uint32_t depth;   /* addresses of each part of a stack; 0: as many as fit */
	uint32_t copy;    /* bytes of user stack */
	uid_t user;       /* the user that the traced command runs as */
	uint32_t nevents; /* 0: sample by the timer */
	/* flags, type, config …, period, name */
	struct pitrace_event_args events[PITRACE_EVENTS];
	/* SCOPE_PROCESS: the file that `pid` is about to execute; NULL if it is running already. */
	const char *program;
	struct tracer_itrace itrace;
};

struct backend; /* an open session, private to its collector */

enum collector_state {
	COLLECTOR_WORKS = TRACE_CHECK_WORKS,
	COLLECTOR_REFUSED = TRACE_CHECK_REFUSED,
	COLLECTOR_ABSENT = TRACE_CHECK_ABSENT
};

/* Whether a collector works here and now, and if not, what to change. */
struct collector_check {
	enum collector_state state;
	char why[400];  /* the reason; "" when it works without restrictions */
	char cure[400]; /* the one command that fixes it, or "" */
};

struct collector {
	const char *name;
	const char *what; /* one line: the source of its records */
	uint32_t dither;  /* largest variation of periods, in thousandths */
	bool repeats;     /* a seed makes the variation repeatable */
	/* the variation in effect; NULL: config->dither, and events are never varied */
	uint32_t (*dither_of)(const struct trace_config *config);
	/* of all files; else only of those that a walk of live tasks reports */
	bool drain_reads_build_ids;
	/* How it reports kernel modules that are loaded or unloaded, if it samples the kernel: by
	 * its own records, or found by the drain. */
	enum { MODULES_NOT_SEEN, MODULES_ITS_OWN, MODULES_BY_DRAIN } modules;
	/* Checks whether it can serve this user and this configuration. Has no side effects. */
	void (*check)(const struct trace_config *config, struct collector_check *check);
	/* Some of its records need additional rights: check() evaluates config->majors. */
	bool checks_majors;
	/* Opens a session. NULL with *rc (enum pi_rc) and a message in why. */
	struct backend *(*open)(const struct trace_config *config, int *rc, char *why, size_t room);
	void (*close)(struct backend *b);
	/* The variables that the environment of the command needs, "NAME=VALUE", as an array that
	 * ends with NULL. The caller frees the strings and the array, also after an error. 0 or
	 * -errno. Function NULL: there are none. */
	int (*environment)(struct backend *b, char ***variables);
	/* All of these return 0 or -errno. At *on* the rate, majors (that it has) and events (that
	 * check has accepted) may differ from those at open. */
	int (*on)(struct backend *b, const struct trace_config *config);
	int (*off)(struct backend *b);
	int (*suspend)(struct backend *b, bool suspend);
	/* Hands over full segments; with `all`, open ones too. In normal mode all of them each
	 * time, from the beginning; in wrap mode only those of the MTE rings. */
	int (*drain)(struct backend *b, bool all, segment_sink sink, void *arg);
	/* Wrap mode; NULL: not supported. mark records the end of the trace rings. After a drain
	 * with `all`, window hands over the rings' content up to the mark, oldest first, except
	 * what was overwritten meanwhile. The rings keep it. */
	int (*mark)(struct backend *b);
	int (*window)(struct backend *b, segment_sink sink, void *arg);
	/* Discards the content of the trace rings; NULL: not supported. */
	int (*discard)(struct backend *b);
	/* Writes records of all live tasks again. rescanned(ticket) is true when the next drain
	 * will hand over the last of them. NULL: not supported; then files do not rotate. */
	int (*rescan)(struct backend *b, uint64_t *ticket);
	bool (*rescanned)(struct backend *b, uint64_t ticket);
	/* A descriptor for poll: POLLIN when there is something to drain or the session stopped. */
	int (*fd)(struct backend *b);
	/* Fills in state, clocks, counters, sizes. */
	void (*info)(struct backend *b, struct trace_info *info);
	uint64_t (*clock_hz)(struct backend *b);
	/* Facts known only at the end, for the file: "key: value" lines. NULL: none. */
	void (*facts)(struct backend *b, char *text, size_t room);
	/* Returns counts per CPU that has buffers. Returns their number or -errno; the caller frees
	 * the array. */
	int (*stats)(struct backend *b, struct pifile_stats **stats);
	/* As tracer_ended; NULL: the collector does not wait for the command. */
	bool (*ended)(struct backend *b, pid_t child, int *status);
	/* Programs write their records to hook files (hookfile.h), which the tracer reads: this
	 * collector has no other way to record them, and its stamps are CLOCK_MONOTONIC ns. */
	bool hook_files;
	/* The driver records programs itself; hook files only avoid the system calls. serial: of
	 * its session, 0: none; has: is a process in its scope? NULL: another collector. */
	uint32_t (*serial)(struct backend *b);
	bool (*has)(struct backend *b, pid_t pid);
};

/* All collectors, in the order of collectors.h; ends with NULL. */
extern const struct collector *const collectors[];

/* Returns the majors that the collector of this name can ever record, one bit each; NULL: no such
 * collector. info.available has what an open session can record here. */
const uint64_t *collector_majors(const char *name);
/* Sets a message: the collector lacks these records, and the name of one that has them. */
void collector_lacks(const struct collector *c, unsigned int major, char *why, size_t room);
/* Finds a collector by name; NULL: none. */
const struct collector *collector_named(const char *name);
/* Returns the named collector, or (name NULL) the first that works with the majors of config. NULL
 * with *rc and a message with the reason of each. */
const struct collector *collector_choose(const char *name, const struct trace_config *config,
					 int *rc, char *why, size_t room);

#endif
