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

struct trace_config {
	uint32_t mode;			/* enum pitrace_mode */
	uint32_t scope;			/* enum pitrace_scope */
	pid_t	 pid;
	uint32_t clock;			/* enum pitrace_clock */
	uint32_t rate;
	uint32_t dither;		/* thousandths */
	uint64_t seed;
	uint64_t mte_bytes, trace_bytes, segment_bytes;
	uint64_t majors[PITRACE_MAJORS / 64];
};

/* A segment, of `size` bytes with its padding; it is valid during the call. 0 or -errno: then the
 * drain stops with it. */
typedef int (*segment_sink)(void *arg, const void *segment, size_t size);

struct backend;				/* a collector's open session, its own business */

struct collector {
	const char *name;
	/* Open a session; NULL with *rc (enum pi_rc) and a sentence in why. */
	struct backend *(*open)(const struct trace_config *config, int *rc, char *why, size_t room);
	void (*close)(struct backend *b);
	/* All of these: 0 or -errno. */
	int (*on)(struct backend *b, const struct trace_config *config);
	int (*off)(struct backend *b);
	int (*suspend)(struct backend *b, bool suspend);
	/* Hand over whole segments; with `all` also what stands in open ones. */
	int (*drain)(struct backend *b, bool all, segment_sink sink, void *arg);
	/* Poll this for POLLIN: something to drain; the session stopped. */
	int (*fd)(struct backend *b);
	/* state, clocks, counters, sizes. */
	void (*info)(struct backend *b, struct trace_info *info);
	uint64_t (*clock_hz)(struct backend *b);
	/* One a CPU that has buffers: an array (free it) and their number, or -errno. */
	int (*stats)(struct backend *b, struct pifile_stats **stats);
};

extern const struct collector collector_driver;

#endif
