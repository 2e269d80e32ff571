/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the JVM's names of classes, methods and types to those of the language. */
#ifndef JAVA_NAME_H
#define JAVA_NAME_H

#include <stddef.h>

/* "Ljava/util/Map$Entry;" "of" "(ILjava/lang/String;[J)V" is java.util.Map$Entry.of(int,
 * java.lang.String, long[]). What does not fit is cut; text that is no signature stays as it is.
 * Always ends in a NUL. */
void java_name(char *out, size_t room, const char *class, const char *method,
	       const char *signature);

#endif
