/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Java's arrays as C has them. What fails leaves its sentence for TraceLastError. */
#ifndef JPERF_TEXT_H
#define JPERF_TEXT_H

#include <jni.h>
#include <stddef.h>
#include <stdint.h>

/* PI_INVALID_ARGUMENT: an argument is null that must not be. */
int jperf_null(void);

/* A text that ends with a NUL; bytes NULL: Java's null. */
struct jperf_text {
	char *bytes;
	char room[256];
};
/* 0, or a code: there is a NUL in it, or no memory for it. Always drop it. */
int jperf_text(JNIEnv *env, jbyteArray array, struct jperf_text *text);
void jperf_text_drop(struct jperf_text *text);
/* The other way; NULL stays null. */
jbyteArray jperf_bytes(JNIEnv *env, const char *text);
/* Words need not be UTF-8: a pathname is what it is. NULL: a Java exception is pending. */
jstring jperf_string(JNIEnv *env, const char *bytes, size_t length);

/* Texts that may have NULs in them, one behind the other, with their lengths. */
struct jperf_texts {
	int count;
	char **bytes;
	int *lengths;
	void *memory;
	char room[1024];
};
int jperf_texts(JNIEnv *env, jobjectArray arrays, struct jperf_texts *texts);
/* 0: none has a NUL in it; or a code. */
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
