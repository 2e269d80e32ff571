/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State that the parts of a merged input share: order (merged.c), records (merged_record.c),
 * sections and labels (merged_texts.c). */
#ifndef POST_MERGED_INNER_H
#define POST_MERGED_INNER_H

#include "record/input.h"

#define NO_CPU UINT32_MAX

/* One of the traces. */
struct merged_part {
	struct input in;
	struct pirecord head; /* the next one, if it has one */
	bool has;
	int failed;    /* reading it: -errno */
	uint32_t *cpu; /* its CPUs' numbers here, or NO_CPU */
	uint32_t cpus, room_cpus;
	uint8_t event[EVENT_NUMBERS + 1]; /* its events' numbers + 1 here; 0: none yet */
	bool off;                         /* it has not begun, or was switched off, or ended */
	bool begun;
	uint64_t told_at;     /* time of the last switch */
	uint32_t tell;        /* the next of its CPUs to give a record of that */
	uint32_t gaps;        /* places where it misses records */
	uint64_t first, wall; /* first record: its time, and the wall clock's lead */
	bool timed, walls;    /* it has one; the wall clock is known */
};

struct merged {
	struct merged_part *part;
	struct origin *origin;
	uint32_t count;          /* of the room in both */
	uint32_t missing;        /* traces that cannot be read */
	uint32_t cpus;           /* of all */
	bool no_memory;          /* for the number of a CPU */
	struct merged_part *now; /* the trace with the next record, until … */
	uint64_t until;
	struct merged_part *given;
	bool on;      /* the first trace is */
	bool telling; /* records of CPUs that came or went are due */
	uint32_t gaps;
	struct pitrace_sync sync;
	uint8_t *room; /* the record that was given */
	size_t size;
	char named[EVENT_NUMBERS][64]; /* events by their numbers here */
	uint32_t events;
	bool walls; /* times are by the wall clock, which leads by … */
	uint64_t wall;
	char *name;
	/* Beside the records: */
	char *system, *section;
	size_t room_section;
	uint32_t at_part; /* where section() is: a trace, the number within it */
	size_t at_section, at;
	struct pifile_fault *faults;
	size_t nfaults, told; /* of all; in the list */
};

/* 1, or -ENOMEM: p's head with the merged numbers. */
int merged_record(struct merged *m, struct merged_part *p, struct pirecord *r);
/* NO_CPU: the number is too great, or no_memory. */
uint32_t merged_cpu(struct merged *m, struct merged_part *p, uint32_t cpu);
int merged_labels(struct merged *m, uint32_t count);
int merged_texts(struct input *in, struct merged *m);
int merged_section(struct input *in, size_t i, struct input_section *section);
int merged_info(struct input *in, input_say say, void *arg);
size_t merged_faults(const struct input *in, const struct pifile_fault **list);

#endif
