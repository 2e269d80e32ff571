/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints user records, as words and as JSON. */
#include <inttypes.h>

#include "escape.h"
#include "json.h"
#include "model/named_json.h"
#include "model/named_stats.h"
#include "record/user_record.h"
#include "report/show_report.h"

bool show_user_words(FILE *out, const struct pirecord *r)
{
	char room[PITRACE_USER_MAX];
	struct pifile_user x;
	unsigned int i;

	if (pifile_user_record(r, &x))
		return false;
	fprintf(out, " pid=%" PRIu32 " tid=%" PRIu32 " uid=%" PRIu32, x.pid, x.tid, x.uid);
	for (i = 0; i < x.ints; i++)
		fprintf(out, " 0x%" PRIx64, pifile_user_int(&x, i));
	for (i = 0; i < x.strs; i++) {
		fputs(" \"", out);
		escape_print(out, user_string(&x, i, room));
		putc('"', out);
	}
	return true;
}

bool show_user_json(struct json *j, const struct pirecord *r)
{
	char room[PITRACE_USER_MAX];
	struct pifile_user x;
	unsigned int i;

	if (pifile_user_record(r, &x))
		return false;
	json_uint(j, "pid", x.pid);
	json_uint(j, "tid", x.tid);
	json_uint(j, "uid", x.uid);
	json_array(j, "ints");
	for (i = 0; i < x.ints; i++)
		json_hex(j, NULL, pifile_user_int(&x, i));
	json_end(j, ']');
	json_array(j, "strings");
	for (i = 0; i < x.strs; i++)
		json_string(j, NULL, user_string(&x, i, room));
	json_end(j, ']');
	return true;
}

void show_named_words(FILE *out, const struct named_event *e, const struct pifile_user *x)
{
	struct named_walk w = named_walk(e, x);
	char digits[NAMED_DIGITS];
	struct named_value v;

	fprintf(out, " pid=%" PRIu32 " tid=%" PRIu32 " uid=%" PRIu32, x->pid, x->tid, x->uid);
	while (named_next(&w, &v)) {
		const struct named_field *f = v.field;

		fprintf(out, " %.*s=", (int)f->name_length, f->name);
		if (f->kind == NAMED_STRING) {
			putc('"', out);
			escape_print(out, v.text);
			putc('"', out);
		} else if (v.text) {
			fputs(v.text, out);
		} else if (f->kind == NAMED_BOOL) {
			fputs(v.value ? "true" : "false", out);
		} else {
			named_print(digits, f->kind, v.value);
			fputs(digits, out);
		}
		if (f->unit_length && f->kind != NAMED_ENUM)
			fprintf(out, " %.*s", (int)f->unit_length, f->unit);
	}
}

void show_named_json(struct json *j, const struct named_event *e, const struct pifile_user *x)
{
	json_uint(j, "pid", x->pid);
	json_uint(j, "tid", x->tid);
	json_uint(j, "uid", x->uid);
	json_object(j, "fields");
	named_json(j, "", e, x);
	json_end(j, '}');
}
