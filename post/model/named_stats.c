/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of integers are exact. */
#include "model/named_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"

static bool less(enum named_kind kind, uint64_t a, uint64_t b)
{
	switch (kind) {
	case NAMED_SIGNED:
		return (int64_t)a < (int64_t)b;
	case NAMED_DOUBLE:
		return named_double(a) < named_double(b);
	default:
		return a < b;
	}
}

void named_stat_add(struct named_stat *s, enum named_kind kind, uint64_t value)
{
	if (kind == NAMED_BOOL)
		value = value != 0;
	if (kind == NAMED_DOUBLE) {
		if (!isfinite(named_double(value)))
			return;
		s->real += named_double(value);
	} else if (kind == NAMED_SIGNED) {
		s->sum += (int64_t)value;
	} else {
		s->sum += value;
	}
	if (!s->count || less(kind, value, s->least))
		s->least = value;
	if (!s->count || less(kind, s->most, value))
		s->most = value;
	s->count++;
}

int named_stats_add(struct named_stats *s, const struct named_event *e, const struct pifile_user *x)
{
	struct named_walk w = named_walk(e, x);
	struct named_value v;
	struct named_row *row;

	if (array_reach(s->row, s->rows, e->id))
		return -ENOMEM;
	row = &s->row[e->id];
	if (!row->event) {
		row->field = calloc(e->fields.count + 1ul, sizeof(*row->field));
		if (!row->field)
			return -ENOMEM;
		row->event = e;
	}
	row->records++;
	while (named_next(&w, &v)) {
		if (named_is_number(v.field))
			named_stat_add(&row->field[w.at - 1], v.field->kind, v.value);
	}
	return 0;
}

void named_stats_free(struct named_stats *s)
{
	uint32_t i;

	for (i = 0; i < s->rows; i++)
		free(s->row[i].field);
	free(s->row);
	*s = (struct named_stats){ .row = NULL };
}

/* ---- text ------------------------------------------------------------------------------------ */

void named_print(char room[NAMED_DIGITS], enum named_kind kind, uint64_t value)
{
	switch (kind) {
	case NAMED_SIGNED:
		snprintf(room, NAMED_DIGITS, "%" PRId64, (int64_t)value);
		break;
	case NAMED_HEX:
		snprintf(room, NAMED_DIGITS, "0x%" PRIx64, value);
		break;
	case NAMED_DOUBLE:
		snprintf(room, NAMED_DIGITS, "%.15g", named_double(value));
		break;
	default:
		snprintf(room, NAMED_DIGITS, "%" PRIu64, value);
		break;
	}
}

void named_print_sum(char room[NAMED_DIGITS], enum named_kind kind, const struct named_stat *s)
{
	unsigned __int128 left = s->sum < 0 ? -(unsigned __int128)s->sum :
					      (unsigned __int128)s->sum;
	char digits[NAMED_DIGITS], *p = digits + sizeof(digits);

	if (kind == NAMED_DOUBLE) {
		snprintf(room, NAMED_DIGITS, "%.15g", isfinite(s->real) ? s->real : 0);
		return;
	}
	*--p = 0;
	do
		*--p = (char)('0' + (int)(left % 10));
	while (left /= 10);
	if (s->sum < 0)
		*--p = '-';
	memcpy(room, p, (size_t)(digits + sizeof(digits) - p));
}

void named_print_mean(char room[NAMED_DIGITS], enum named_kind kind, const struct named_stat *s)
{
	double sum = kind == NAMED_DOUBLE ? s->real : (double)s->sum;

	if (!s->count || !isfinite(sum))
		sum = 0;
	snprintf(room, NAMED_DIGITS, "%.6g", s->count ? sum / (double)s->count : 0.0);
}
