/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An output format for a trace, whatever its input format. Writers read samples through
 * model/profile.h, or the records themselves. A new writer adds one line to the list below.
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
	const char *what; /* description for the list of formats */
	/* Write to a file, or into an existing folder. Return 0, -errno, or REPORT_WRONG. */
	int (*write)(const struct job *job, FILE *out);
	int (*write_folder)(const struct job *job, int folder);
	const char *path;   /* default output */
	unsigned int needs; /* NEED_* of read.h, as for a report */
	bool whole;         /* also writes a trace without samples */
	bool addresses;     /* has no names: its readers find them in files */
	bool ticks;         /* a sample is one tick: values of calls cannot be written */
	bool lines;         /* always has source lines and inlined functions */
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

/* Returns the i-th writer of the list; NULL: no more. */
const struct writer *writer_at(size_t i);
/* Returns the writer of that name; NULL: not found. */
const struct writer *writer_named(const char *name);

#endif
