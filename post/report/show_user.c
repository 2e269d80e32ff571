/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that programs write, in both forms. */
#include <inttypes.h>

#include "escape.h"
#include "json.h"
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
