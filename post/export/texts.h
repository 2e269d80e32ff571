/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The strings of a file that names them by number: each once, "" is 0. What comes from traced
 * programs is escaped, since it may be no text at all.
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

/* 0 or -ENOMEM. */
int texts_open(struct texts *s);
/* Its number; NO_KEY: no memory. NULL is "". A pointer that is given twice means the same text. */
uint32_t texts_name(struct texts *s, const char *name);
/* The same of a text of our own, which need not stay. */
uint32_t texts_add(struct texts *s, const char *text);
void texts_free(struct texts *s);

#endif
