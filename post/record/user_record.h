/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that programs write: struct pitrace_user, then integers, lengths, strings' bytes. */
#ifndef POST_USER_RECORD_H
#define POST_USER_RECORD_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pifile.h>

struct user_record {
	struct pitrace_user u;
	const uint8_t *ints, *lengths, *bytes;
};

static inline bool is_user_major(unsigned int major)
{
	return major == PITRACE_HOOKIT || (major >= PITRACE_USER_FIRST && major < PITRACE_MAJORS);
}

/* false: malformed. All lengths are checked here, once. */
static inline bool user_record(const struct pirecord *r, struct user_record *x)
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

static inline uint64_t user_record_int(const struct user_record *x, unsigned int i)
{
	uint64_t value;

	memcpy(&value, x->ints + i * sizeof(value), sizeof(value));
	return value;
}

/* The next string, with an end; a NUL within it ends it too. */
static inline const char *user_record_string(struct user_record *x, unsigned int i,
					     char room[PITRACE_USER_MAX])
{
	uint32_t length;

	memcpy(&length, x->lengths + i * sizeof(length), sizeof(length));
	snprintf(room, PITRACE_USER_MAX, "%.*s",
		 (int)(length < PITRACE_USER_MAX ? length : PITRACE_USER_MAX - 1),
		 (const char *)x->bytes);
	x->bytes += length;
	return room;
}

#endif
