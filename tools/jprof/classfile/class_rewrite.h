/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A class file whose methods call hooks: of calls at their begin, before each return, when an
 * exception leaves them, and when they have caught one; or of locks, where they take and leave
 * monitors. Classes of Java 1.0 to 25 (versions 45 to 69); what
 * is newer has the same layout until somebody says otherwise. Nothing else of the class changes;
 * attributes of code that are not for the VM or a debugger (annotations of local variables' types)
 * are left out.
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
	uint16_t access; /* ACCESS_NATIVE: also of a native's wrapper (native_wrap.h) */
};

/* package/Class.method(descriptor). False: there is no room. */
bool class_method_name(const struct class_method *m, char *name, size_t size);

enum class_hooks {
	/* Static methods enter, leave, unwind and caught, which take an int: the id. */
	HOOKS_OF_CALLS,
	/* enter(Object): before a monitor is entered, or where a synchronized method has; entered()
	 * behind the former; leave(Object) before it is left. park(Object) and parked() are called
	 * by java.util.concurrent.locks.LockSupport, with who blocks. */
	HOOKS_OF_LOCKS,
};

struct class_rewrite {
	const char *hooks; /* the hooks' class */
	/* The id of a method, or -1: it is to stay as it is. Not asked of those without code. */
	int32_t (*method)(void *arg, const struct class_method *m);
	/* A method that must stay as it is, and why. */
	void (*left)(void *arg, int32_t id, const char *why);
	void *arg;
	enum class_hooks what;
};

/*
 * Writes the class as it is to be into out. 1; 0: no method changes, nothing was written. -ENOMEM;
 * -EINVAL: it is no class file from *offset on, as *why says; -E2BIG: its constant pool is full.
 */
int class_rewrite(const void *data, size_t size, const struct class_rewrite *how,
		  struct class_out *out, size_t *offset, const char **why);

#endif
