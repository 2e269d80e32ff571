/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of a tracer share: tracer.c has its states, out.c its files, drain.c the thread
 * that fills them while tracing is on, and changes them when they rotate.
 */
#ifndef PITRACE_TRACER_INNER_H
#define PITRACE_TRACER_INNER_H

#include <pthread.h>
#include <stdatomic.h>
#include <tracer.h>
#include "collect/backend.h"
#include "image/drain_ids.h"
#include "base/folder.h"
#include "image/kernel_code.h"
#include "image/perfmaps.h"
#include "base/rights.h"

struct out {				/* a file that is being written */
	struct pifile_writer *writer;	/* NULL: none is */
	struct buildids *ids;
	struct perfmaps *maps;
	struct kernel_code *code;	/* NULL: not wanted, or not for this user */
	char *modules;			/* /proc/modules as it was looked at last … */
	uint64_t looked;		/* … at this time */
	struct pifile_stats *before;	/* the counters when it began; NULL: it was at *on* */
	int nbefore;
};

struct tracer {
	const struct collector *collector;
	struct backend *backend;
	struct trace_config config;
	char *path, *command;
	struct folder folder;		/* path's, from *on* on */
	struct hooks *hooks;		/* hook files; NULL: the collector needs none */
	struct rights *user;		/* for whom is traced; NULL: ourselves */
	int compression;
	uint64_t rotate_bytes, rotate_ns;	/* 0: not by size, not by time */
	unsigned int rotate_keep;		/* older files; 0: all */

	bool on;
	_Atomic bool stopped;		/* the last interval ended by itself */
	pthread_t thread;
	bool draining;			/* the thread runs */
	int wake;			/* eventfd: the thread shall end */
	int stop_fd;			/* eventfd: stopped by itself, or the file failed */
	pthread_mutex_t lock;		/* the backend's rings and what follows */
	struct out file;
	struct kernel_code *code;	/* of an interval that is in no file */
	struct out next;		/* what comes after file, while it is prepared */
	uint64_t ticket;		/* … until this walk has ended */
	int64_t begun;			/* file, CLOCK_MONOTONIC ns */
	_Atomic int error;		/* -errno of the file or the collector */
	_Atomic unsigned int files;	/* older ones */
	uint64_t before_bytes, before_records;	/* in them */
	_Atomic uint64_t written, records;	/* in all */
	_Atomic uint64_t unwritten;		/* records for which there was no room */
	/* What tracer_write wrote last. */
	uint64_t got, got_records;
	char got_file[4096];
};

/* What the collector says of its session, and the rate and dither that it keeps. */
void session_info(struct tracer *t, struct trace_info *info);

/* Begin a file for the interval that is on or comes next. 0 or -errno; then out_undo. */
int out_begin(struct tracer *t, struct out *o, const struct folder *folder, const char *leaf);
/* Hand what the collector has to t->file (and names to t->next). */
int out_drain(struct tracer *t, bool all);
/* In between: what else changes unasked. Kernel modules that are there for so long are seen. */
#define OUT_LOOK_MS	200
int out_update(struct tracer *t);
/* Before tracing is off, when the kernel's code changes: read all that was executed. */
int out_code(struct tracer *t);
/* Wrap mode: what the trace rings held at the mark. */
int out_window(struct tracer *t, struct out *o);
/* Finish it. With `next` that one counts from here on; without it is safe on the disk. 0 or -errno
 * of the first write that failed. */
int out_end(struct tracer *t, struct out *o, struct out *next);
/* No file after all: it goes, and what it made way for is back. */
void out_undo(struct out *o);
/* Write what there is now to a file of its own, whatever the state. 0 or a negative rc. */
int out_write(struct tracer *t, const char *path);

/* The collector's, and what hook files lost, as CPU 0's. As collector.stats. */
int out_stats(struct tracer *t, struct pifile_stats **stats);

int drain_start(struct tracer *t);
void drain_end(struct tracer *t);
int64_t drain_clock(void);

#endif
