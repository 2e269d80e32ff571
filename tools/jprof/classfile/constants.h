/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A class's constant pool, to which entries can be appended. Existing entries keep their numbers,
 * so that the rest of the class does not change.
 */
#ifndef CONSTANTS_H
#define CONSTANTS_H

#include "base/cursor.h"
#include "class_out.h"

enum constant_tag {
	CONSTANT_UTF8 = 1,
	CONSTANT_INTEGER = 3,
	CONSTANT_FLOAT = 4,
	CONSTANT_LONG = 5,
	CONSTANT_DOUBLE = 6,
	CONSTANT_CLASS = 7,
	CONSTANT_STRING = 8,
	CONSTANT_FIELD = 9,
	CONSTANT_METHOD = 10,
	CONSTANT_INTERFACE_METHOD = 11,
	CONSTANT_NAME_AND_TYPE = 12,
	CONSTANT_METHOD_HANDLE = 15,
	CONSTANT_METHOD_TYPE = 16,
	CONSTANT_DYNAMIC = 17,
	CONSTANT_INVOKE_DYNAMIC = 18,
	CONSTANT_MODULE = 19,
	CONSTANT_PACKAGE = 20,
};

struct constants {
	const uint8_t *base; /* the class file, owned by the caller */
	uint32_t *at;        /* offset of each entry; 0: no entry has this number */
	uint32_t start, end; /* of the entries */
	uint32_t had, count; /* count of numbers: as read, and including added ones */
	struct class_out added;
};

/* Text in the class file, without a NUL. */
struct constant_text {
	const char *text; /* NULL: not found */
	uint16_t n;
};

/* Reads the pool from its count on; b is after it then. Returns 0, -ENOMEM, or -EINVAL: see b. */
int constants_read(struct constants *c, struct bytes *b);
void constants_free(struct constants *c);

struct constant_text constants_utf8(const struct constants *c, uint16_t number);
/* Returns a class's name. */
struct constant_text constants_class(const struct constants *c, uint16_t number);
/* Returns the name and descriptor of a field or method, including those of invokedynamic. */
bool constants_member(const struct constants *c, uint16_t number, struct constant_text *name,
		      struct constant_text *descriptor);

bool constant_is(struct constant_text t, const char *text);

/* Append an entry. Return its number; 0: there are 65,534 already, or no memory. */
uint16_t constants_add_utf8(struct constants *c, const char *text);
uint16_t constants_add_integer(struct constants *c, uint32_t value);
uint16_t constants_add_class(struct constants *c, const char *name);
uint16_t constants_add_method(struct constants *c, uint16_t class, const char *name,
			      const char *descriptor);

/* Writes the pool and its count in the format of a class file. */
void constants_write(const struct constants *c, struct class_out *out);

#endif
