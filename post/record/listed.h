/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The look-ups of a list of things of one kind, an array of pointers (readers, writers, reports):
 * by place and by name.
 */
#ifndef POST_LISTED_H
#define POST_LISTED_H

#include <stddef.h>
#include <string.h>

/* KIND_at(i): in the order of the list; NULL: no more. */
#define LISTED_AT(kind, list)                                                   \
	const struct kind *kind##_at(size_t i)                                  \
	{                                                                       \
		return i < sizeof(list) / sizeof((list)[0]) ? (list)[i] : NULL; \
	}

/* KIND_named(name): the one that is called so; NULL: none. */
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
