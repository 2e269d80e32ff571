/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Methods by the numbers that their code passes to the hooks. No function takes a lock or calls
 * malloc, because a probe may see a new method anywhere. Nothing is ever freed: calls remain after
 * their class was unloaded.
 */
#ifndef METHODS_H
#define METHODS_H

#include <stdint.h>

#define METHODS_MOST (1u << 24)

struct method {
	const char *name; /* package/Class.method(descriptor) */
};

/* Texts need no NUL. Returns a number, or -1: no memory, or too many. */
int32_t methods_add(const char *class, uint32_t class_length, const char *name,
		    uint32_t name_length, const char *descriptor, uint32_t descriptor_length);
/* The same for a function, which has only a name. */
int32_t methods_add_name(const char *name, uint32_t length);
/* For numbers returned by these. The name is NULL while a method is being added. */
const struct method *methods_get(uint32_t number);
uint32_t methods_count(void);

#endif
