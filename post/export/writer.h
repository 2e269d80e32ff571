/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A format that a trace can be written in, whatever format it came in. Writers see samples through
 * model/profile.h, and the records themselves. The list: a new writer is one line here.
 */
#ifndef POST_WRITER_H
#define POST_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/read.h"

struct job;

struct writer {
	const char *name;
	const char *what; /* in words, for the list */
	/* Writes to a file, or to a folder that exists already. 0, or -errno, or REPORT_WRONG. */
	int (*write)(const struct job *job, FILE *out);
	int (*write_folder)(const struct job *job, int folder);
	const char *path;   /* default output */
	unsigned int needs; /* NEED_* of read.h, as a report's */
	bool whole;         /* a trace without samples can be written too */
	bool ticks;         /* a sample there is one tick: values of calls cannot be written */
	bool lines;         /* always with source lines and inlined functions */
};

/* clang-format off */
#define WRITERS(writer) \
	writer(perf) \
	writer(gperftools) \
	writer(pprof) \
	writer(folded) \
	writer(speedscope) \
	writer(firefox) \
	writer(chrome) \
	writer(perfetto) \
	writer(ctf) \
	writer(xray_map) \
	writer(xray)
/* clang-format on */

#define DECLARED(name) extern const struct writer writer_##name;
WRITERS(DECLARED)
#undef DECLARED

/* In the order of the list; NULL: no more. */
const struct writer *writer_at(size_t i);
/* The writer of that name; NULL: none. */
const struct writer *writer_named(const char *name);

#endif
