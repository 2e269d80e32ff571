/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a collector must do. A collector fills segments (struct pitrace_segment and records) and
 * hands them over in an order in which a file cut anywhere still names everything in it: all MTE
 * records up to an instant go before the samples up to that instant. Everything above (sessions,
 * holder, files) is the same for all collectors.
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

/* Of each CPU, when nobody says otherwise. */
#define TRACER_MTE_BYTES	(2 << 20)
#define TRACER_TRACE_BYTES	(4 << 20)

struct trace_config {
	uint32_t mode;			/* enum pitrace_mode */
	uint32_t scope;			/* enum pitrace_scope */
	uint32_t flags;			/* PITRACE_SESSION_* */
	pid_t	 pid;
	uint32_t clock;			/* enum pitrace_clock */
	uint32_t rate;
	uint32_t dither;		/* thousandths */
	uint64_t seed;
	uint64_t mte_bytes, trace_bytes, segment_bytes;
	uint64_t majors[PITRACE_MAJORS / 64];
	uint32_t stacks;		/* PITRACE_WANT_* */
	uint32_t depth;			/* addresses of each part of a stack; 0: as many as fit */
	uint32_t copy;			/* bytes of user stack */
	uid_t user;			/* as whom the traced command runs */
	uint32_t nevents;		/* 0: the timer samples */
	/* flags, type, config …, period, name */
	struct pitrace_event_args events[PITRACE_EVENTS];
	/* SCOPE_PROCESS: the file that `pid` is about to execute, NULL if it runs already. */
	const char *program;
	struct tracer_itrace itrace;
};

struct backend;				/* a collector's open session, its own business */

enum collector_state { COLLECTOR_WORKS = TRACE_CHECK_WORKS, COLLECTOR_REFUSED = TRACE_CHECK_REFUSED,
		       COLLECTOR_ABSENT = TRACE_CHECK_ABSENT };

/* Whether a collector can serve here and now, and what would have to change. */
struct collector_check {
	enum collector_state state;
	char why[400];			/* a sentence; "" when it works without reserve */
	char cure[400];			/* the one command that mends it, or "" */
};

struct collector {
	const char *name;
	const char *what;		/* one line: where its records come from */
	uint32_t dither;		/* thousandths, at most, by which distances of ticks vary */
	bool repeats;			/* … by a seed, the same again */
	/* … as configured; NULL: config->dither, and those of events never do. */
	uint32_t (*dither_of)(const struct trace_config *config);
	bool drain_reads_build_ids;	/* of all files; else of those that a walk describes only */
	/* It samples the kernel, and its own records say when kernel modules come and go, or it
	 * leaves that to the drain. */
	enum { MODULES_NOT_SEEN, MODULES_ITS_OWN, MODULES_BY_DRAIN } modules;
	/* Can it serve this user and this configuration? Leaves nothing behind. */
	void (*check)(const struct trace_config *config, struct collector_check *check);
	/* Open a session; NULL with *rc (enum pi_rc) and a sentence in why. */
	struct backend *(*open)(const struct trace_config *config, int *rc, char *why, size_t room);
	void (*close)(struct backend *b);
	/* NULL: none. What the environment of the command must hold, "NAME=VALUE": an array that ends
	 * with NULL; the caller frees its words and itself, also after an error. 0 or -errno. */
	int (*environment)(struct backend *b, char ***variables);
	/* All of these: 0 or -errno. At *on* rate, majors (of those it has) and events (which check
	 * has passed) may be others than at open. */
	int (*on)(struct backend *b, const struct trace_config *config);
	int (*off)(struct backend *b);
	int (*suspend)(struct backend *b, bool suspend);
	/* Hand over whole segments; with `all` also what stands in open ones. In normal mode all of
	 * them each time, from the beginning; in wrap mode those of the MTE rings only. */
	int (*drain)(struct backend *b, bool all, segment_sink sink, void *arg);
	/* Wrap mode, or NULL: it has none. mark notes how far the trace rings reach; then comes a
	 * drain with `all`; then window hands over what the rings hold up to the mark, the oldest
	 * first, as far as it was not overwritten meanwhile. It stays there. */
	int (*mark)(struct backend *b);
	int (*window)(struct backend *b, segment_sink sink, void *arg);
	/* Forget what the trace rings hold; NULL: cannot. */
	int (*discard)(struct backend *b);
	/* Write all live tasks again. *ticket is what rescanned answers to: true when all of that
	 * walk's records will come with the next drain. NULL: cannot; then files do not rotate. */
	int (*rescan)(struct backend *b, uint64_t *ticket);
	bool (*rescanned)(struct backend *b, uint64_t ticket);
	/* Poll this for POLLIN: something to drain; the session stopped. */
	int (*fd)(struct backend *b);
	/* state, clocks, counters, sizes. */
	void (*info)(struct backend *b, struct trace_info *info);
	uint64_t (*clock_hz)(struct backend *b);
	/* What is known at the end only, for the file: "key: value" lines; NULL: nothing. */
	void (*facts)(struct backend *b, char *text, size_t room);
	/* One a CPU that has buffers: an array (free it) and their number, or -errno. */
	int (*stats)(struct backend *b, struct pifile_stats **stats);
	/* As tracer_ended; NULL: nobody else waits for the command. */
	bool (*ended)(struct backend *b, pid_t child, int *status);
	/* Records of programs come through hook files (hookfile.h), which the tracer reads: this
	 * collector has none of them, and its stamps are CLOCK_MONOTONIC ns. */
	bool hook_files;
};

/* All there are, the one with the most to offer first; ends with NULL. */
extern const struct collector *const collectors[];
extern const struct collector collector_driver, collector_perf, collector_timer,
			      collector_ptrace;

/* A bit a major: all that the collector of this name can ever record; NULL: there is none. What it
 * can here an open session says by info.available. */
const uint64_t *collector_majors(const char *name);
/* A sentence: it cannot, and who can. */
void collector_lacks(const struct collector *c, unsigned int major, char *why, size_t room);
/* By its name, or NULL. */
const struct collector *collector_named(const char *name);
/* The collector of that name, or (NULL) the first that can serve, also with the majors that config
 * has. NULL with *rc and a sentence that tells of each why not. */
const struct collector *collector_choose(const char *name, const struct trace_config *config,
					 int *rc, char *why, size_t room);

#endif
