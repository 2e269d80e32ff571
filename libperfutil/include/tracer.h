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

struct tracer_options {
	int mode;			/* enum trace_mode */
	int scope;			/* enum trace_scope */
	int pid;
	uint32_t rate;			/* 0: 997 */
	uint32_t dither;		/* thousandths of a period */
	uint64_t seed;
	uint64_t mte_bytes, trace_bytes, section_bytes;	/* 0: 2 MB, 4 MB, 64 KB */
	uint32_t clock;			/* enum pitrace_clock */
	int compression;		/* zstd level of segments, 0 none */
	const char *file;		/* NULL: swtrace.nrm2 */
	const char *command;		/* words for the file's system section, or NULL */
	uid_t owner;			/* of the file; (uid_t)-1: as it comes */
	gid_t group;
};
void tracer_defaults(struct tracer_options *o);

struct tracer *tracer_open(const struct tracer_options *options, int *rc);
void tracer_close(struct tracer *t);

int tracer_enable(struct tracer *t, int major, bool on);
int tracer_rate(struct tracer *t, int rate);
/* In continuous mode the file is made here. */
int tracer_on(struct tracer *t);
int tracer_off(struct tracer *t);
int tracer_suspend(struct tracer *t, bool suspend);
/* Normal mode, after off: what the buffers hold, to a file (NULL: the session's). */
int tracer_write(struct tracer *t, const char *path);
void tracer_info(struct tracer *t, struct trace_info *info);
/* Readable when the session stopped by itself (a full buffer) or its file failed: then
 * tracer_off. */
int tracer_fd(struct tracer *t);

#ifdef __cplusplus
}
#endif
#endif
