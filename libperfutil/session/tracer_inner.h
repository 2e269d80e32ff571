/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of a tracer: tracer.c has its states, out.c its files, drain.c the thread
 * that fills them while tracing is on, and rotates them.
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
#include "image/drain_cgroups.h"
#include "image/perfmaps.h"
#include "base/rights.h"

struct tracer_out {                   /* a file being written */
	struct pifile_writer *writer; /* NULL: no file */
	struct buildids *ids;
	struct perfmaps *maps;
	struct drain_cgroups *cgroups;
	struct file_copies *copies;
	struct kernel_code *code;    /* NULL: not recorded, or not allowed for this user */
	char *modules;               /* /proc/modules at the last read … */
	uint64_t scanned;            /* … at this time */
	struct pifile_stats *before; /* counts when the file began; NULL: it began at *on* */
	int nbefore;
};

struct tracer {
	const struct collector *collector;
	struct backend *backend;
	struct trace_config config;
	char *path, *command;
	struct folder folder; /* folder of path, while on */
	struct hooks *hooks;  /* hook files; NULL: none could be created */
	bool own_folder;      /* of hook files: only for the command */
	struct rights *user;  /* the tracing user; NULL: this process */
	int compression;
	uint64_t rotate_bytes, rotate_ns; /* 0: no limit of size, of time */
	unsigned int rotate_keep;         /* older files; 0: all */

	bool on;
	_Atomic bool stopped; /* the last interval ended on its own */
	pthread_t thread;
	bool draining;        /* the drain thread is running */
	int wake;             /* eventfd: makes the thread end */
	int stop_fd;          /* eventfd: stopped on its own, or the file failed */
	pthread_mutex_t lock; /* protects the backend's rings and the members below */
	struct tracer_out file;
	struct kernel_code *code;              /* data of an interval that is in no file */
	struct tracer_out next;                /* the file after this one, while it is prepared */
	uint64_t ticket;                       /* … until this walk has finished */
	int64_t begun;                         /* file, CLOCK_MONOTONIC ns */
	_Atomic int error;                     /* -errno of the file or the collector */
	_Atomic unsigned int files;            /* older ones, of earlier intervals too */
	bool complete;                         /* an earlier interval has left its file */
	unsigned int before_number;            /* … files, before */
	bool numbered;                         /* … which *on* has just renamed */
	uint64_t before_bytes, before_records; /* contained in them */
	_Atomic uint64_t written, records;     /* in total */
	_Atomic uint64_t unwritten;            /* records that did not fit */
	/* The last file written by tracer_write. */
	uint64_t got, got_records;
	char got_file[4096];
};

/* Checks sizes that no collector accepts, with a message. 0: the default. 0 or a negative rc. */
#define TRACER_MOST_BYTES    (1u << 30) /* of one CPU's buffer */
#define TRACER_LEAST_SECTION (32u << 10)
#define TRACER_MOST_SECTION  (1u << 20)
int session_check_sizes(uint64_t mte, uint64_t trace, uint64_t section);

/* Is the collector the driver? Programs may need a descriptor of it. */
bool session_by_driver(const struct tracer *t);

/* Fills in the collector's session state, and its rate and dither. */
void session_info(struct tracer *t, struct trace_info *info);

/* Creates a file for the present or next interval. 0 or -errno; then out_undo. */
int out_begin(struct tracer *t, struct tracer_out *o, const struct folder *folder,
	      const char *leaf);
/* Drains the collector to t->file (and names to t->next). */
int out_drain(struct tracer *t, bool all);
/* Between drains: records other changes. A kernel module that is loaded for this long is seen. */
#define OUT_UPDATE_MS 200
int out_update(struct tracer *t);
/* Call before tracing is turned off, which modifies the kernel's code: reads all executed code. */
int out_code(struct tracer *t);
/* Wrap mode: writes the content of the trace rings at the mark. */
int out_window(struct tracer *t, struct tracer_out *o);
/* Finishes the file. With `next`, counts start from here for that file; without it the file is
 * synced to disk. 0 or -errno of the first write that failed. */
int out_end(struct tracer *t, struct tracer_out *o, struct tracer_out *next);
/* Discards the file and moves the old one back. */
void out_undo(struct tracer_out *o);
/* Writes the trace so far to a file of its own, in any state. 0 or a negative rc. */
int out_write(struct tracer *t, const char *path);

/* Returns the collector's counts, with the losses of hook files as CPU 0's. As collector.stats. */
int out_stats(struct tracer *t, struct pifile_stats **stats);

int drain_start(struct tracer *t);
void drain_end(struct tracer *t);
int64_t drain_clock(void);
/* Call before a new interval's file is created: the previous file becomes the newest of the older
 * ones, as in rotation. 0 or -errno. drain_number_undo: the new interval did not begin. */
int drain_number_last(struct tracer *t);
void drain_number_undo(struct tracer *t);
/* Removes the oldest file if there is one more than should be kept. */
void drain_forget_oldest(struct tracer *t);

#endif
