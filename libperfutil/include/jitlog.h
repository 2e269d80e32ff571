/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logs that a runtime may write about the code it generates: log-jita2n_PID (code that is loaded,
 * moved and, unlike in a jitdump, freed) and log-jtnm_PID (names of threads). Text, one line per
 * event, fields separated by one tab, times in nanoseconds of CLOCK_MONOTONIC:
 *
 * log-jita2n: TIME ADDRESS SIZE FLAGS METHOD [CODE], flags: LOAD, UNLOAD, MOVE=OLD-ADDRESS
 *
 * log-jtnm: TIME TID NAME START|END
 *
 * Addresses, sizes and code are hexadecimal; in names a tab is \t, a newline \n, a backslash \\.
 * Lines that begin with # are comments.
 */
#ifndef JITLOG_H
#define JITLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct jitlog;

enum jitlog_kind {
	JITLOG_LOAD,
	JITLOG_MOVE,
	JITLOG_UNLOAD, /* log-jita2n */
	JITLOG_START,
	JITLOG_END, /* log-jtnm */
};

struct jitlog_event {
	enum jitlog_kind kind;
	uint32_t tid; /* thread id */
	uint64_t time;
	uint64_t address, size, from; /* of code; from: the old address (MOVE) */
	/* "" in an UNLOAD or MOVE without name; valid until the next call */
	const char *name;
	size_t name_length;
	uint64_t offset, line; /* offset in the file; lines count from 1 */
};

struct jitlog_fault {
	uint64_t offset, line;
	const char *what;    /* text; NULL: none so far */
	uint64_t lines;      /* lines skipped so far */
	uint64_t unfinished; /* bytes after the last whole line */
};

/* Opens a log; takes ownership of fd, also on failure; threads: a log-jtnm. 0, -ENOMEM, -EBADMSG
 * (*why). */
int jitlog_open(struct jitlog **l, int fd, bool threads, const char **why) PITRACE_USE_RESULT;
void jitlog_close(struct jitlog *l);
/* 1: the next event; 0: no more now (a later call reads what was appended); -errno. */
int jitlog_next(struct jitlog *l, struct jitlog_event *event) PITRACE_NONNULL(1)
	PITRACE_WRITES(2) PITRACE_USE_RESULT;
/* Reads the code bytes of the last LOAD. Returns their number, at most room; 0: missing. Long code
 * is truncated. */
size_t jitlog_code(const struct jitlog *l, uint8_t *code, size_t room) PITRACE_NONNULL(1)
	PITRACE_WRITES(2, 3);
void jitlog_fault(const struct jitlog *l, struct jitlog_fault *fault) PITRACE_NONNULL(1)
	PITRACE_WRITES(2);

/* ---- writing --------------------------------------------------------------------------------- */

struct jitlog_writer;

enum jitlog_files {
	JITLOG_CODE = 1 << 0,    /* log-jita2n */
	JITLOG_THREADS = 1 << 1, /* log-jtnm */
};

/* Creates both files in a folder (NULL: the working folder). Threads may write concurrently. All
 * functions return 0 or -errno; after a failed write the file ends with a whole line. */
int jitlog_create(struct jitlog_writer **w, const char *folder) PITRACE_USE_RESULT;
/* files: which of them (jitlog_files). What belongs into another one is then refused: -EINVAL. */
int jitlog_create_files(struct jitlog_writer **w, const char *folder,
			unsigned int files) PITRACE_USE_RESULT;
/* code NULL: without its bytes. */
int jitlog_load(struct jitlog_writer *w, const char *name, uint64_t address, uint64_t size,
		const void *code) PITRACE_NONNULL(1);
int jitlog_move(struct jitlog_writer *w, uint64_t from, uint64_t to, uint64_t size)
	PITRACE_NONNULL(1);
int jitlog_unload(struct jitlog_writer *w, uint64_t address, uint64_t size) PITRACE_NONNULL(1);
int jitlog_thread(struct jitlog_writer *w, uint32_t tid, const char *name, bool start)
	PITRACE_NONNULL(1);
/* Ends the writer; the files stay. */
int jitlog_end(struct jitlog_writer *w);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int jitlog_next_sized(struct jitlog *l, struct jitlog_event *event, size_t size) PITRACE_NONNULL(1)
	PITRACE_WRITES(2) PITRACE_USE_RESULT;
void jitlog_fault_sized(const struct jitlog *l, struct jitlog_fault *fault, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(2);
#ifndef PITRACE_OWN_SOURCE
#define jitlog_next(...)  jitlog_next_sized(__VA_ARGS__, sizeof(struct jitlog_event))
#define jitlog_fault(...) jitlog_fault_sized(__VA_ARGS__, sizeof(struct jitlog_fault))
#endif

#ifdef __cplusplus
}
#endif
#endif
