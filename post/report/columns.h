/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of a report that is as long as the trace, in JSON (an object) or CSV (a row). The caller
 * passes all columns of each line in the same order: a column without a value is omitted in JSON
 * and empty in CSV.
 */
#ifndef POST_COLUMNS_H
#define POST_COLUMNS_H

#include "json.h"

struct options;

/* NONE: the report prints text. */
enum columns_form { COLUMNS_NONE, COLUMNS_JSON, COLUMNS_CSV };

struct columns {
	FILE *out;
	enum columns_form form;
	bool headed;        /* CSV: the header line has been written */
	bool heading, more; /* the header is being written; a comma is due */
	struct json json;
};

enum columns_form columns_form(const struct options *o);
/* A line consists of columns_begin(), its columns and columns_end(). While that returns true,
 * repeat the columns: the first pass wrote the header of CSV. */
void columns_begin(struct columns *c);
bool columns_end(struct columns *c);
void column_uint(struct columns *c, const char *name, bool is, uint64_t value);
void column_hex(struct columns *c, const char *name, bool is, uint64_t value);
void column_bool(struct columns *c, const char *name, bool is, bool value);
void column_text(struct columns *c, const char *name, const char *value); /* NULL: none */

#endif
