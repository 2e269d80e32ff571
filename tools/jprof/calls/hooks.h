/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rewritten code calls: the natives of class pitrace/Hook, on the thread that runs; and what
 * the VM's probes call. Each reads the metrics first and last, so that its own work is nobody's.
 */
#ifndef HOOKS_H
#define HOOKS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "call_thread.h"
#include "method_filter.h"

#define HOOK_CLASS "pitrace/Hook"

/* Defines the class in the VM, with its natives. NULL or why not. Threads that have begun
 * before are found at their first event. */
const char *hooks_define(JNIEnv *jni);

/* Before all else: whether values are read, or calls counted alone. */
void hooks_values(bool read);
/* The name of the thread that calls it, from malloc; NULL: not known. It calls nothing of the VM's,
 * which may be asked for nothing there. */
typedef char *hooks_name(void);
/* Of which threads, by their names as they begin, and what those are called that have begun before;
 * before all others. */
void hooks_threads(const struct method_filter *f, hooks_name *names);

/* Before hooks_set(): threads write their events into rings, too. */
void hooks_trace(void);
/* From now on events count, or do not. Where they count again nothing is known of the methods that
 * threads are in. */
void hooks_set(bool on);
/* All trees are empty from now on. */
void hooks_empty(void);
/* The interpreter's code: a method that is entered from there is interpreted. */
void hooks_interpreter(const void *start, size_t size);

/* The functions of the VM's probes (probes.h), which call nothing of the VM's. exception_at:
 * where in a VM's thread the exception is that ends a method of the interpreter; 0: not known. */
typedef void hooks_probe(void *thread, const void *method);
struct hooks_probes {
	hooks_probe *begin, *end;
} hooks_probes(size_t exception_at);

/* Those of functions of compiled code, as joined_calls.h has them. */
void hooks_function_enter(uint32_t number, uintptr_t sp, bool anew);
void hooks_function_leave(uint32_t number, uintptr_t sp);
void hooks_function_popped(uintptr_t sp, bool by_exception);

/* Threads end and begin. */
void hooks_thread_begin(const char *name);
/* The thread that calls it has no tree. */
void hooks_thread_none(void);
void hooks_thread_name(const char *name);
void hooks_thread_end(void);

/* Threads that have no tree, because their metrics cannot be read; of the first of them why. */
struct hooks_refused {
	uint64_t threads;
	const char *why;
};
struct hooks_refused hooks_refused(void);

/*
 * Virtual threads: one that begins has a tree, that of one of the same name that has ended if there
 * is one, so that trees are as many as threads at a time. Never NULL. Mounting makes it the thread
 * that runs, until it is unmounted.
 */
struct call_thread *hooks_virtual_begin(const char *name);
void hooks_virtual_end(struct call_thread *t);
void hooks_mount(struct call_thread *t);
void hooks_unmount(void);
void hooks_virtual_count(uint64_t *trees, uint64_t *lost);

/* Calls `each` for all threads there were, in the order of their begin; nobody begins or ends
 * meanwhile. */
void hooks_each(void (*each)(void *arg, const struct call_thread *t), void *arg);

#endif
