/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HPROF as written by VMs: the kinds of records, and a walk over them that checks every length. */
#ifndef HDUMP_HPROF_H
#define HDUMP_HPROF_H

#include "dump_file.h"

/* Types of values, as numbered in the file. */
enum {
	HPROF_REF = 2,
	HPROF_BOOLEAN = 4,
	HPROF_CHAR,
	HPROF_FLOAT,
	HPROF_DOUBLE,
	HPROF_BYTE,
	HPROF_SHORT,
	HPROF_INT,
	HPROF_LONG
};

/* Kinds of roots, by the numbers of their sub-records. */
enum {
	ROOT_UNKNOWN = 0xff,
	ROOT_JNI_GLOBAL = 0x01,
	ROOT_JNI_LOCAL,
	ROOT_FRAME,
	ROOT_NATIVE_STACK,
	ROOT_CLASS,
	ROOT_THREAD_BLOCK,
	ROOT_MONITOR,
	ROOT_THREAD,
	ROOT_INTERNED = 0x89, /* these are Android's */
	ROOT_FINALIZING,
	ROOT_DEBUGGER,
	ROOT_CLEANUP,
	ROOT_VM,
	ROOT_JNI_MONITOR
};

struct hprof;

struct hprof_field {
	uint64_t name;  /* the id of a string */
	uint64_t value; /* of a static reference, else 0 */
	uint8_t type;
};

struct hprof_class {
	uint64_t id, super, loader, signers, domain;
	uint32_t size;      /* as written by the VM */
	uint32_t constants; /* references of the constant pool, before the statics */
	uint32_t statics, fields;
	const struct hprof_field *list; /* constants, statics, fields */
};

/* An instance, an array of references, or an array of primitives. */
struct hprof_object {
	uint64_t id;
	uint64_t class_id; /* 0 for an array of primitives */
	uint64_t offset;   /* of its sub-record */
	uint32_t count;    /* bytes of an instance, elements of an array */
	uint8_t type;      /* of the elements; 0 for an instance */
};

/* Callbacks of the walk; each may be NULL. A result other than 0 ends the walk: -EINVAL after
 * hprof_report(). */
struct hprof_sink {
	int (*string)(struct hprof *h, uint64_t id, const uint8_t *text, size_t n);
	int (*load)(struct hprof *h, uint64_t class_id, uint64_t name);
	int (*root)(struct hprof *h, uint8_t kind, uint64_t id);
	int (*klass)(struct hprof *h, const struct hprof_class *c);
	int (*object)(struct hprof *h, const struct hprof_object *o);
	/* The object's content, in parts: `from` is the offset of this one in bytes. It is called
	 * if object() has set h->wants. */
	int (*content)(struct hprof *h, const struct hprof_object *o, uint64_t from,
		       const uint8_t *data, size_t n);
};

struct hprof {
	struct dump_file *file;
	const struct hprof_sink *sink;
	void *arg;
	uint8_t id_size;  /* 4 or 8 */
	uint64_t time;    /* ms since 1970 */
	uint64_t objects; /* number of objects read */
	bool wants;       /* set by object() to have content() called */
	bool heap, segments, ended;
	struct hprof_field *fields; /* of the class being read */
	uint32_t fields_room;
	struct dump_fault fault;
};

/* Walks from the first byte to the end or to a fault, which is stored in h->fault (else `what` is
 * ""). Returns 0, -EINVAL for a fault, -ENOMEM, or the result of a callback. */
int hprof_walk(struct hprof *h);
int hprof_report(struct hprof *h, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns the bytes of a value; 0 for an unknown type. */
unsigned int hprof_size(const struct hprof *h, uint8_t type);

static inline uint64_t hprof_id(const struct hprof *h, const uint8_t *p)
{
	uint64_t v = 0;

	if (h->id_size == 8) {
		__builtin_memcpy(&v, p, 8);
		return __builtin_bswap64(v);
	}
	__builtin_memcpy(&v, p, 4);
	return __builtin_bswap32((uint32_t)v);
}

#endif
