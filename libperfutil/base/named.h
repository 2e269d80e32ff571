/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a named event is: its name and the text of its fields, as programs declare them and traces
 * have them (pitrace.h, PITRACE_MTE_DECLARE). Both sides check it here: who declares, and who reads
 * a trace, which may say anything. Nothing here allocates or calls what a signal handler may not.
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
	NAMED_STRING, /* all others are integers of the record */
};

struct named_field {
	enum named_kind kind;
	const char *name, *type, *unit; /* in the text, without ends */
	uint16_t name_length, type_length, unit_length;
};

struct named_fields {
	uint32_t count, ints, strs;
	struct named_field field[PITRACE_NAMED_FIELDS];
};

/* NULL: good; else what is wrong with it, in words. */
const char *named_name_wrong(const char *name, size_t length);
/* The same; *at: where. The fields point into the text. */
const char *named_fields_wrong(const char *text, size_t length, struct named_fields *f, size_t *at);

/* The name of an enum's value, without an end; NULL: it has none. */
const char *named_value(const struct named_field *f, uint64_t value, size_t *length);

/* Whether the name fits one of the patterns, of which commas stand between: * is any text, ? any
 * character. */
bool named_wanted(const char *patterns, const char *name);

#endif
