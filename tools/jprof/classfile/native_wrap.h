/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives native methods of a class file code that can call hooks: a native method m is renamed to
 * PREFIXm, and a new m calls it. The VM looks up the native's function by both names (JVMTI's
 * SetNativeMethodPrefix), also if it is registered. All else of m (annotations, exceptions) remains
 * with m.
 */
#ifndef NATIVE_WRAP_H
#define NATIVE_WRAP_H

#include "class_rewrite.h"

#define NATIVE_PREFIX "pitrace$native$"

/* Whether a native method is wrapped, or why not. */
enum native_fate {
	NATIVE_WRAPPED,
	NATIVE_INTRINSIC,   /* compilers replace its calls */
	NATIVE_POLYMORPHIC, /* its signature depends on the call */
	NATIVE_CALLER,      /* it uses its caller's class */
	NATIVE_VM,          /* the VM depends on it, or inspects the stack in it */
	NATIVE_FATES,
};

/* Texts for the log. */
extern const char *const native_fates[NATIVE_FATES];

struct native_wrap {
	/* Whether the method is to be traced. */
	bool (*wants)(void *arg, const struct class_method *m);
	void *arg;
	/* The VM is not yet initialized: it looks up native functions by Java code, which not all
	 * classes support that early. Those for files and networks do. */
	bool early;
	uint32_t fates[NATIVE_FATES]; /* numbers of methods that `wants` selects, by fate */
};

/*
 * Writes the changed class into out. Returns 1; 0: no method changes, and nothing was written;
 * -ENOMEM; -EINVAL: invalid class file; -E2BIG: too many constants or methods.
 */
int native_wrap(const void *data, size_t size, struct native_wrap *how, struct class_out *out);

#endif
