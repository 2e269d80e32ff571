/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classes of a dump: names, fields, where their instances have references, sizes. */
#ifndef HDUMP_CLASSES_H
#define HDUMP_CLASSES_H

#include "base/keys.h"
#include "hprof.h"

#define NO_CLASS UINT32_MAX

struct string_at {
	uint64_t id;
	uint32_t at, n; /* in the texts, in units of one byte */
};

/* A field of instances. */
struct class_field {
	uint64_t name;
	uint8_t type;
};

struct heap_class {
	uint64_t id, super_id, loader, name_id;
	char *name;                 /* as Java has it: java.lang.String, byte[] */
	struct class_field *fields; /* its own; of instances its supers' follow */
	uint32_t *refs;             /* offsets of references in an instance's bytes */
	uint32_t field_count, ref_count;
	uint32_t bytes;   /* of an instance, as they stand in the file */
	uint32_t super;   /* NO_CLASS: none */
	uint32_t statics; /* bytes of values that are no references */
	uint32_t static_refs;
	bool static_longs;  /* some of the values have 8 bytes */
	uint32_t size;      /* of an instance, in memory */
	uint32_t gap, gaps; /* the least distance to the next object, and how often */
	uint16_t padding;   /* behind its own fields, beside what a subclass adds */
	uint8_t element;    /* arrays of primitives: its type */
	uint32_t shape;     /* of its instances; 0: none was met */
	bool root;
	bool dumped;   /* there is more than its name */
	bool resolved; /* refs and bytes are right */
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
/* The class of this id, or a new one. 0 or -ENOMEM. */
int classes_add(struct classes *c, uint64_t id, uint32_t *index);
uint32_t classes_find(const struct classes *c, uint64_t id);
/* What a sub-record says. 0 or -ENOMEM. */
int classes_define(struct classes *c, const struct hprof *h, const struct hprof_class *d);
/* refs and bytes, if all supers are known. */
bool classes_resolve(struct classes *c, uint32_t index);
/* All names, and classes of arrays of primitives. 0 or -ENOMEM. */
int classes_finish(struct classes *c);
/* Nothing asks for a text any more: classes have their names. */
void classes_forget_texts(struct classes *c);
void classes_free(struct classes *c);
/* "" if there is none; not ended by NUL. */
const char *classes_text(const struct classes *c, uint64_t id, uint32_t *n);

#endif
