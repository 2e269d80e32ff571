/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a report reads: an input gives records of our own shape in the order of time, in as many
 * passes as wanted, whatever file they come from. Each format is one const struct; formats.c has
 * the list, and the first whose probe knows the file's beginning opens it.
 */
#ifndef POST_FORMAT_H
#define POST_FORMAT_H

#include <pifile.h>

#define INPUT_HEAD 4096		/* bytes of the beginning that a probe may see */

/* What stands beside the records: texts and tables that name the system and its kernel. */
struct input_section {
	enum pifile_section_type type;
	uint64_t offset;
	uint32_t cpu, ring;		/* of records: which CPU's, enum pitrace_ring_kind, and */
	uint64_t sequence;		/* … the number of this part of them, from 0 */
	const void *data;		/* valid until the next call; NULL: it could not be read */
	size_t size;
};

struct input {
	const struct format *format;
	const char *path;
	void *state;			/* the format's own */
	struct pifile_header header;	/* who recorded it, on what, how */
	uint64_t size;
	bool complete;			/* the writer finished it */
};

struct format {
	const char *name;
	bool (*probe)(const void *head, size_t size);
	/* Fill in header, size, complete. 0, or -errno and fault in words. */
	int (*open)(struct input *in, struct pifile_fault *fault);
	/* Start a pass; what: PIMERGE_*. 0 or -errno. */
	int (*begin)(struct input *in, unsigned int what);
	/* 1 a record, 0 the end, <0 -errno. Damage is noted and passed over. */
	int (*next)(struct input *in, struct pirecord *record);
	void (*progress)(const struct input *in, uint64_t *done, uint64_t *total);
	/* The i-th section beside the records; 0 when there are no more. */
	int (*section)(struct input *in, size_t i, struct input_section *section);
	/* A stamp of the trace's own clock (header.clock) as nanoseconds of the system's. */
	uint64_t (*monotonic)(struct input *in, uint64_t stamp);
	uint64_t (*realtime)(struct input *in, uint64_t stamp);
	size_t (*faults)(const struct input *in, const struct pifile_fault **list);
	void (*close)(struct input *in);
	/* Convert: write another input to path. NULL: import only. */
	int (*write)(struct input *from, const char *path);
};

extern const struct format format_native;

/* 0, or -errno with fault telling where (perhaps nowhere: NO_OFFSET) and what. */
#define NO_OFFSET UINT64_MAX
int input_open(struct input *in, const char *path, struct pifile_fault *fault);
void input_close(struct input *in);

#endif
