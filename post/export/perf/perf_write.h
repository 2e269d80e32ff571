/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State of a perf.data that is being written, shared by its parts: the bytes (perf_write_bytes.c),
 * records (perf_write.c), perf's additional data (perf_write_details.c), and the header, which is
 * before and after the data or consists of records (perf_write_head.c).
 */
#ifndef POST_PERF_WRITE_H
#define POST_PERF_WRITE_H

#include "base/blob.h"
#include "format/perf_data.h"
#include "job.h"
#include "model/profile.h"
#include "model/unwind.h"
#include "collect/perf/perf_records.h"
#include "record/detail.h"
#include "record/whole_stacks.h"

#define PERF_WRITE_FIRST_ID 1000 /* id of the first event */

struct perf_out {
	uint8_t *data; /* the record or table being built */
	size_t n, room;
	bool no_memory;
};

/* Calls of a stack that always fit into a record. */
#define PERF_WRITE_DEEPEST 8000

struct perf_writing {
	const struct job *job;
	FILE *file;
	bool pipe;
	struct perf_out o;
	uint64_t written; /* bytes of data */
	uint64_t records;
	uint64_t too_long; /* records too long for perf's format */
	uint64_t too_deep; /* stacks truncated at their outermost calls */
	struct whole_stacks whole;
	uint64_t first, last;       /* times of samples */
	uint64_t type;              /* sample_type */
	uint32_t kind[EVENT_KINDS]; /* by the event's number in the file */
	uint32_t nevents;
	uint8_t event_of[EVENT_KINDS];  /* by kind: the event's number in the file */
	uint8_t now[EVENT_NUMBERS + 1]; /* current kind of each event number in samples */
	struct unwound unwound;
	uint64_t place[PERF_WRITE_DEEPEST];
	struct blob formats;    /* of tracepoints */
	struct blob kernel_ids; /* entries of build ids of the kernel and its modules */
	struct perf_write_details *details;
	const struct detail_event *how; /* attributes of the current sample's event */
	int rc;
};

void *perf_write_grow(struct perf_out *o, size_t n); /* zeroed; NULL: no memory */
void perf_write_bytes(struct perf_out *o, const void *data, size_t n);
void perf_write_u16(struct perf_out *o, uint16_t v);
void perf_write_u32(struct perf_out *o, uint32_t v);
void perf_write_u64(struct perf_out *o, uint64_t v);
/* Appends a text with its NUL, padded to a multiple of `to`. */
void perf_write_text(struct perf_out *o, const char *s, size_t to);
/* Writes the built data to the file and adds its size to *count. */
void perf_write_flush(struct perf_writing *w, uint64_t *count);
/* Begin and end a record. */
void perf_write_begin(struct perf_writing *w, uint32_t type, uint16_t misc);
void perf_write_end(struct perf_writing *w);
void perf_write_sample_id(struct perf_writing *w, const struct pirecord *r, uint32_t pid,
			  uint32_t tid);

/* perf_write_head.c */
void perf_write_head(struct perf_writing *w, uint64_t data_size, uint64_t features);
uint64_t perf_write_features(struct perf_writing *w);
void perf_write_pipe_head(struct perf_writing *w);
void perf_write_pipe_build_ids(struct perf_writing *w);

/* perf_write_details.c */
/* Returns the PERF_SAMPLE_* bits of an event's samples beyond those of all events. */
uint64_t perf_write_details_type(const struct perf_writing *w, uint32_t event);
/* Finds the formats of tracepoints, if all are of one machine. Returns 0 or -ENOMEM. */
int perf_write_details_begin(struct perf_writing *w);
void perf_write_details_end(struct perf_writing *w);
/* Writes a detail record, or keeps it for its sample. Returns 0 or -ENOMEM. */
int perf_write_detail(struct perf_writing *w, const struct pirecord *r);
void perf_write_ksymbol(struct perf_writing *w, const struct pirecord *r,
			const struct detail_ksymbol *k);
/* Called for each sample: drops details that were kept for another one. */
void perf_write_details_of(struct perf_writing *w, const struct pirecord *r,
			   const struct pitrace_sample *s);
/* Write fields of the current sample, in perf's order. */
void perf_write_details_address(struct perf_writing *w, uint64_t type);
void perf_write_details_raw(struct perf_writing *w, uint64_t type);
void perf_write_details_rest(struct perf_writing *w, uint64_t type);

#endif
