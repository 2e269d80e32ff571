/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structs of callers that are smaller or larger than the library's, which grow at their ends. FIRST
 * begins the function that programs call which do not tell a size: they have the first struct, up
 * to the member that then was the last.
 */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stddef.h>
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

#endif
