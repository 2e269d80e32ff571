/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies between C structs and Java objects whose fields have the same names. */
#include "jperf_fields.h"

#include <string.h>
#include "jperf_text.h"

static const char *const types[] = {
	[JPERF_INT] = "I",
	[JPERF_LONG] = "J",
	[JPERF_STRING] = "Ljava/lang/String;",
	[JPERF_LONGS] = "[J",
	[JPERF_STRINGS] = "[Ljava/lang/String;",
};

static jobject strings_of(JNIEnv *env, const struct jperf_field *f, const char *from)
{
	jsize count = (jsize)(f->size / f->each);
	jclass string = (*env)->FindClass(env, "java/lang/String");
	jobjectArray array = string ? (*env)->NewObjectArray(env, count, string, NULL) : NULL;

	for (jsize i = 0; array && i < count; i++) {
		const char *text = from + (size_t)i * f->each;
		jstring one = jperf_string(env, text, strnlen(text, f->each));

		if (!one)
			return NULL;
		(*env)->SetObjectArrayElement(env, array, i, one);
		(*env)->DeleteLocalRef(env, one);
	}
	return array;
}

static jobject longs_of(JNIEnv *env, const struct jperf_field *f, const char *from)
{
	jsize count = (jsize)(f->size / sizeof(jlong));
	jlongArray array = (*env)->NewLongArray(env, count);

	if (array)
		(*env)->SetLongArrayRegion(env, array, 0, count, (const jlong *)from);
	return array;
}

static bool set_object(JNIEnv *env, jobject object, jfieldID id, jobject value)
{
	if (!value)
		return false;
	(*env)->SetObjectField(env, object, id, value);
	(*env)->DeleteLocalRef(env, value);
	return true;
}

static bool set_field(JNIEnv *env, jobject object, jfieldID id, const struct jperf_field *f,
		      const char *from)
{
	jlong eight;
	jint four;

	switch (f->kind) {
	case JPERF_INT:
		memcpy(&four, from, sizeof(four));
		(*env)->SetIntField(env, object, id, four);
		return true;
	case JPERF_LONG:
		memcpy(&eight, from, sizeof(eight));
		(*env)->SetLongField(env, object, id, eight);
		return true;
	case JPERF_STRING:
		return set_object(env, object, id, jperf_string(env, from, strnlen(from, f->size)));
	case JPERF_LONGS:
		return set_object(env, object, id, longs_of(env, f, from));
	default:
		return set_object(env, object, id, strings_of(env, f, from));
	}
}

bool jperf_set_fields(JNIEnv *env, jobject object, const struct jperf_field *fields, int count,
		      const void *from)
{
	jclass class = (*env)->GetObjectClass(env, object);

	for (const struct jperf_field *f = fields; f < fields + count; f++) {
		jfieldID id = (*env)->GetFieldID(env, class, f->name, types[f->kind]);

		if (!id || !set_field(env, object, id, f, (const char *)from + f->at))
			return false;
	}
	return true;
}

/* Skips a String that is null or too long for its place: a lookup by it finds nothing. */
static void get_string(JNIEnv *env, jstring string, char *to, size_t room)
{
	if (!string || (size_t)(*env)->GetStringUTFLength(env, string) >= room)
		return;
	(*env)->GetStringUTFRegion(env, string, 0, (*env)->GetStringLength(env, string), to);
}

static void get_field(JNIEnv *env, jobject object, jfieldID id, const struct jperf_field *f,
		      char *to)
{
	jlong eight;
	jint four;

	if (f->kind == JPERF_INT) {
		four = (*env)->GetIntField(env, object, id);
		memcpy(to, &four, sizeof(four));
	} else if (f->kind == JPERF_LONG) {
		eight = (*env)->GetLongField(env, object, id);
		memcpy(to, &eight, sizeof(eight));
	} else {
		get_string(env, (*env)->GetObjectField(env, object, id), to, f->size);
	}
}

bool jperf_get_fields(JNIEnv *env, jobject object, const struct jperf_field *fields, int count,
		      void *to)
{
	jclass class = (*env)->GetObjectClass(env, object);

	for (const struct jperf_field *f = fields; f < fields + count; f++) {
		jfieldID id = (*env)->GetFieldID(env, class, f->name, types[f->kind]);

		if (!id)
			return false;
		get_field(env, object, id, f, (char *)to + f->at);
	}
	return true;
}
