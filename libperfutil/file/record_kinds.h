/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What each kind of record is called and what fields it has. By this table majors have names, the
 * records of a file of the other byte order are turned round, and post -show tells them.
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
	FIELD_ID,    /* of a process, a thread; -1: it had none any more */
	FIELD_COMM,  /* 16 bytes, perhaps without an end */
	FIELD_EVENT, /* an event's name: 64 bytes, likewise */
	FIELD_PATH,  /* of a mapping: to the end of the record */
	FIELD_BYTES, /* a build id: as many as the field before says */
	FIELD_FLAGS_TASK,
	FIELD_FLAGS_MAP,
	FIELD_FLAGS_FAULT,
	FIELD_FLAGS_EVENT,
	FIELD_S16,
	FIELD_S64,
	FIELD_CALL,         /* the number of a system call: of the minor */
	FIELD_STACK,        /* where it begins, when the minor says it is there */
	FIELD_FLAGS_BRANCH, /* of the minor */
	FIELD_CODE,         /* bytes, as many as the field before says */
	FIELD_ARGUMENTS,    /* 64-bit integers, to the end: so many */
	FIELD_HIDDEN,       /* an integer that is not shown */
};

struct field {
	const char *name;
	enum field_type type;
	uint8_t width; /* bytes; an integer's: 2, 4, 8; 0: it has no place of its own */
	uint16_t offset;
};

struct record_kind {
	uint32_t minor, mask; /* minor & mask is compared */
	const char *name;
	const struct field *fields; /* up to FIELD_END, in their order; NULL: none */
	uint16_t size;              /* least bytes of data */
};

struct record_major {
	const char *name;
	const struct record_kind *kinds; /* up to one without a name */
};

/* The kind of a PITRACE_TYPE_STRUCT; NULL: not known. */
const struct record_kind *record_kind(uint16_t major, uint32_t minor);
/* The same in a list of others. */
const struct record_kind *record_kind_of(const struct record_kind *kinds, uint32_t minor);
/* Of a minor that is not known, the first kind of its major: they mostly are alike. */
const struct record_kind *record_layout(uint16_t major, uint32_t minor);
/* NULL: it has none. */
const char *record_major_name(int major);

#endif
