/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls and functions in an instruction trace, from which an XRay log (xray_write.c) and its
 * names (xray_elf.c) are made. */
#ifndef POST_XRAY_RUNS_H
#define POST_XRAY_RUNS_H

#include "job.h"
#include "record/call_record.h"

/* An instruction trace's functions, numbered from 1 in order of appearance: symbols (of names) by
 * number - 1, numbers by symbol. */
struct xray_functions {
	uint32_t *symbol, count, room;
	uint32_t *number, nnumber;
};
/* Called for each CALL_RECORD; returns 0 or -errno. NULL: only collect the functions. */
typedef int (*xray_each)(void *arg, const struct pirecord *r);
int xray_runs(const struct job *job, struct xray_functions *f, xray_each each, void *arg);
void xray_functions_free(struct xray_functions *f);

#endif
