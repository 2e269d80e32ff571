/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by the parts of a merged input: order (merged.c), records (merged_record.c),
 * sections and labels (merged_texts.c). */
#ifndef POST_MERGED_INNER_H
#define POST_MERGED_INNER_H

#include "record/input.h"

#define NO_CPU UINT32_MAX

/* One of the traces. */
struct merged_part {
	struct input in;
	struct pirecord head; /* the next record, if `has` */
	bool has;
	int failed;    /* -errno of reading it */
	uint32_t *cpu; /* merged numbers of its CPUs, or NO_CPU */
	uint32_t cpus, room_cpus;
	uint8_t event[EVENT_NUMBERS + 1]; /* merged numbers of its events + 1; 0: none yet */
	bool off;                         /* not begun, switched off, or ended */
	bool begun;
	uint64_t switched_at; /* time of the last switch */
	uint32_t next_cpu;    /* the next CPU for which a record of the switch is due */
	uint32_t gaps;        /* number of gaps in its records */
	uint64_t first, wall; /* time of the first record; offset to the wall clock */
	bool timed, walls;    /* has a first record; the wall clock is known */
};

struct merged {
	struct merged_part *part;
	struct origin *origin;
	uint32_t count;          /* room in both arrays */
	uint32_t missing;        /* number of unreadable traces */
	uint32_t cpus;           /* total number */
	bool no_memory;          /* for a CPU number */
	struct merged_part *now; /* the trace with the next record, until */
	uint64_t until;
	struct merged_part *given;
	bool on;        /* the first trace is on */
	bool switching; /* records of CPUs that went online or offline are due */
	uint32_t gaps;
	struct pitrace_sync sync;
	uint8_t *room; /* data of the record returned last */
	size_t size;
	char named[EVENT_NUMBERS][64]; /* events by merged number */
	uint32_t events;
	bool walls; /* times follow the wall clock */
	uint64_t wall;
	char *name;
	/* Sections and texts: */
	char *system, *section;
	size_t room_section;
	uint32_t at_part; /* position of section(): a trace, the number within it */
	size_t at_section, at;
	struct pifile_fault *faults;
	size_t nfaults, reported; /* of all traces; in the list */
};

/* Returns p's next record with merged numbers: 1 or -ENOMEM. */
int merged_record(struct merged *m, struct merged_part *p, struct pirecord *r);
/* Returns the merged number; NO_CPU: too great, or no_memory. */
uint32_t merged_cpu(struct merged *m, struct merged_part *p, uint32_t cpu);
int merged_labels(struct merged *m, uint32_t count);
int merged_texts(struct input *in, struct merged *m);
int merged_section(struct input *in, size_t i, struct input_section *section);
int merged_info(struct input *in, input_say say, void *arg);
size_t merged_faults(const struct input *in, const struct pifile_fault **list);

#endif
