/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child process that decodes tracepoints (tracepoints.c), and its requests. */
#ifndef POST_TRACEPOINTS_SERVE_H
#define POST_TRACEPOINTS_SERVE_H

#include <stddef.h>
#include <stdint.h>

#include "record/tracepoint_field.h"

struct tracepoints_question {
	uint32_t text; /* 1: raw data follow; 0: the three names of a field */
};
/* Serves requests; never returns. */
_Noreturn void tracepoints_serve(int fd, const void *data, size_t size);
#define TRACEPOINTS_PATIENCE 10    /* seconds for an answer */
#define TRACEPOINTS_ROOM     65536 /* bytes of the rest of a request or answer */

#endif
