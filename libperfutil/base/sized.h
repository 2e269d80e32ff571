/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handles callers' structs that are smaller or larger than the library's, because structs grow at
 * their ends: both those that the library fills in and those that it reads. FIRST begins a function
 * for old programs, which pass no size: they have the first version of the struct, up to its last
 * member at that time.
 */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FIRST(type, name, ...)  \
	type name(__VA_ARGS__); \
	type name(__VA_ARGS__)
#define ROUND_UP(n, to)   (((n) + (to)-1) / (to) * (to))
#define UP_TO(type, last) ROUND_UP(offsetof(type, last) + sizeof(((type *)0)->last), _Alignof(type))

/* Where to write: to the caller's struct if all members fit, else to the library's own. */
static inline void *sized_place(void *to, size_t size, void *own, size_t whole)
{
	return !to || size >= whole ? to : own;
}

/* Call afterwards: copies the members that both have, and zeroes those that only the caller's
 * has. */
static inline void sized_give(void *to, size_t size, const void *own, size_t whole)
{
	if (!to)
		return;
	if (size < whole)
		memcpy(to, own, size);
	else
		memset((char *)to + whole, 0, size - whole);
}

/* The same for an entry of an array, which is not in its place yet. */
static inline void sized_copy(void *array, size_t i, size_t size, const void *own, size_t whole)
{
	char *to = (char *)array + i * size;

	memcpy(to, own, size < whole ? size : whole);
	sized_give(to, size, own, whole);
}

/* input structs */

#define SIZED_UNKNOWN(type) "a member of " #type " is set that this release does not know"

/* Checks whether all members that the library does not know are 0. */
static inline bool sized_is_known(const void *from, size_t size, size_t whole)
{
	const unsigned char *p = from;

	for (size_t i = whole; i < size; i++)
		if (p[i])
			return false;
	return true;
}

/* Returns the caller's struct in the library's layout: members that the caller's does not have are
 * 0, or as in *own. NULL: it sets a member that the library does not know. */
static inline const void *sized_take(const void *from, size_t size, void *own, size_t whole)
{
	if (size >= whole)
		return sized_is_known(from, size, whole) ? from : NULL;
	memcpy(own, from, size);
	return own;
}

/* The same for an array: 0, and *list is in the library's layout, *own must be freed; -E2BIG,
 * -ENOMEM. */
static inline int sized_list(const void **list, void **own, size_t n, size_t size, size_t whole)
{
	const char *from = *list;

	*own = NULL;
	if (!from || !n || size == whole)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!sized_is_known(from + i * size, size, whole))
			return -E2BIG;
	*own = calloc(n, whole);
	if (!*own)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		memcpy((char *)*own + i * whole, from + i * size, size < whole ? size : whole);
	*list = *own;
	return 0;
}

#endif
