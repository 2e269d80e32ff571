/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inputs of reports: an input gives records of our own shape in order of time, in as many passes as
 * wanted, whatever file they come from. Each format has a reader, one const struct, which fills in
 * the input and gives its records; users of the records need not know the format.
 */
#ifndef POST_INPUT_H
#define POST_INPUT_H

#include <stdio.h>

#include <pifile.h>

#include "record/origin.h"

#define TRACE_MAX_CPUS 65536 /* a greater number is damage, not a machine */
#define EVENT_NUMBERS \
	128 /* of samples, at the same time: files of others have more than a
				   session */

#define INPUT_HEAD 4096 /* bytes of the beginning that a probe may see */

/* Text of saved symbols (liba2n's) made by a reader; not in files of ours. */
#define INPUT_SEC_SYMBOLS ((enum pifile_section_type)1000)
/* The formats of tracepoints (tracepoints.h), as perf keeps them. */
#define INPUT_SEC_TRACEPOINTS ((enum pifile_section_type)1001)

/* Build ids of the kernel and its modules: entries of perf's table, in our own byte order. */
#define INPUT_SEC_KERNEL_IDS ((enum pifile_section_type)1002)

/* Flag of a pass that gives perf's data beyond our records (record/detail.h). */
#define INPUT_DETAILS 0x100

/* Sections beside the records: texts and tables that describe the system and its kernel. */
struct input_section {
	enum pifile_section_type type;
	uint64_t offset;
	uint32_t cpu, ring; /* of records: CPU, enum pitrace_ring_kind, and */
	uint64_t sequence;  /* … the index of this part of them, from 0 */
	const void *data;   /* valid until the next call; NULL: it could not be read, */
	size_t size;        /* … and is 0 then: see input_section_is() */
	uint32_t origin;
};

/* Sets data and size, or neither: NULL always comes with size 0. */
static inline void input_section_is(struct input_section *s, const void *data, size_t size)
{
	s->data = data;
	s->size = data ? size : 0;
}

#define INPUT_UNITS 8
struct input {
	const struct reader *reader;
	const char *path;            /* to be opened, and … */
	const char *name;            /* … and its name in reports */
	char spool_path[32];         /* of a copy of a pipe's data */
	int spool;                   /* its descriptor, or -1 */
	void *state;                 /* the format's own */
	struct pifile_header header; /* collector, machine, mode */
	uint64_t size;
	bool complete;               /* the writer finished it */
	const char *program;         /* the program that the user names for it; or NULL */
	bool descriptors;            /* the user wants Java's names as the VM has them */
	bool values;                 /* its samples are values of calls (jprof_tree.h), no ticks */
	char unit[INPUT_UNITS][32];  /* … of metrics 1 and so on, by their names; "": not known */
	bool java_events;            /* it has Java methods' entries and exits, one by one */
	bool calls;                  /* it has functions' entries and exits (call_record.h) */
	bool kernel_maps;            /* DETAIL_KERNEL_MAP has all mappings of the kernel and its
				      * modules */
	bool own_clock;              /* its times are not of a system clock, and */
	bool cycles;                 /* … monotonic() turns cycles into them */
	const struct origin *origin; /* several traces as one (merged.h): these; else NULL */
	uint32_t origins;
};

/* Offset from the trace's times to the time of day, if realtime() does not know it: bounds in ns
 * (0: unknown). */
struct input_wall {
	uint64_t least, most;
	/* CLOCK_REALTIME; 0: not known: */
	uint64_t begun; /* no record of an event is older */
	uint64_t ended; /* it was written last */
	bool here;      /* this machine recorded it */
};

/* A record's pid as the pid on its own machine. */
static inline uint32_t input_pid(const struct input *in, uint32_t pid)
{
	return in->origins ? origin_own(pid) : pid;
}

/* A line "key : value" about the file. */
typedef void (*input_say)(void *arg, const char *line);
/* Number of records of a kind; event: of this event, or NULL: of the whole file. */
typedef void (*input_count)(void *arg, const char *event, const char *kind, uint64_t count);

/* A call of a tree of calls (stack_place.h). */
struct stack_place {
	uint64_t address;
	uint32_t caller; /* its number; NO_KEY: it is the outermost */
};

struct reader {
	const char *name;
	const char *what; /* in words, for the list */
	bool numbers;     /* functions have numbers: input.program has their names */
	bool own;         /* records of our own collectors, by the system's clock */
	bool frames;      /* stacks that are no copies come from frame pointers */
	bool (*probe)(const void *head, size_t size);
	/* Fill in header, size, complete. 0, or -errno and fault in words. */
	int (*open)(struct input *in, struct pifile_fault *fault);
	/* Start a pass; what: PIMERGE_*, INPUT_DETAILS. 0 or -errno. */
	int (*begin)(struct input *in, unsigned int what);
	/* 1 a record, 0 the end, <0 -errno. Damage is noted and passed over. */
	int (*next)(struct input *in, struct pirecord *record);
	void (*progress)(const struct input *in, uint64_t *done, uint64_t *total);
	/* The i-th section beside the records; 0 when there are no more. */
	int (*section)(struct input *in, size_t i, struct input_section *section);
	/* The call of this number, of samples that are places in a tree; false: there is none.
	 * origin: of several traces, else 0. NULL: no sample is such a place. */
	bool (*place)(const struct input *in, uint32_t origin, uint32_t number,
		      struct stack_place *place);
	/* A stamp of the trace's own clock (header.clock) as nanoseconds of the system's. */
	uint64_t (*monotonic)(struct input *in, uint64_t stamp);
	uint64_t (*realtime)(struct input *in, uint64_t stamp);
	/* Bounds of the time of day. origin: of several traces, else 0. NULL: unknown. */
	void (*wall)(struct input *in, uint32_t origin, struct input_wall *w);
	/* Describe the file beyond the header; count the records of its own kinds; read everything,
	 * also what no report needs, to find faults. 0 or -errno. NULL: nothing to add; only
	 * records that next gives; the same. */
	int (*info)(struct input *in, input_say say, void *arg);
	int (*stats)(struct input *in, input_count count, void *arg);
	int (*check)(struct input *in);
	size_t (*faults)(const struct input *in, const struct pifile_fault **list);
	void (*close)(struct input *in);
};

/* The offset of a fault that has no place in the file. */
#define NO_OFFSET UINT64_MAX
/* Prints the fault of a file that could not be opened to stderr. */
void input_complain(const char *path, const struct pifile_fault *fault);

#define INPUT_FAULTS 4096 /* kept for a file; more are only counted */

#endif
