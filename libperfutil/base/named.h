/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the declaration of a named event: its name and the text of its fields, as declared by
 * programs and stored in traces (pitrace.h, PITRACE_MTE_DECLARE). Both sides use these checks: the
 * declaring program, and the reader of a trace, which may contain anything. Nothing here allocates
 * or calls a function that a signal handler may not.
 */
#ifndef PITRACE_NAMED_H
#define PITRACE_NAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pitrace.h>

enum named_kind {
	NAMED_UNSIGNED,
	NAMED_SIGNED,
	NAMED_HEX,
	NAMED_BOOL,
	NAMED_DOUBLE,
	NAMED_ENUM,
	NAMED_STRING, /* all other kinds are integers of the record */
};

struct named_field {
	enum named_kind kind;
	const char *name, *type, *unit; /* point into the text, not terminated */
	uint16_t name_length, type_length, unit_length;
};

struct named_fields {
	uint32_t count, ints, strs;
	struct named_field field[PITRACE_NAMED_FIELDS];
};

/* NULL: valid; else a message with what is wrong. */
const char *named_name_wrong(const char *name, size_t length);
/* The same for the fields; *at: the position of the error. The fields point into the text. */
const char *named_fields_wrong(const char *text, size_t length, struct named_fields *f, size_t *at);

/* Returns the name of an enum's value, not terminated; NULL: it has none. */
const char *named_value(const struct named_field *f, uint64_t value, size_t *length);

/* Does the name match one of the patterns, which are separated by commas? * matches any text, ? any
 * character. */
bool named_wanted(const char *patterns, const char *name);

#endif
