/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by both formats of post.show (words, JSON lines). file/record_kinds.h has the names and
 * fields of records.
 */
#ifndef POST_SHOW_REPORT_H
#define POST_SHOW_REPORT_H

#include <stdio.h>
#include <pifile.h>

#include "file/record_kinds.h"

/* Returns the kind of a record; NULL: unknown, show its data as numbers. */
const struct record_kind *show_kind(const struct pirecord *r);
const char *show_kind_name(const struct record_kind *kind, const struct pirecord *r);
const char *show_major(uint16_t major); /* a name */

/* Print the values of a user record, after the record's common fields. Return false without output
 * for other records. */
struct json;
bool show_user_words(FILE *out, const struct pirecord *r);
bool show_user_json(struct json *j, const struct pirecord *r);

/* Print a named event, field by field. */
struct named_event;
struct pifile_user;
void show_named_words(FILE *out, const struct named_event *e, const struct pifile_user *x);
void show_named_json(struct json *j, const struct named_event *e, const struct pifile_user *x);

/* Print perf's additional data. `formats`: the tracepoints of their origin, or NULL. */
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
