/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Look-ups in a list of things of one kind (readers, writers, reports), an array of pointers: by
 * index and by name.
 */
#ifndef POST_LISTED_H
#define POST_LISTED_H

#include <stddef.h>
#include <string.h>

/* KIND_at(i): the i-th entry; NULL: no more. */
#define LISTED_AT(kind, list)                                                   \
	const struct kind *kind##_at(size_t i)                                  \
	{                                                                       \
		return i < sizeof(list) / sizeof((list)[0]) ? (list)[i] : NULL; \
	}

/* KIND_named(name): the entry with this name; NULL: not found. */
#define LISTED_NAMED(kind, list)                                                     \
	const struct kind *kind##_named(const char *name)                            \
	{                                                                            \
		const struct kind *it;                                               \
		size_t i;                                                            \
                                                                                     \
		for (i = 0; (it = kind##_at(i)) && strcmp(it->name, name) != 0; i++) \
			;                                                            \
		return it;                                                           \
	}

#endif
