/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State of a perf.data that is being written, shared by its parts: the bytes (perf_write_bytes.c),
 * records (perf_write.c), perf's data beyond ours (perf_write_details.c), the header, before and
 * behind the data or as records (perf_write_head.c).
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

#define PERF_WRITE_FIRST_ID 1000 /* of the first event */

struct perf_out {
	uint8_t *data; /* the record or table that is being made */
	size_t n, room;
	bool no_memory;
};

/* Calls of a stack that are sure to have room in a record. */
#define PERF_WRITE_DEEPEST 8000

struct perf_writing {
	const struct job *job;
	FILE *file;
	bool pipe;
	struct perf_out o;
	uint64_t written; /* bytes of the data */
	uint64_t records;
	uint64_t too_long; /* records too long for perf's format */
	uint64_t too_deep; /* stacks without their outermost calls */
	struct whole_stacks whole;
	uint64_t first, last;       /* of samples */
	uint64_t type;              /* of samples */
	uint32_t kind[EVENT_KINDS]; /* events by their number in the file */
	uint32_t nevents;
	uint8_t event_of[EVENT_KINDS];  /* … and the other way round */
	uint8_t now[EVENT_NUMBERS + 1]; /* kind for each number in samples */
	struct unwound unwound;
	uint64_t place[PERF_WRITE_DEEPEST];
	struct blob formats;    /* of tracepoints */
	struct blob kernel_ids; /* entries of build ids of the kernel and its modules */
	struct perf_write_details *details;
	const struct detail_event *how; /* how the current sample's event was opened */
	int rc;
};

void *perf_write_grow(struct perf_out *o, size_t n); /* zeros; NULL: no memory */
void perf_write_bytes(struct perf_out *o, const void *data, size_t n);
void perf_write_u16(struct perf_out *o, uint16_t v);
void perf_write_u32(struct perf_out *o, uint32_t v);
void perf_write_u64(struct perf_out *o, uint64_t v);
/* With its NUL, to a multiple of `to`. */
void perf_write_text(struct perf_out *o, const char *s, size_t to);
/* Writes what was made to the file; *count grows by its bytes. */
void perf_write_flush(struct perf_writing *w, uint64_t *count);
/* A record, between these. */
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
/* Bits of PERF_SAMPLE_* for samples of an event, beyond those of all events. */
uint64_t perf_write_details_type(const struct perf_writing *w, uint32_t event);
/* The formats of tracepoints, if there are any and all are of one machine. 0 or -ENOMEM. */
int perf_write_details_begin(struct perf_writing *w);
void perf_write_details_end(struct perf_writing *w);
/* Writes a detail record, or keeps it for its sample. 0 or -ENOMEM. */
int perf_write_detail(struct perf_writing *w, const struct pirecord *r);
void perf_write_ksymbol(struct perf_writing *w, const struct pirecord *r,
			const struct detail_ksymbol *k);
/* Called with each sample: drops details that were kept for another one. */
void perf_write_details_of(struct perf_writing *w, const struct pirecord *r,
			   const struct pitrace_sample *s);
/* Write fields of the current sample, in perf's order. */
void perf_write_details_address(struct perf_writing *w, uint64_t type);
void perf_write_details_raw(struct perf_writing *w, uint64_t type);
void perf_write_details_rest(struct perf_writing *w, uint64_t type);

#endif
