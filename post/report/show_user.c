/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that programs write: struct pitrace_user, then integers, lengths, strings' bytes. */
#include <inttypes.h>
#include <string.h>

#include "escape.h"
#include "json.h"
#include "report/show.h"

struct user {
	struct pitrace_user u;
	const uint8_t *ints, *lengths, *bytes;
};

/* Bounded here, once: all lengths fit into the record. */
static bool user_of(const struct pirecord *r, struct user *x)
{
	size_t at = sizeof(x->u), i;
	const uint8_t *p = r->data;
	uint32_t length;

	if (r->type != PITRACE_TYPE_MIXED || r->size < at)
		return false;
	memcpy(&x->u, p, sizeof(x->u));
	x->ints = p + at;
	at += x->u.ints * sizeof(uint64_t);
	x->lengths = p + at;
	at += x->u.strs * sizeof(uint32_t);
	if (at > r->size)
		return false;
	x->bytes = p + at;
	for (i = 0; i < x->u.strs; i++) {
		memcpy(&length, x->lengths + i * sizeof(length), sizeof(length));
		if (length > r->size - at)
			return false;
		at += length;
	}
	return true;
}

static uint64_t int_at(const struct user *x, unsigned int i)
{
	uint64_t value;

	memcpy(&value, x->ints + i * sizeof(value), sizeof(value));
	return value;
}

/* The next string, with an end; a NUL within it ends it too. */
static const char *next_string(struct user *x, unsigned int i, char room[PITRACE_USER_MAX])
{
	uint32_t length;

	memcpy(&length, x->lengths + i * sizeof(length), sizeof(length));
	snprintf(room, PITRACE_USER_MAX, "%.*s", (int)(length < PITRACE_USER_MAX ? length :
		 PITRACE_USER_MAX - 1), (const char *)x->bytes);
	x->bytes += length;
	return room;
}

bool show_user_words(FILE *out, const struct pirecord *r)
{
	char room[PITRACE_USER_MAX];
	struct user x;
	unsigned int i;

	if (!user_of(r, &x))
		return false;
	fprintf(out, " pid=%" PRIu32 " tid=%" PRIu32 " uid=%" PRIu32, x.u.pid, x.u.tid, x.u.uid);
	for (i = 0; i < x.u.ints; i++)
		fprintf(out, " 0x%" PRIx64, int_at(&x, i));
	for (i = 0; i < x.u.strs; i++) {
		fputs(" \"", out);
		escape_print(out, next_string(&x, i, room));
		putc('"', out);
	}
	return true;
}

bool show_user_json(struct json *j, const struct pirecord *r)
{
	char room[PITRACE_USER_MAX];
	struct user x;
	unsigned int i;

	if (!user_of(r, &x))
		return false;
	json_uint(j, "pid", x.u.pid);
	json_uint(j, "tid", x.u.tid);
	json_uint(j, "uid", x.u.uid);
	json_array(j, "ints");
	for (i = 0; i < x.u.ints; i++)
		json_hex(j, NULL, int_at(&x, i));
	json_end(j, ']');
	json_array(j, "strings");
	for (i = 0; i < x.u.strs; i++)
		json_string(j, NULL, next_string(&x, i, room));
	json_end(j, ']');
	return true;
}
