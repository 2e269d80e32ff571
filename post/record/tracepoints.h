/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes tracepoints' data by the formats that the kernel gave and the file keeps. libtraceevent
 * does it in a process of its own, since it was not made for hostile files: if it crashes, the data
 * are shown as numbers. The same holds for a post that was built without it (TRACEPOINTS_READ is
 * 0).
 */
#ifndef POST_TRACEPOINTS_H
#define POST_TRACEPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/tracepoint_field.h"

#ifdef HAVE_TRACEEVENT
#define TRACEPOINTS_READ 1
#else
#define TRACEPOINTS_READ 0
#endif

struct tracepoints;

/* data: of HEADER_TRACING_DATA. NULL: libtraceevent is missing, or the data are useless. */
struct tracepoints *tracepoints_open(const void *data, size_t size);
void tracepoints_close(struct tracepoints *t);
/* The process died: there are no more answers. */
bool tracepoints_fell(const struct tracepoints *t);

/* Formats data in the words of `perf script`, into `room`. false: the format is unknown. */
bool tracepoints_text(struct tracepoints *t, const void *raw, size_t bytes, char *room,
		      size_t size);

bool tracepoints_field(struct tracepoints *t, const char *system, const char *event,
		       const char *name, struct tracepoint_field *field);
/* false: the data are of another event, or too short. */
bool tracepoint_number(const struct tracepoint_field *f, const void *raw, size_t bytes,
		       uint64_t *value);

#endif
