/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creates the class file of a public final class that has only public static native methods. */
#ifndef NATIVE_CLASS_H
#define NATIVE_CLASS_H

#include "class_out.h"

struct native_method {
	const char *name, *descriptor;
};

/* The caller frees the result. out.failed: no memory. */
struct class_out native_class(const char *name, const struct native_method *methods, uint16_t n);

#endif
