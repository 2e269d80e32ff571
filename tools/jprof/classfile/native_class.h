/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A class file of a public final class that has public static native methods, and nothing else. */
#ifndef NATIVE_CLASS_H
#define NATIVE_CLASS_H

#include "class_out.h"

struct native_method {
	const char *name, *descriptor;
};

/* out.failed: no memory. The caller frees it. */
struct class_out native_class(const char *name, const struct native_method *methods, uint16_t n);

#endif
