/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies between C structs and Java objects whose fields have the same names. */
#ifndef JPERF_FIELDS_H
#define JPERF_FIELDS_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jperf_field_kind {
	JPERF_INT,     /* int: 32 bits */
	JPERF_LONG,    /* long: 64 bits */
	JPERF_STRING,  /* String: char[size] */
	JPERF_LONGS,   /* long[]: uint64_t[size / 8] */
	JPERF_STRINGS, /* String[]: char[size / each][each] */
};

struct jperf_field {
	const char *name;
	uint8_t kind;
	uint16_t each;
	size_t at, size;
};
#define JPERF_FIELD(type, field, kind, each)                      \
	{                                                         \
#field, kind, each, offsetof(struct type, field), \
			sizeof(((struct type *)0)->field)         \
	}

/* Sets the object's fields. Returns false if a Java exception is pending. */
bool jperf_set_fields(JNIEnv *env, jobject object, const struct jperf_field *fields, int count,
		      const void *from);
/* Copies the object's fields to the struct; returns as above. */
bool jperf_get_fields(JNIEnv *env, jobject object, const struct jperf_field *fields, int count,
		      void *to);

#endif /* JPERF_FIELDS_H */
