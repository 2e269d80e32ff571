/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A class's constant pool: what it holds, and entries that are appended. Those that are there keep
 * their numbers, so that all else in the class stays as it is.
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
	const uint8_t *base; /* the class file, which the caller keeps */
	uint32_t *at;        /* where each entry begins; 0: none has this number */
	uint32_t start, end; /* of the entries */
	uint32_t had, count; /* numbers in use: as read, and with those that were added */
	struct class_out added;
};

/* Text in the class file; not ended by a NUL. */
struct constant_text {
	const char *text; /* NULL: there is none of this number */
	uint16_t n;
};

/* From the pool's count on; b is behind it then. 0, -ENOMEM, or -EINVAL: b says where. */
int constants_read(struct constants *c, struct bytes *b);
void constants_free(struct constants *c);

struct constant_text constants_utf8(const struct constants *c, uint16_t number);
/* A class's name. */
struct constant_text constants_class(const struct constants *c, uint16_t number);
/* Name and descriptor of a field or method, also of one that is called by invokedynamic. */
bool constants_member(const struct constants *c, uint16_t number, struct constant_text *name,
		      struct constant_text *descriptor);

bool constant_is(struct constant_text t, const char *text);

/* The number of a new entry; 0 when there are 65,534 or there is no memory. */
uint16_t constants_add_utf8(struct constants *c, const char *text);
uint16_t constants_add_integer(struct constants *c, uint32_t value);
uint16_t constants_add_class(struct constants *c, const char *name);
uint16_t constants_add_method(struct constants *c, uint16_t class, const char *name,
			      const char *descriptor);

/* The pool with its count, as it stands in a class file. */
void constants_write(const struct constants *c, struct class_out *out);

#endif
