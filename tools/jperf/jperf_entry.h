/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Definitions that all files of native methods share. */
#ifndef JPERF_ENTRY_H
#define JPERF_ENTRY_H

#include <jni.h>

/* Defines a static native method of the class CLASS. */
#define JPERF_ENTRY(class, type, name, ...)                                                     \
	JNIEXPORT type JNICALL Java_pitrace_jperf_##class##_##name(JNIEnv *env                  \
								   __attribute__((__unused__)), \
								   jclass class_                \
								   __attribute__((__unused__)), \
								   ##__VA_ARGS__)

#endif /* JPERF_ENTRY_H */
