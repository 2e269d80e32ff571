/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our records made from perf's: in p->told until they are returned. */
#ifndef POST_PERF_TOLD_H
#define POST_PERF_TOLD_H

#include "input/perf/perf_state.h"

struct perf_told {
	struct said *said;
	size_t n, room, next;
	uint8_t *data;
	size_t used, room_data;

	/* The record being converted: */
	struct perf *p;
	uint64_t time, offset;
	uint32_t cpu;
	bool walk;
};

struct perf_told *perf_told_new(void);
void perf_told_free(struct perf_told *t);
/* Adds a record for the one being converted: a perf_put, whose argument is the struct perf_told. */
int perf_told_put(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		  uint64_t time);
/* Returns the next of them in *r. */
bool perf_told_next(struct perf_told *t, struct pirecord *r);
bool perf_told_any(const struct perf_told *t);
/* Adds a record that does not come from one of perf's. */
int perf_told_alone(struct perf *p, uint16_t major, uint32_t minor, const void *data, size_t size,
		    uint64_t time, uint32_t cpu);
/* Returns the time at which a record is returned. */
uint64_t perf_told_time(struct perf *p, const struct perf_entry *e, bool sample);

#endif
