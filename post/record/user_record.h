/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings of records that programs write, as post keeps and shows them. */
#ifndef POST_USER_RECORD_H
#define POST_USER_RECORD_H

#include <string.h>

#include <pifile.h>

/* The i-th string, with an end; a NUL within it is the text \x00, as it would be shown: nothing
 * behind it is hidden. Cut where that is too long. Without such a string: an empty one. */
static inline const char *user_string(struct pifile_user *u, uint32_t i,
				      char room[PITRACE_USER_MAX])
{
	static const char nul[] = { '\\', 'x', '0', '0' };
	size_t length = 0, n = 0;
	const char *text = pifile_user_string(u, i, &length);

	for (size_t at = 0; text && at < length; at++) {
		const char *put = text[at] ? &text[at] : nul;
		size_t size = text[at] ? 1 : sizeof(nul);

		if (n + size >= PITRACE_USER_MAX)
			break;
		memcpy(room + n, put, size);
		n += size;
	}
	room[n] = 0;
	return room;
}

#endif
