/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies Java's arrays for C: short ones into the caller's frame, others into allocated memory. */
#include "jperf_text.h"

#include <stdlib.h>
#include <string.h>
#include "base/rc.h"
#include "perfutil.h"

/* No record or path is longer, or has more parts. */
#define LONGEST 0xFFFC
#define MOST    0x4000

int jperf_null(void)
{
	return rc_say(PI_INVALID_ARGUMENT, "an argument is null");
}

static int no_memory(void)
{
	return rc_say(PI_NO_MEMORY, "no memory for the arguments");
}

static int too_long(void)
{
	return rc_say(PI_HOOK_TOO_LONG, "more than fits into a record");
}

int jperf_text(JNIEnv *env, jbyteArray array, struct jperf_text *text)
{
	jsize length = array ? (*env)->GetArrayLength(env, array) : 0;

	text->bytes = NULL;
	if (!array)
		return PI_OK;
	if (length > LONGEST)
		return rc_say(PI_INVALID_ARGUMENT, "the text is longer than 65,532 bytes");
	text->bytes = (size_t)length < sizeof(text->room) ? text->room : malloc((size_t)length + 1);
	if (!text->bytes)
		return no_memory();
	(*env)->GetByteArrayRegion(env, array, 0, length, (jbyte *)text->bytes);
	text->bytes[length] = 0;
	if (memchr(text->bytes, 0, (size_t)length))
		return rc_say(PI_INVALID_ARGUMENT, "there is a NUL in the text");
	return PI_OK;
}

void jperf_text_drop(struct jperf_text *text)
{
	if (text->bytes != text->room)
		free(text->bytes);
}

jbyteArray jperf_bytes(JNIEnv *env, const char *text)
{
	jsize length = text ? (jsize)strlen(text) : 0;
	jbyteArray array = text ? (*env)->NewByteArray(env, length) : NULL;

	if (array)
		(*env)->SetByteArrayRegion(env, array, 0, length, (const jbyte *)text);
	return array;
}

static jstring make_string(JNIEnv *env, const char *bytes, size_t length)
{
	jclass native = (*env)->FindClass(env, "pitrace/jperf/Native");
	jmethodID text = NULL;
	jbyteArray array = NULL;
	jstring string;

	if (native)
		text = (*env)->GetStaticMethodID(env, native, "text", "([B)Ljava/lang/String;");
	if (text)
		array = (*env)->NewByteArray(env, (jsize)length);
	if (!array)
		return NULL;
	(*env)->SetByteArrayRegion(env, array, 0, (jsize)length, (const jbyte *)bytes);
	string = (*env)->CallStaticObjectMethod(env, native, text, array);
	return (*env)->ExceptionCheck(env) ? NULL : string;
}

jstring jperf_string(JNIEnv *env, const char *bytes, size_t length)
{
	if ((*env)->PushLocalFrame(env, 8))
		return NULL;
	return (*env)->PopLocalFrame(env, make_string(env, bytes, length));
}

/* Returns the bytes of all texts, each with a NUL, or a code. */
static int64_t measure(JNIEnv *env, jobjectArray arrays, jsize count)
{
	int64_t bytes = 0;

	for (jsize i = 0; i < count; i++) {
		jbyteArray array = (*env)->GetObjectArrayElement(env, arrays, i);

		if (!array)
			return rc_say(PI_INVALID_ARGUMENT, "a text is null");
		bytes += (*env)->GetArrayLength(env, array) + 1;
		(*env)->DeleteLocalRef(env, array);
		if (bytes > 2 * LONGEST)
			return too_long();
	}
	return bytes;
}

static int take_texts(JNIEnv *env, jobjectArray arrays, struct jperf_texts *texts, char *to,
		      int64_t left)
{
	for (int i = 0; i < texts->count; i++) {
		jbyteArray array = (*env)->GetObjectArrayElement(env, arrays, i);
		jsize length = array ? (*env)->GetArrayLength(env, array) : 0;

		/* Another thread may have stored a longer text meanwhile. */
		if (!array || length >= left)
			return rc_say(PI_INVALID_ARGUMENT, "a text changed while it was read");
		(*env)->GetByteArrayRegion(env, array, 0, length, (jbyte *)to);
		(*env)->DeleteLocalRef(env, array);
		to[length] = 0;
		texts->bytes[i] = to;
		texts->lengths[i] = length;
		to += length + 1;
		left -= length + 1;
	}
	return PI_OK;
}

int jperf_texts(JNIEnv *env, jobjectArray arrays, struct jperf_texts *texts)
{
	jsize count = arrays ? (*env)->GetArrayLength(env, arrays) : 0;
	size_t tables, bytes;
	int64_t text_bytes;
	char *at;

	*texts = (struct jperf_texts){ .count = 0 };
	if (count > MOST)
		return too_long();
	text_bytes = measure(env, arrays, count);
	if (text_bytes < 0)
		return (int)text_bytes;
	tables = (size_t)count * (sizeof(*texts->bytes) + sizeof(*texts->lengths));
	bytes = tables + (size_t)text_bytes;
	if (bytes > sizeof(texts->room)) {
		texts->memory = malloc(bytes);
		if (!texts->memory)
			return no_memory();
	}
	at = texts->memory ? texts->memory : texts->room;
	texts->count = count;
	texts->bytes = (void *)at;
	texts->lengths = (void *)(at + (size_t)count * sizeof(*texts->bytes));
	return take_texts(env, arrays, texts, at + tables, text_bytes);
}

int jperf_texts_end(const struct jperf_texts *texts)
{
	for (int i = 0; i < texts->count; i++)
		if (memchr(texts->bytes[i], 0, (size_t)texts->lengths[i]))
			return rc_say(PI_INVALID_ARGUMENT, "there is a NUL in the text");
	return PI_OK;
}

void jperf_texts_drop(struct jperf_texts *texts)
{
	free(texts->memory);
}

int jperf_longs(JNIEnv *env, jlongArray array, struct jperf_longs *longs)
{
	jsize count = array ? (*env)->GetArrayLength(env, array) : 0;

	longs->count = count;
	longs->values = NULL;
	if (!array)
		return PI_OK;
	if (count > MOST)
		return too_long();
	longs->values = longs->room;
	if ((size_t)count > sizeof(longs->room) / sizeof(longs->room[0])) {
		longs->values = malloc((size_t)count * sizeof(*longs->values));
		if (!longs->values)
			return no_memory();
	}
	(*env)->GetLongArrayRegion(env, array, 0, count, (jlong *)longs->values);
	return PI_OK;
}

void jperf_longs_drop(struct jperf_longs *longs)
{
	if (longs->values != longs->room)
		free(longs->values);
}
