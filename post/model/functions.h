/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of each function, from records of entries and exits: how many, how long. Every call's
 * time is kept (4 bytes), so that percentiles are exact. Times are in stamps of the trace's
 * clock.
 */
#ifndef POST_FUNCTIONS_H
#define POST_FUNCTIONS_H

#include "model/callflow.h"

struct function {
	uint32_t number;
	uint32_t pid;          /* of a process that called it */
	uint64_t address;      /* 0: not known */
	uint64_t time;         /* of the first call */
	uint64_t calls, ended; /* the times are of those that ended */
	uint64_t total, self;  /* with what it called; without */
	uint64_t min, max;
	uint32_t *took; /* of each call; */
	uint64_t ntook, room;
	uint64_t *longer; /* … what takes more than 32 bits */
	uint64_t nlonger, room_longer;
};

struct functions {
	struct function *function;
	uint32_t nfunction, room;
	uint32_t *by_number; /* index + 1; of small numbers */
	uint32_t nby_number;
	struct keys others;
	struct callflow flow;
};

/* r is a CALL_RECORD. 0 or -ENOMEM. */
int functions_record(struct functions *f, const struct pirecord *r);
/* The smallest call time that (part * ended) calls do not exceed, as llvm-xray computes it;
 * reorders the times. */
uint64_t function_percentile(struct function *fn, double part);
void functions_free(struct functions *f);

#endif
