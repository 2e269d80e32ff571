/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tracepoints' data mean, by the formats that the kernel gave and the file keeps.
 * libtraceevent reads them; without it (TRACEPOINTS_READ is 0) data stay numbers.
 */
#ifndef POST_FORMATS_TRACEPOINTS_H
#define POST_FORMATS_TRACEPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef HAVE_TRACEEVENT
#define TRACEPOINTS_READ 1
#else
#define TRACEPOINTS_READ 0
#endif

struct tracepoints;

/* data: of HEADER_TRACING_DATA. NULL: it is not to be had, or of no use. */
struct tracepoints *tracepoints_open(const void *data, size_t size);
void tracepoints_close(struct tracepoints *t);

/* In the words of `perf script`, in `room`. false: no format is known for it. */
bool tracepoints_text(struct tracepoints *t, const void *raw, size_t bytes, char *room,
		      size_t size);
/* A field by its name. */
bool tracepoints_field(struct tracepoints *t, const void *raw, size_t bytes, const char *name,
		       uint64_t *value);
/* Whether the data are of "system:event". */
bool tracepoints_is(struct tracepoints *t, const void *raw, size_t bytes, const char *name);

#endif
