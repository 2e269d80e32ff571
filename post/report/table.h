/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of a report. Its columns are declared once: what JSON and CSV call a column, what stands
 * above it in text and how wide it is there, where its value is in a row. One writer makes text,
 * JSON and CSV of that.
 */
#ifndef POST_TABLE_H
#define POST_TABLE_H

#include <stddef.h>

#include "report/report.h"

enum table_form { IN_TEXT = 1, IN_JSON = 2, IN_CSV = 4 };

enum column_type {
	COLUMN_OTHER, /* none of these: its sort knows */
	COLUMN_UNSIGNED,
	COLUMN_SIGNED,
	COLUMN_BOOL,
	COLUMN_DOUBLE,
	COLUMN_TEXT,
};

/* How a value is shown, where its type leaves that open. */
enum column_as {
	AS_IS,
	AS_HEX,
	AS_DIGIT,   /* a bool: 0 or 1 in CSV */
	AS_MS,      /* nanoseconds: milliseconds in text, as they are for programs */
	AS_US,      /* likewise microseconds */
	AS_PERCENT, /* with `digits` in text, with four for programs */
};

struct column;

/* A value that is to be written. */
struct cell {
	FILE *out;         /* of text and CSV */
	struct json *json; /* of JSON */
	const struct job *job;
	const struct column *column;
	const void *value; /* where it is; for JSON and CSV NULL when the row has none */
};

/* The functions that write a value which is no plain number or text. */
struct column_sort {
	void (*text)(const struct cell *x);
	void (*json)(const struct cell *x); /* all members that it is */
	/* The names in CSV's first line, and the fields: commas stand between them, none around
	 * them. NULL for the names: the column's own name. */
	void (*names)(const struct cell *x);
	void (*csv)(const struct cell *x);
};

struct column {
	const char *name;   /* for programs; NULL: they are not told it */
	const char *title;  /* stands above it in text; NULL: text does not have it */
	const char *before; /* stands before it in text, and before the title; or NULL */
	int width;          /* in text; negative: to the left; 0: as wide as it is */
	int digits;         /* behind the point */
	enum column_as as;
	enum column_type type;
	size_t offset, size; /* the value's, in the row or … */
	bool of;             /* … in the struct that the row's first member points to */
	size_t whole; /* offset there of what the value is a part of: its percent; 0: the value */
	/* Offset in the row of a bool which says that there is a value; 0: there is one, unless it
	 * is a text of NULL. */
	size_t when;
	bool null;          /* JSON says null where there is none; else it leaves it out */
	unsigned int forms; /* IN_*; 0: text if it has a title, JSON and CSV if it has a name */
	unsigned int parts; /* bits of the report's own tables that have it; 0: all have */
	/* Text and CSV show the columns of turn 0 in their order, then those of turn 1, … */
	unsigned char text_turn, csv_turn;
	const struct column_sort *sort; /* writes it; NULL: type and `as` tell how */
	size_t option; /* offset in struct options of a bool that asks for it; 0: always shown */
};

/* Where the value is: a member of the row's struct. The last column of a list has neither name nor
 * title nor forms. */
#define COLUMN_AT(row, member) \
	.type = _Generic(((row *)NULL)->member,                                                 \
			 bool: COLUMN_BOOL,                                                     \
			 uint8_t: COLUMN_UNSIGNED,                                              \
			 uint16_t: COLUMN_UNSIGNED,                                             \
			 uint32_t: COLUMN_UNSIGNED,                                             \
			 uint64_t: COLUMN_UNSIGNED,                                             \
			 int16_t: COLUMN_SIGNED,                                                \
			 int32_t: COLUMN_SIGNED,                                                \
			 int64_t: COLUMN_SIGNED,                                                \
			 double: COLUMN_DOUBLE,                                                 \
			 const char *: COLUMN_TEXT,                                             \
			 char *: COLUMN_TEXT,                                                   \
			 default: COLUMN_OTHER),                                                \
	.offset = offsetof(row, member), .size = sizeof(((row *)NULL)->member)
/* The row begins with a pointer to such a struct: a member of that. */
#define COLUMN_OF(model, member)         .of = true, COLUMN_AT(model, member)
#define COLUMN_SHARE(model, member, all) COLUMN_OF(model, member), .whole = offsetof(model, all)
#define COLUMN_WHEN(row, member)         .when = offsetof(row, member)
#define COLUMN_OPTION(member)            .option = offsetof(struct options, member)
/* Its width in text, and how it is shown there. */
#define WIDE(n)            .width = (n)
#define MS(n)              .width = (n), .as = AS_MS
#define US(n)              .width = (n), .as = AS_US
#define PERCENT(n, places) .width = (n), .digits = (places), .as = AS_PERCENT
#define COLUMNS_END          \
	{                    \
		.name = NULL \
	}

struct table {
	const struct job *job;
	const struct column *column;
	enum table_form form;
	unsigned int part; /* bits of columns' parts */
	FILE *out;         /* of text and CSV */
	struct json *json; /* of JSON: the open object that gets the table */
};

static inline struct table table_text(const struct job *job, FILE *out)
{
	return (struct table){ .job = job, .form = IN_TEXT, .out = out };
}

static inline struct table table_csv(const struct job *job, FILE *out)
{
	return (struct table){ .job = job, .form = IN_CSV, .out = out };
}

static inline struct table table_json(const struct job *job, struct json *j)
{
	return (struct table){ .job = job, .form = IN_JSON, .json = j };
}

/* The line above the rows; JSON: the array of this name begins. */
void table_begin(struct table *t, const struct column *columns, const char *name);
void table_row(struct table *t, const void *row);
void table_end(struct table *t);
/* JSON: a row's members, into the open object. */
void table_members(struct table *t, const struct column *columns, const void *row);

#endif
