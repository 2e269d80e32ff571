/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often each named event was written, and of its numbers the least, the greatest, the sum. */
#ifndef POST_NAMED_STATS_H
#define POST_NAMED_STATS_H

#include "record/named_record.h"

struct named_stat {
	uint64_t count;       /* of values that are numbers: infinity is none */
	uint64_t least, most; /* as records have them */
	__int128 sum;         /* of integers, */
	double real;          /* … of f64 */
};

struct named_row {
	const struct named_event *event;
	uint64_t records;
	struct named_stat *field; /* one each; of those that named_is_number */
};

struct named_stats {
	struct named_row *row; /* by events' ids; without an event: none was written */
	uint32_t rows;
};

/* Addresses and choices are not added up. */
static inline bool named_is_number(const struct named_field *f)
{
	return f->kind == NAMED_UNSIGNED || f->kind == NAMED_SIGNED || f->kind == NAMED_BOOL ||
	       f->kind == NAMED_DOUBLE;
}

/* Another value of this kind. */
void named_stat_add(struct named_stat *s, enum named_kind kind, uint64_t value);
/* 0 or -ENOMEM. */
int named_stats_add(struct named_stats *s, const struct named_event *e,
		    const struct pifile_user *x);
void named_stats_free(struct named_stats *s);

/* Numbers as text: a value of this kind; the sum; the mean. */
#define NAMED_DIGITS 64
void named_print(char room[NAMED_DIGITS], enum named_kind kind, uint64_t value);
void named_print_sum(char room[NAMED_DIGITS], enum named_kind kind, const struct named_stat *s);
void named_print_mean(char room[NAMED_DIGITS], enum named_kind kind, const struct named_stat *s);

#endif
