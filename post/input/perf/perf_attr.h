/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of a perf.data's records. */
#ifndef POST_PERF_ATTR_H
#define POST_PERF_ATTR_H

#include "input/perf/perf_state.h"

/* Read the events from the file's table or from a pipe's records; hash them by id; finish them once
 * the features are known. Return 0 or -ENOMEM. */
int perf_attrs_read(struct perf *p);
int perf_attr_record(struct perf *p, const struct perf_raw *raw);
int perf_attr_update(struct perf *p, const struct perf_raw *raw);
int perf_attrs_hash(struct perf *p);
int perf_attrs_finish(struct perf *p);
void perf_attrs_free(struct perf *p);
/* Returns the index of the event that a record belongs to; UINT32_MAX: unknown. */
uint32_t perf_attr_of(struct perf *p, const uint8_t *record, uint32_t size, bool sample);
uint32_t perf_attr_by_id(const struct perf *p, uint64_t id);
struct perf_id *perf_id_find(struct perf *p, uint64_t id); /* or NULL */
/* Reads the fields of a perf_event_attr from a file; fields that an older one lacks are 0. */
void perf_attr_read(const struct perf *p, const uint8_t *data, size_t size, struct perf_attr *a);

#endif
