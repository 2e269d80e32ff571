/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classes of a dump: names, fields, offsets of references in instances, and sizes. */
#ifndef HDUMP_CLASSES_H
#define HDUMP_CLASSES_H

#include "base/keys.h"
#include "hprof.h"

#define NO_CLASS UINT32_MAX

struct string_at {
	uint64_t id;
	uint32_t at, n; /* in the texts, in bytes */
};

/* A field of instances. */
struct class_field {
	uint64_t name;
	uint8_t type;
};

struct heap_class {
	uint64_t id, super_id, loader, name_id;
	char *name;                 /* as in Java source: java.lang.String, byte[] */
	struct class_field *fields; /* its own; in instances, those of its supers follow */
	uint32_t *refs;             /* offsets of references in an instance's bytes */
	uint32_t field_count, ref_count;
	uint32_t bytes;   /* of an instance's values in the file */
	uint32_t super;   /* NO_CLASS: none */
	uint32_t statics; /* bytes of values other than references */
	uint32_t static_refs;
	bool static_longs;  /* some values have 8 bytes */
	uint32_t size;      /* of an instance, in memory */
	uint32_t gap, gaps; /* the least distance to the next object, and its frequency */
	uint16_t padding;   /* after its own fields, in addition to those of its supers */
	uint8_t element;    /* of an array of primitives: its type */
	uint32_t shape;     /* of its instances; 0: none so far */
	bool root;
	bool dumped;   /* its definition is in the dump, not only its name */
	bool resolved; /* refs and bytes are valid */
	bool resolving;
};

struct classes {
	struct heap_class *list;
	uint32_t count, room;
	struct keys by_id;
	struct string_at *strings;
	uint32_t string_count, string_room;
	struct keys by_string;
	char *texts;
	uint32_t text_size, text_room;
	uint32_t of_type[12]; /* arrays of primitives; NO_CLASS before classes_finish() */
	uint32_t of_class;    /* java.lang.Class */
	uint32_t of_string;
	uint8_t id_size;
};

int classes_add_string(struct classes *c, uint64_t id, const uint8_t *text, size_t n);
/* Finds the class with this id or adds it. Returns 0 or -ENOMEM. */
int classes_add(struct classes *c, uint64_t id, uint32_t *index);
uint32_t classes_find(const struct classes *c, uint64_t id);
/* Stores a class sub-record. Returns 0 or -ENOMEM. */
int classes_define(struct classes *c, const struct hprof *h, const struct hprof_class *d);
/* Computes refs and bytes. Returns false if a super is unknown. */
bool classes_resolve(struct classes *c, uint32_t index);
/* Sets all names, and adds classes of arrays of primitives. Returns 0 or -ENOMEM. */
int classes_finish(struct classes *c);
/* Frees the texts, which are not needed after the classes have their names. */
void classes_forget_texts(struct classes *c);
void classes_free(struct classes *c);
/* Returns "" if not found; not terminated by a NUL. */
const char *classes_text(const struct classes *c, uint64_t id, uint32_t *n);

#endif
