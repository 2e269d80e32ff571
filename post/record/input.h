/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inputs of reports: an input returns records in our own format in time order, in any number of
 * passes, whatever file they come from. Each file format has a reader, a const struct, which fills
 * in the input and returns its records; users of the records need not know the format.
 */
#ifndef POST_INPUT_H
#define POST_INPUT_H

#include <stdio.h>

#include <pifile.h>

#include "record/origin.h"

#define TRACE_MAX_CPUS 65536 /* a greater number means a damaged file */
#define EVENT_NUMBERS \
	128 /* simultaneous sample events: files of other tools have more than a session */

#define INPUT_HEAD 4096 /* bytes from the beginning of the file that a probe may check */

/* Section with saved symbols as text for liba2n, made by a reader; our own files have none. */
#define INPUT_SEC_SYMBOLS ((enum pifile_section_type)1000)
/* Section with the formats of tracepoints (tracepoints.h), as perf stores them. */
#define INPUT_SEC_TRACEPOINTS ((enum pifile_section_type)1001)

/* Build ids of the kernel and its modules: entries of perf's table, in native byte order. */
#define INPUT_SEC_KERNEL_IDS ((enum pifile_section_type)1002)

/* Flag of a pass that also returns perf's additional data (record/detail.h). */
#define INPUT_DETAILS 0x100

/* Sections beside the records: texts and tables that describe the system and its kernel. */
struct input_section {
	enum pifile_section_type type;
	uint64_t offset;
	uint32_t cpu, ring; /* of records: CPU, enum pitrace_ring_kind */
	uint64_t sequence;  /* of records: the index of this part, from 0 */
	const void *data;   /* valid until the next call; NULL: unreadable */
	size_t size;        /* 0 if data is NULL: see input_section_is() */
	uint32_t origin;
};

/* Sets data and size, or neither: data NULL always has size 0. */
static inline void input_section_is(struct input_section *s, const void *data, size_t size)
{
	s->data = data;
	s->size = data ? size : 0;
}

#define INPUT_UNITS 8
struct input {
	const struct reader *reader;
	const char *path;            /* to open */
	const char *name;            /* name in reports */
	char spool_path[32];         /* copy of the data of a pipe */
	int spool;                   /* descriptor of that copy, or -1 */
	void *state;                 /* owned by the reader */
	struct pifile_header header; /* collector, machine, mode */
	uint64_t size;
	bool complete;               /* the writer finished it */
	const char *program;         /* the program that the user names for it; or NULL */
	bool descriptors;            /* the user wants Java's names as the VM has them */
	bool inlined;                /* the user wants to know what is inlined */
	bool values;                 /* its samples are values of calls (jprof_tree.h), no ticks */
	char counted_unit[32];       /* of what the event counted, if the file says it */
	char unit[INPUT_UNITS][32];  /* … of metrics 1 and so on, by their names; "": not known */
	bool java_events;            /* it has Java methods' entries and exits, one by one */
	bool calls;                  /* it has functions' entries and exits (call_record.h) */
	bool kernel_maps;            /* DETAIL_KERNEL_MAP has all mappings of the kernel and its
				      * modules */
	bool own_clock;              /* times are not those of a system clock */
	bool cycles;                 /* monotonic() converts cycles to times */
	const struct origin *origin; /* the traces that are read as one (merged.h); else NULL */
	uint32_t origins;
};

/* The offset from the trace's times to the time of day, if realtime() does not know it: bounds in
 * ns (0: unknown). */
struct input_wall {
	uint64_t least, most;
	/* CLOCK_REALTIME; 0: unknown. */
	uint64_t begun; /* no event's record is older */
	uint64_t ended; /* time of the last write */
	bool here;      /* recorded on this machine */
};

/* Returns a record's pid as the pid on its own machine. */
static inline uint32_t input_pid(const struct input *in, uint32_t pid)
{
	return in->origins ? origin_own(pid) : pid;
}

/* Prints a line "key : value" about the file. */
typedef void (*input_say)(void *arg, const char *line);
/* Reports the number of records of a kind, of one event or (event NULL) of the whole file. */
typedef void (*input_count)(void *arg, const char *event, const char *kind, uint64_t count);

/* A call in a tree of calls (stack_place.h). */
struct stack_place {
	uint64_t address;
	uint32_t caller; /* its number; NO_KEY: none, the call is outermost */
};

struct reader {
	const char *name;
	const char *what; /* description for the list of formats */
	bool numbers;     /* functions are numbered; input.program has their names */
	bool own;         /* made by our own collectors, with the system's clock */
	bool frames;      /* call stacks without a memory copy come from frame pointers */
	bool (*probe)(const void *head, size_t size);
	/* Fills in header, size and complete. Returns 0, or -errno with a message in `fault`. */
	int (*open)(struct input *in, struct pifile_fault *fault);
	/* Starts a pass; what: PIMERGE_*, INPUT_DETAILS. Returns 0 or -errno. */
	int (*begin)(struct input *in, unsigned int what);
	/* Returns 1 for a record, 0 at the end, or -errno. Notes damage and skips it. */
	int (*next)(struct input *in, struct pirecord *record);
	void (*progress)(const struct input *in, uint64_t *done, uint64_t *total);
	/* Returns the i-th section beside the records; 0: no more sections. */
	int (*section)(struct input *in, size_t i, struct input_section *section);
	/* Finds the call with this number, if samples are places in a tree; false: no such call.
	 * origin: index of the trace if several are read as one, else 0. NULL: the format has no
	 * trees. */
	bool (*place)(const struct input *in, uint32_t origin, uint32_t number,
		      struct stack_place *place);
	/* Converts a stamp of the trace's own clock (header.clock) to ns of the system's clock. */
	uint64_t (*monotonic)(struct input *in, uint64_t stamp);
	uint64_t (*realtime)(struct input *in, uint64_t stamp);
	/* Sets bounds of the time of day. origin: as for place. NULL: unknown. */
	void (*wall)(struct input *in, uint32_t origin, struct input_wall *w);
	/* info describes the file beyond the header; stats counts the records of the format's own
	 * kinds; check reads the whole file, including data that no report needs, to find faults.
	 * Return 0 or -errno. NULL: nothing to add; only the records that next returns; as next. */
	int (*info)(struct input *in, input_say say, void *arg);
	int (*stats)(struct input *in, input_count count, void *arg);
	int (*check)(struct input *in);
	size_t (*faults)(const struct input *in, const struct pifile_fault **list);
	void (*close)(struct input *in);
};

/* Finds when tracing began; without a record of it, the time of the first record. Reads the input
 * up to there: the caller begins a pass afterwards. Returns 0 or -errno. */
int input_start(struct input *in, uint64_t *time);

/* The offset of a fault without a position in the file. */
#define NO_OFFSET UINT64_MAX
/* Prints the fault of a file that could not be opened to stderr. */
void input_complain(const char *path, const struct pifile_fault *fault);

#define INPUT_FAULTS 4096 /* maximum kept per file; more are only counted */

#endif
