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

/* How values are written that are no plain numbers or texts. */
struct column_sort {
	void (*text)(const struct cell *x);
	void (*json)(const struct cell *x); /* all members that it is */
	/* The names in CSV's first line, and the fields: commas between them, none around. NULL for
	 * the names: the column's own. */
	void (*names)(const struct cell *x);
	void (*csv)(const struct cell *x);
};

struct column {
	const char *name;   /* for programs; NULL: not for them */
	const char *title;  /* above it in text; NULL: not there */
	const char *before; /* in text, also before the title; or NULL */
	int width;          /* in text; negative: to the left; 0: as wide as it is */
	int digits;         /* behind the point */
	enum column_as as;
	enum column_type type;
	size_t offset, size; /* of the value in the row */
	bool of;      /* … in what the row's first member points to: a row of the model's */
	size_t whole; /* offset, there too, of what it is a part of: told in percent; 0: none */
	size_t when;  /* offset of a bool of the row: there is a value; 0: there always is */
	bool null;    /* JSON says null for none; else it leaves it out */
	unsigned int forms; /* IN_*; 0: text if it has a title, JSON and CSV if it has a name */
	unsigned int parts; /* bits of the report's own: which of its tables have it; 0: all */
	/* Text and CSV show first the columns of turn 0 in their order, then those of turn 1, … */
	unsigned char text_turn, csv_turn;
	const struct column_sort *sort; /* where type and `as` do not tell all */
	size_t option; /* offset of a bool of struct options: only with it; 0: always */
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
