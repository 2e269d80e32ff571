/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A named event's record, field by field, as declared by the program. */
#ifndef POST_NAMED_RECORD_H
#define POST_NAMED_RECORD_H

#include <stdio.h>
#include <string.h>

#include "base/named.h"
#include "record/user_record.h"

/* A declaration made by a program. */
struct named_event {
	char *name;
	char *text; /* the fields point into this text */
	struct named_fields fields;
	uint32_t id; /* index in the list */
};

struct named_value {
	const struct named_field *field;
	uint64_t value;   /* unset for strings */
	const char *text; /* the string, or the name of an enum's value; else NULL */
	char room[PITRACE_USER_MAX];
};

struct named_walk {
	const struct named_event *event;
	struct pifile_user record;
	uint32_t at, ints;
	uint32_t strs;
};

/* Returns whether the record has exactly the declared fields. */
static inline bool named_fits(const struct named_event *e, const struct pifile_user *x)
{
	return x->ints == e->fields.ints && x->strs == e->fields.strs;
}

static inline struct named_walk named_walk(const struct named_event *e, const struct pifile_user *x)
{
	return (struct named_walk){ .event = e, .record = *x };
}

/* Reads the next field. Returns false after the last one. */
static inline bool named_next(struct named_walk *w, struct named_value *v)
{
	const char *value;
	size_t length;

	if (w->at == w->event->fields.count)
		return false;
	v->field = &w->event->fields.field[w->at++];
	v->text = NULL;
	v->value = 0;
	if (v->field->kind == NAMED_STRING) {
		v->text = user_string(&w->record, w->strs++, v->room);
		return true;
	}
	v->value = pifile_user_int(&w->record, w->ints++);
	if (v->field->kind != NAMED_ENUM)
		return true;
	value = named_value(v->field, v->value, &length);
	if (value) {
		snprintf(v->room, sizeof(v->room), "%.*s", (int)length, value);
		v->text = v->room;
	}
	return true;
}

static inline double named_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Copies a text of a declaration (a name, a type, a unit), which is not NUL-terminated. */
#define NAMED_ROOM (PITRACE_NAMED_TEXT + 1)
static inline const char *named_text(char room[NAMED_ROOM], const char *text, size_t length)
{
	snprintf(room, NAMED_ROOM, "%.*s", (int)length, text);
	return room;
}

#endif
