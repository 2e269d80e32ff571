/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of a report. Each column is declared once: its name in JSON and CSV, its title and width
 * in text, and the location of its value in a row. One writer produces text, JSON and CSV from
 * that.
 */
#ifndef POST_TABLE_H
#define POST_TABLE_H

#include <stddef.h>

#include "report/report.h"

enum table_form { IN_TEXT = 1, IN_JSON = 2, IN_CSV = 4 };

enum column_type {
	COLUMN_OTHER, /* another type, written by `sort` */
	COLUMN_UNSIGNED,
	COLUMN_SIGNED,
	COLUMN_BOOL,
	COLUMN_DOUBLE,
	COLUMN_TEXT,
};

/* How to format a value, where its type leaves that open. */
enum column_as {
	AS_IS,
	AS_HEX,
	AS_DIGIT,   /* a bool: 0 or 1 in CSV */
	AS_MS,      /* ns: milliseconds in text, ns in JSON and CSV */
	AS_US,      /* ns: microseconds in text, likewise */
	AS_PERCENT, /* with `digits` in text, with four in JSON and CSV */
};

struct column;

/* A value to write. */
struct cell {
	FILE *out;         /* for text and CSV */
	struct json *json; /* for JSON */
	const struct job *job;
	const struct column *column;
	const void *value; /* its address; for JSON and CSV NULL if the row has no value */
};

/* The functions that write a value that is not a plain number or text. */
struct column_sort {
	void (*text)(const struct cell *x);
	void (*json)(const struct cell *x); /* all members of the value */
	/* The names in CSV's header, and the fields, separated by commas. NULL for the names: the
	 * column's name. */
	void (*names)(const struct cell *x);
	void (*csv)(const struct cell *x);
};

struct column {
	const char *name;   /* in JSON and CSV; NULL: not there */
	const char *title;  /* in text, above the column; NULL: not in text */
	const char *before; /* prefix in text, also of the title; or NULL */
	int width;          /* in text; negative: left-aligned; 0: variable */
	int digits;         /* after the decimal point */
	enum column_as as;
	enum column_type type;
	size_t offset, size; /* of the value, in the row or, */
	bool of;             /* if set, in the struct that the row's first member points to */
	size_t whole; /* offset there of the total, to show the value as a percentage; 0: plain */
	/* Offset in the row of a bool that says whether there is a value; 0: there always is,
	 * unless it is a NULL text. */
	size_t when;
	bool null;          /* JSON: a missing value is null; else it is omitted */
	unsigned int forms; /* IN_*; 0: text if it has a title, JSON and CSV if it has a name */
	unsigned int parts; /* bit mask of the report's tables with this column; 0: all */
	/* Text and CSV show the columns of turn 0 in list order, then those of turn 1, … */
	unsigned char text_turn, csv_turn;
	const struct column_sort *sort; /* writes the value; NULL: by type and `as` */
	size_t option; /* offset in struct options of a bool that enables the column; 0: always */
};

/* The location of the value: a member of the row's struct. The last column of a list has neither
 * name nor title nor forms. */
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
/* The row starts with a pointer to a struct: a member of that struct. */
#define COLUMN_OF(model, member)         .of = true, COLUMN_AT(model, member)
#define COLUMN_SHARE(model, member, all) COLUMN_OF(model, member), .whole = offsetof(model, all)
#define COLUMN_WHEN(row, member)         .when = offsetof(row, member)
#define COLUMN_OPTION(member)            .option = offsetof(struct options, member)
/* Width in text, and format. */
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
	unsigned int part; /* bit mask to match columns' `parts` */
	FILE *out;         /* for text and CSV */
	struct json *json; /* for JSON: the open object that gets the table */
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

/* Starts a table: prints the header line; JSON: opens the array of this name. */
void table_begin(struct table *t, const struct column *columns, const char *name);
void table_row(struct table *t, const void *row);
void table_end(struct table *t);
/* JSON: writes a row's members into the open object. */
void table_members(struct table *t, const struct column *columns, const void *row);

#endif
