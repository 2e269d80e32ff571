/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of records of each named event; minimum, maximum and sum of its numeric fields. */
#ifndef POST_NAMED_STATS_H
#define POST_NAMED_STATS_H

#include "record/named_record.h"

struct named_stat {
	uint64_t count;       /* of values that are finite numbers */
	uint64_t least, most; /* as in records */
	__int128 sum;         /* of integers */
	double real;          /* sum of f64 values */
};

struct named_row {
	const struct named_event *event;
	uint64_t records;
	struct named_stat *field; /* by those fields that named_is_number() accepts */
};

struct named_stats {
	struct named_row *row; /* by event id; event NULL: no records */
	uint32_t rows;
};

/* Addresses and enum values are not added up. */
static inline bool named_is_number(const struct named_field *f)
{
	return f->kind == NAMED_UNSIGNED || f->kind == NAMED_SIGNED || f->kind == NAMED_BOOL ||
	       f->kind == NAMED_DOUBLE;
}

/* Adds a value of this kind. */
void named_stat_add(struct named_stat *s, enum named_kind kind, uint64_t value);
/* Adds a record. Returns 0 or -ENOMEM. */
int named_stats_add(struct named_stats *s, const struct named_event *e,
		    const struct pifile_user *x);
void named_stats_free(struct named_stats *s);

/* Print numbers as text: a value of this kind; the sum; the mean. */
#define NAMED_DIGITS 64
void named_print(char room[NAMED_DIGITS], enum named_kind kind, uint64_t value);
void named_print_sum(char room[NAMED_DIGITS], enum named_kind kind, const struct named_stat *s);
void named_print_mean(char room[NAMED_DIGITS], enum named_kind kind, const struct named_stat *s);

#endif
