/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings in user records, as post stores and shows them. */
#ifndef POST_USER_RECORD_H
#define POST_USER_RECORD_H

#include <string.h>

#include <pifile.h>

/* Returns the i-th string, NUL-terminated and truncated to the buffer; "" if the record has none.
 * Shows an embedded NUL as the text \x00, so that the bytes after it stay visible. */
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
