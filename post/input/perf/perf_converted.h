/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our records made from perf's: in p->told until they are returned. */
#ifndef POST_PERF_CONVERTED_H
#define POST_PERF_CONVERTED_H

#include "input/perf/perf_state.h"

struct perf_converted {
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

struct perf_converted *perf_converted_new(void);
void perf_converted_free(struct perf_converted *t);
/* Adds a record for the one being converted: a perf_put, whose argument is the struct
 * perf_converted. */
int perf_converted_put(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		       uint64_t time);
/* Returns the next of them in *r. */
bool perf_converted_next(struct perf_converted *t, struct pirecord *r);
bool perf_converted_any(const struct perf_converted *t);
/* Adds a record that does not come from one of perf's. */
int perf_converted_alone(struct perf *p, uint16_t major, uint32_t minor, const void *data,
			 size_t size, uint64_t time, uint32_t cpu);
/* Returns the time at which a record is returned. */
uint64_t perf_converted_time(struct perf *p, const struct perf_entry *e, bool sample);

#endif
