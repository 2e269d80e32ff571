/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers are written without units, which are in the declaration. */
#include "model/named_json.h"

#include <math.h>

#include "model/named_stats.h"

/* JSON has no infinity. */
static void json_real(struct json *j, const char *key, uint64_t value)
{
	char digits[NAMED_DIGITS];

	named_print(digits, NAMED_DOUBLE, value);
	if (isfinite(named_double(value)))
		json_number(j, key, digits);
	else
		json_string(j, key, digits);
}

static void json_value(struct json *j, const char *key, const struct named_value *v)
{
	switch (v->field->kind) {
	case NAMED_SIGNED:
		json_int(j, key, (int64_t)v->value);
		break;
	case NAMED_HEX:
		json_hex(j, key, v->value);
		break;
	case NAMED_BOOL:
		json_bool(j, key, v->value != 0);
		break;
	case NAMED_DOUBLE:
		json_real(j, key, v->value);
		break;
	case NAMED_ENUM:
	case NAMED_STRING:
		if (v->text) {
			json_string(j, key, v->text);
			break;
		}
		/* fall through */
	case NAMED_UNSIGNED:
		json_uint(j, key, v->value);
		break;
	}
}

void named_json(struct json *j, const char *before, const struct named_event *e,
		const struct pifile_user *x)
{
	struct named_walk w = named_walk(e, x);
	struct named_value v;
	char key[2 * PITRACE_NAMED_NAME];

	while (named_next(&w, &v)) {
		snprintf(key, sizeof(key), "%s%.*s", before, (int)v.field->name_length,
			 v.field->name);
		json_value(j, key, &v);
	}
}
