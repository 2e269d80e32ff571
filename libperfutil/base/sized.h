/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structs of callers that are smaller or larger than the library's, which grow at their ends: those
 * that it fills in, and those that it is given. FIRST
 * begins the function that programs call which do not tell a size: they have the first struct, up
 * to the member that then was the last.
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

/* Where to write: into the caller's if all members fit, else into the library's own. */
static inline void *sized_place(void *to, size_t size, void *own, size_t whole)
{
	return !to || size >= whole ? to : own;
}

/* Afterwards: the members that both have, and 0 in those that the caller's alone has. */
static inline void sized_give(void *to, size_t size, const void *own, size_t whole)
{
	if (!to)
		return;
	if (size < whole)
		memcpy(to, own, size);
	else
		memset((char *)to + whole, 0, size - whole);
}

/* The same of an entry of an array, which is not in its place yet. */
static inline void sized_copy(void *array, size_t i, size_t size, const void *own, size_t whole)
{
	char *to = (char *)array + i * size;

	memcpy(to, own, size < whole ? size : whole);
	sized_give(to, size, own, whole);
}

/* ---- what callers give ----------------------------------------------------------------------- */

#define SIZED_UNKNOWN(type) "a member of " #type " is set that this release does not know"

/* Whether what the library does not know of a struct is 0. */
static inline bool sized_is_known(const void *from, size_t size, size_t whole)
{
	const unsigned char *p = from;

	for (size_t i = whole; i < size; i++)
		if (p[i])
			return false;
	return true;
}

/* The caller's struct as the library has it: with 0, or what *own holds, in the members that the
 * caller's does not have. NULL: it sets one that the library does not know. */
static inline const void *sized_take(const void *from, size_t size, void *own, size_t whole)
{
	if (size >= whole)
		return sized_is_known(from, size, whole) ? from : NULL;
	memcpy(own, from, size);
	return own;
}

/* The same of an array: 0, and *list is the library's, *own is for free(); -E2BIG, -ENOMEM. */
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
