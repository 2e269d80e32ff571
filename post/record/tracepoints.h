/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes the data of tracepoints with the kernel's format descriptions, which the file contains.
 * libtraceevent does so in a process of its own, since it was not designed for hostile files: if it
 * crashes, the data are shown as numbers. A post built without libtraceevent does the same
 * (TRACEPOINTS_READ is 0).
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

/* data: the contents of HEADER_TRACING_DATA. Returns NULL if libtraceevent is missing or the data
 * are unusable. */
struct tracepoints *tracepoints_open(const void *data, size_t size);
void tracepoints_close(struct tracepoints *t);
/* Returns whether the process died: no more replies follow. */
bool tracepoints_fell(const struct tracepoints *t);

/* Formats data as `perf script` prints them into `room`. false: unknown format. */
bool tracepoints_text(struct tracepoints *t, const void *raw, size_t bytes, char *room,
		      size_t size);

bool tracepoints_field(struct tracepoints *t, const char *system, const char *event,
		       const char *name, struct tracepoint_field *field);
/* Reads a number. Returns false if the data belong to another event or are too short. */
bool tracepoint_number(const struct tracepoint_field *f, const void *raw, size_t bytes,
		       uint64_t *value);

#endif
