/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A class file whose native methods have code, so that it can call hooks: a native method m is
 * called PREFIXm from then on, and a new m calls it. The VM looks for the native's function by
 * both names (JVMTI's SetNativeMethodPrefix), also where it is registered. All else of m (its
 * annotations, its exceptions) stays with m.
 */
#ifndef NATIVE_WRAP_H
#define NATIVE_WRAP_H

#include "class_rewrite.h"

#define NATIVE_PREFIX "pitrace$native$"

/* What becomes of a native method. */
enum native_fate {
	NATIVE_WRAPPED,
	NATIVE_INTRINSIC,   /* compilers know it, and want it as it is */
	NATIVE_POLYMORPHIC, /* it has the signature of each call */
	NATIVE_CALLER,      /* it asks who has called it */
	NATIVE_VM,          /* the VM counts on it, or looks at the stack in it */
	NATIVE_FATES,
};

/* The fate in words, of the log. */
extern const char *const native_fates[NATIVE_FATES];

struct native_wrap {
	/* Is the method wanted? */
	bool (*wants)(void *arg, const struct class_method *m);
	void *arg;
	/* The VM is not up: it looks for functions by way of Java code, which not all classes can
	 * bear. Those for files and networks can. */
	bool early;
	uint32_t fates[NATIVE_FATES]; /* how many methods, of those that are wanted */
};

/*
 * Writes the class as it is to be into out. 1; 0: no method changes, nothing was written. -ENOMEM;
 * -EINVAL: it is no class file; -E2BIG: its constant pool or its methods are too many.
 */
int native_wrap(const void *data, size_t size, struct native_wrap *how, struct class_out *out);

#endif
