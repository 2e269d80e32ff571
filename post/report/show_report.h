/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each kind of record is called and what fields it has: one table row a kind, read by both
 * forms of post.show (lines of words, JSON lines).
 */
#ifndef POST_SHOW_REPORT_H
#define POST_SHOW_REPORT_H

#include <stdio.h>
#include <pifile.h>

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
};

struct field {
	const char *name;
	enum field_type type;
	uint16_t offset;
};

struct show_kind {
	uint16_t major;
	uint32_t minor, mask; /* minor & mask is compared */
	const char *name;
	const struct field *fields; /* NULL: none */
	uint16_t size;              /* least bytes of data */
};

/* The kind of a record; NULL: not known, show its data as numbers. */
const struct show_kind *show_kind(const struct pirecord *r);
const char *show_kind_name(const struct show_kind *kind, const struct pirecord *r);
const char *show_major(uint16_t major); /* in words */

/* What a program wrote, behind the record's head; false, and nothing: it is not such a record. */
struct json;
bool show_user_words(FILE *out, const struct pirecord *r);
bool show_user_json(struct json *j, const struct pirecord *r);

/* What perf tells beyond our records; formats: of their origin's tracepoints, or NULL. */
struct tracepoints;
void show_detail_words(FILE *out, const struct pirecord *r, struct tracepoints *formats);
void show_detail_json(struct json *j, const struct pirecord *r, struct tracepoints *formats);

struct flag {
	uint32_t bit;
	const char *name;
};
extern const struct flag show_task_flags[], show_map_flags[], show_fault_flags[],
	show_event_flags[], show_branch_flags[];

#endif
