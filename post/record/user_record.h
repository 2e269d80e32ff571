/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings of records that programs write, as post keeps and shows them. */
#ifndef POST_USER_RECORD_H
#define POST_USER_RECORD_H

#include <stdio.h>

#include <pifile.h>

/* The i-th string, with an end; a NUL within it ends it too. Without such a string: an empty
 * one. */
static inline const char *user_string(struct pifile_user *u, uint32_t i,
				      char room[PITRACE_USER_MAX])
{
	size_t length;
	const char *text = pifile_user_string(u, i, &length);

	snprintf(room, PITRACE_USER_MAX, "%.*s",
		 (int)(length < PITRACE_USER_MAX ? length : PITRACE_USER_MAX - 1),
		 text ? text : "");
	return room;
}

#endif
