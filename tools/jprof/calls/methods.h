/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Methods by the number that their code gives to the hooks. Nothing here takes a lock or calls
 * malloc, for a probe may meet a new method anywhere. Nothing is ever given back: a class may be
 * unloaded, its calls have been.
 */
#ifndef METHODS_H
#define METHODS_H

#include <stdint.h>

#define METHODS_MOST (1u << 24)

struct method {
	const char *name; /* package/Class.method(descriptor) */
};

/* Texts need no NUL. A number, or -1: no memory, or too many. */
int32_t methods_add(const char *class, uint32_t class_length, const char *name,
		    uint32_t name_length, const char *descriptor, uint32_t descriptor_length);
/* The same of a function, which has a name alone. */
int32_t methods_add_name(const char *name, uint32_t length);
/* A number that these have returned. Of one that is only counted yet the name is NULL. */
const struct method *methods_get(uint32_t number);
uint32_t methods_count(void);

#endif
