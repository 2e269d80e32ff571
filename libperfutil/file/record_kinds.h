/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names and fields of all kinds of records. This table supplies the names of majors, the
 * conversion of files in the other byte order, and the output of post -show.
 */
#ifndef PITRACE_RECORD_KINDS_H
#define PITRACE_RECORD_KINDS_H

#include <stdint.h>
#include <pitrace.h>

enum field_type {
	FIELD_END = 0,
	FIELD_U32,
	FIELD_HEX32,
	FIELD_U64,
	FIELD_HEX64,
	FIELD_ID,    /* of a process or thread; -1: it no longer had one */
	FIELD_COMM,  /* 16 bytes, possibly without a NUL */
	FIELD_EVENT, /* an event's name: 64 bytes, possibly without a NUL */
	FIELD_PATH,  /* of a mapping or cgroup: to the end of the record */
	FIELD_BYTES, /* a build id, of the length in the preceding field */
	FIELD_FLAGS_TASK,
	FIELD_FLAGS_MAP,
	FIELD_FLAGS_FAULT,
	FIELD_FLAGS_EVENT,
	FIELD_S16,
	FIELD_S64,
	FIELD_CALL,         /* the number of a system call: from the minor */
	FIELD_STACK,        /* the offset of the stack, if the minor says that it exists */
	FIELD_FLAGS_BRANCH, /* from the minor */
	FIELD_CODE,         /* bytes, their number is in the preceding field */
	FIELD_ARGUMENTS,    /* 64-bit integers, to the end of the record */
	FIELD_HIDDEN,       /* an integer that is not shown */
};

/*
 * MTE: the process is in this cgroup from now on. Only the drain writes it (image/drain_cgroups.h),
 * so it is not part of the driver's interface. Readers of other formats also make it of an id
 * without a path, or with pid 0 to give an id its path.
 */
#define MTE_CGROUP 0x03
struct mte_cgroup {
	uint32_t pid;
	uint32_t path_len; /* bytes of path, without the NUL that follows it */
	uint64_t id;       /* of the default hierarchy's group, as in a task; 0 unknown */
	char path[];       /* below the hierarchy's root, padded with NULs to a multiple of 4 */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct mte_cgroup) == 16, "cgroup");

struct field {
	const char *name;
	enum field_type type;
	uint8_t width; /* bytes of an integer: 2, 4, 8; 0: has no bytes of its own */
	uint16_t offset;
};

struct record_kind {
	uint32_t minor, mask; /* matches if (minor & mask) is equal */
	const char *name;
	const struct field *fields; /* in order, ended by FIELD_END; NULL: none */
	uint16_t size;              /* minimum bytes of data */
};

struct record_major {
	const char *name;
	const struct record_kind *kinds; /* ended by an entry without a name */
};

/* Returns the kind of a PITRACE_TYPE_STRUCT; NULL: unknown. */
const struct record_kind *record_kind(uint16_t major, uint32_t minor);
/* The same in a given list. */
const struct record_kind *record_kind_of(const struct record_kind *kinds, uint32_t minor);
/* For an unknown minor: returns the first kind of its major, because most have the same layout. */
const struct record_kind *record_layout(uint16_t major, uint32_t minor);
/* NULL: it has no name. */
const char *record_major_name(int major);

#endif
