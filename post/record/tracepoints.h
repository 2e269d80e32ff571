/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tracepoints' data mean, by the formats that the kernel gave and the file keeps.
 * libtraceevent reads them, in a process of its own: it was not made for files of anybody's, and
 * what makes it fall leaves data as numbers. So does a post that was built without it
 * (TRACEPOINTS_READ is 0).
 */
#ifndef POST_TRACEPOINTS_H
#define POST_TRACEPOINTS_H

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
/* It could not take all questions: there are no more answers. */
bool tracepoints_fell(const struct tracepoints *t);

/* In the words of `perf script`, in `room`. false: no format is known for it. */
bool tracepoints_text(struct tracepoints *t, const void *raw, size_t bytes, char *room,
		      size_t size);

/* Where an event has a number. */
struct tracepoint_field {
	int32_t event;         /* its id, which its data begin with */
	uint32_t offset, size; /* size: 1, 2, 4, 8 */
	bool is_signed, big;
};
bool tracepoints_field(struct tracepoints *t, const char *system, const char *event,
		       const char *name, struct tracepoint_field *field);
/* false: the data are of another event, or too short. */
bool tracepoint_number(const struct tracepoint_field *f, const void *raw, size_t bytes,
		       uint64_t *value);

/* tracepoints_serve.c: the process's other end. It does not return. */
struct tracepoints_question {
	uint32_t text; /* 1: data follow; 0: a field's three names do */
};
_Noreturn void tracepoints_serve(int fd, const void *data, size_t size);
#define TRACEPOINTS_PATIENCE 10    /* seconds for an answer */
#define TRACEPOINTS_ROOM     65536 /* bytes of a question's or an answer's rest */

#endif
