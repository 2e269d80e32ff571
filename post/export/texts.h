/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The string table of a file that refers to strings by number: each string once, "" is 0. Names
 * from traced programs are escaped, since they may not be valid text.
 */
#ifndef POST_TEXTS_H
#define POST_TEXTS_H

#include "base/keys.h"

struct texts {
	char **string;
	uint32_t count, room;
	struct keys by_text, by_pointer;
	struct texts_pointer {
		const char *name;
		uint32_t number;
	} * pointer;
	uint32_t npointer, room_pointer;
};

/* Returns 0 or -ENOMEM. */
int texts_open(struct texts *s);
/* Returns the name's number; NO_KEY: no memory. NULL is "". The same pointer must always mean the
 * same text. */
uint32_t texts_name(struct texts *s, const char *name);
/* The same for a temporary text. */
uint32_t texts_add(struct texts *s, const char *text);
void texts_free(struct texts *s);

#endif
