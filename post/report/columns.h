/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of a report as long as the trace, for programs: a JSON object, or a row of CSV. Told
 * column by column, all of them each time and in the same order: what is none in this line is left
 * out of JSON and empty in CSV.
 */
#ifndef POST_COLUMNS_H
#define POST_COLUMNS_H

#include "json.h"

struct options;

/* None: the report has its own lines. */
enum columns_form { COLUMNS_NONE, COLUMNS_JSON, COLUMNS_CSV };

struct columns {
	FILE *out;
	enum columns_form form;
	bool headed;        /* CSV: the names of the columns stand there */
	bool heading, more; /* they are being told; a comma is due */
	struct json json;
};

enum columns_form columns_form(const struct options *o);
/* A line: columns_begin, its columns, and columns_end; its columns again while that returns true,
 * for CSV's heading. */
void columns_begin(struct columns *c);
bool columns_end(struct columns *c);
void column_uint(struct columns *c, const char *name, bool is, uint64_t value);
void column_hex(struct columns *c, const char *name, bool is, uint64_t value);
void column_bool(struct columns *c, const char *name, bool is, bool value);
void column_text(struct columns *c, const char *name, const char *value); /* NULL: none */

#endif
