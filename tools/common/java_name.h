/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the JVM's names of classes, methods and types to those of the Java language. */
#ifndef JAVA_NAME_H
#define JAVA_NAME_H

#include <stddef.h>

/* Writes java.util.Map$Entry.of(int, java.lang.String, long[]) for "Ljava/util/Map$Entry;" "of"
 * "(ILjava/lang/String;[J)V". Truncates a name that does not fit; copies text that is not a
 * signature unchanged. The result always ends with a NUL. */
void java_name(char *out, size_t room, const char *class, const char *method,
	       const char *signature);

#endif
