/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What both forms of post.show (lines of words, JSON lines) have in common. What records are called
 * and what fields they have is in file/record_kinds.h.
 */
#ifndef POST_SHOW_REPORT_H
#define POST_SHOW_REPORT_H

#include <stdio.h>
#include <pifile.h>

#include "file/record_kinds.h"

/* The kind of a record; NULL: not known, show its data as numbers. */
const struct record_kind *show_kind(const struct pirecord *r);
const char *show_kind_name(const struct record_kind *kind, const struct pirecord *r);
const char *show_major(uint16_t major); /* in words */

/* Shows what a program wrote, behind the record's head. False, and nothing is shown: it is not
 * such a record. */
struct json;
bool show_user_words(FILE *out, const struct pirecord *r);
bool show_user_json(struct json *j, const struct pirecord *r);

/* A named event, field by field. */
struct named_event;
struct pifile_user;
void show_named_words(FILE *out, const struct named_event *e, const struct pifile_user *x);
void show_named_json(struct json *j, const struct named_event *e, const struct pifile_user *x);

/* Shows what perf tells beyond our records. `formats`: their origin's tracepoints, or NULL. */
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
