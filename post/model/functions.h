/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of each function, from records of entries and exits: number and duration. The duration of
 * each call is kept (4 bytes), so that percentiles are exact. Times are in stamps of the trace's
 * clock.
 */
#ifndef POST_FUNCTIONS_H
#define POST_FUNCTIONS_H

#include "model/callflow.h"

struct function {
	uint32_t number;
	uint32_t pid;          /* a process that called it */
	uint64_t address;      /* 0: unknown */
	uint64_t time;         /* of the first call */
	uint64_t calls, ended; /* times cover only ended calls */
	uint64_t total, self;  /* with callees; without callees */
	uint64_t min, max;
	uint32_t *took; /* duration of each call */
	uint64_t ntook, room;
	uint64_t *longer; /* durations that take more than 32 bits */
	uint64_t nlonger, room_longer;
};

struct functions {
	struct function *function;
	uint32_t nfunction, room;
	uint32_t *by_number; /* index + 1 for small numbers */
	uint32_t nby_number;
	struct keys others;
	struct callflow flow;
};

/* Processes a record, a CALL_RECORD. Returns 0 or -ENOMEM. */
int functions_record(struct functions *f, const struct pirecord *r);
/* Returns the smallest call time that (part * ended) calls do not exceed, as llvm-xray computes it;
 * reorders the times. */
uint64_t function_percentile(struct function *fn, double part);
void functions_free(struct functions *f);

#endif
