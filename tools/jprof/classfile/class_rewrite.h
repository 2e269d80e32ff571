/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inserts hook calls into the methods of a class file: for calls, at their beginning, before each
 * return, when an exception leaves them, and when they have caught one; for locks, where they enter
 * and exit monitors. Supports classes of Java 1.0 to 25 (versions 45 to 69), and assumes the same
 * layout for newer ones. Nothing else in the class changes, except that attributes of code which
 * neither the VM nor a debugger reads (type annotations of local variables) are omitted.
 */
#ifndef CLASS_REWRITE_H
#define CLASS_REWRITE_H

#include "constants.h"

enum {
	ACCESS_STATIC = 0x0008,
	ACCESS_SYNCHRONIZED = 0x0020,
	ACCESS_NATIVE = 0x0100,
	ACCESS_ABSTRACT = 0x0400,
};

struct class_method {
	struct constant_text class, name, descriptor;
	uint16_t access; /* ACCESS_NATIVE is also set for a native's wrapper (native_wrap.h) */
};

/* Writes package/Class.method(descriptor). false: it does not fit. */
bool class_method_name(const struct class_method *m, char *name, size_t size);

enum class_hooks {
	/* Static methods enter, leave, unwind and caught, with an int argument: the id. */
	HOOKS_OF_CALLS,
	/* enter(Object): before a monitor is entered, or at the beginning of a synchronized method;
	 * entered(): after a monitor was entered; leave(Object): before it is exited. park(Object)
	 * and parked() are called by java.util.concurrent.locks.LockSupport, with the blocker. */
	HOOKS_OF_LOCKS,
};

struct class_rewrite {
	const char *hooks; /* the hooks' class */
	/* Returns a method's id, or -1: leave it unchanged. Only called for methods with code. */
	int32_t (*method)(void *arg, const struct class_method *m);
	/* Reports a method that cannot be changed, and why. */
	void (*left)(void *arg, int32_t id, const char *why);
	void *arg;
	enum class_hooks what;
};

/*
 * Writes the changed class into out. Returns 1; 0: no method changes, and nothing was written;
 * -ENOMEM; -EINVAL: invalid class file at *offset, with *why set; -E2BIG: the constant pool is
 * full.
 */
int class_rewrite(const void *data, size_t size, const struct class_rewrite *how,
		  struct class_out *out, size_t *offset, const char **why);

#endif
