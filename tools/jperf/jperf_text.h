/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies Java's arrays for C. A function that fails sets the message of TraceLastError. */
#ifndef JPERF_TEXT_H
#define JPERF_TEXT_H

#include <jni.h>
#include <stddef.h>
#include <stdint.h>

/* Returns PI_INVALID_ARGUMENT, for an argument that must not be null. */
int jperf_null(void);

/* A text with a NUL at its end; bytes NULL: Java's null. */
struct jperf_text {
	char *bytes;
	char room[256];
};
/* Returns 0, or a code if the text has a NUL in it or there is no memory. The caller calls
 * jperf_text_drop() in either case. */
int jperf_text(JNIEnv *env, jbyteArray array, struct jperf_text *text);
void jperf_text_drop(struct jperf_text *text);
/* Makes a Java array of a text; NULL stays null. */
jbyteArray jperf_bytes(JNIEnv *env, const char *text);
/* Makes a Java string; the bytes need not be UTF-8, for they may be a pathname. Returns NULL if a
 * Java exception is pending. */
jstring jperf_string(JNIEnv *env, const char *bytes, size_t length);

/* Texts that may contain NULs, one after another, and their lengths. */
struct jperf_texts {
	int count;
	char **bytes;
	int *lengths;
	void *memory;
	char room[1024];
};
int jperf_texts(JNIEnv *env, jobjectArray arrays, struct jperf_texts *texts);
/* Returns 0 if no text contains a NUL, or a code. */
int jperf_texts_end(const struct jperf_texts *texts);
void jperf_texts_drop(struct jperf_texts *texts);

struct jperf_longs {
	int count;
	uint64_t *values; /* NULL: Java's null */
	uint64_t room[16];
};
int jperf_longs(JNIEnv *env, jlongArray array, struct jperf_longs *longs);
void jperf_longs_drop(struct jperf_longs *longs);

#endif /* JPERF_TEXT_H */
