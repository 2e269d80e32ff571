/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hooks: natives of class pitrace/Hook, called by rewritten code on the current thread; and the
 * functions called by the VM's probes. Each reads the metrics first and last, to exclude its own
 * work.
 */
#ifndef HOOKS_H
#define HOOKS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "call_thread.h"
#include "method_filter.h"

#define HOOK_CLASS "pitrace/Hook"

/* Defines the class and its natives in the VM. Returns NULL or an error message. Threads that
 * started earlier are recognized at their first event. */
const char *hooks_define(JNIEnv *jni);

/* Call first: whether values are read, or calls only counted. */
void hooks_values(bool read);
/* Returns the current thread's name, from malloc; NULL: unknown. Must not call the VM, which does
 * not allow it in a probe. */
typedef char *hooks_name(void);
/* Selects threads by their names; `names` provides those of threads that have already started. Call
 * before all others. */
void hooks_threads(const struct method_filter *f, hooks_name *names);

/* Call before hooks_set(): threads also write their events into rings. */
void hooks_trace(void);
/* Starts or stops recording events. After a restart, the stacks of all threads are unknown. */
void hooks_set(bool on);
/* Empties all trees. */
void hooks_empty(void);
/* Sets the range of the interpreter's code: methods entered from there are interpreted. */
void hooks_interpreter(const void *start, size_t size);

/* The functions for the VM's probes (probes.h), which call no functions of the VM. exception_at:
 * the offset of the pending exception in the VM's thread, which ends an interpreted method; 0:
 * unknown. */
typedef void hooks_probe(void *thread, const void *method);
struct hooks_probes {
	hooks_probe *begin, *end;
} hooks_probes(size_t exception_at);

/* The operations of joined_calls.h. */
void hooks_function_enter(uint32_t number, uintptr_t sp, bool anew);
void hooks_function_leave(uint32_t number, uintptr_t sp);
void hooks_function_popped(uintptr_t sp, bool by_exception);

/* For the current thread: when it starts; to exclude it; to name it, if it has none; at its end. */
void hooks_thread_begin(const char *name);
void hooks_thread_none(void);
void hooks_thread_name(const char *name);
void hooks_thread_end(void);

/* The number of threads without a tree because their metrics cannot be read, and the first
 * reason. */
struct hooks_refused {
	uint64_t threads;
	const char *why;
};
struct hooks_refused hooks_refused(void);

/*
 * Virtual threads: a new one reuses the tree of an ended one with the same name, so that there are
 * no more trees than threads at a time. Never returns NULL. Mounting makes it the current thread
 * until it is unmounted.
 */
struct call_thread *hooks_virtual_begin(const char *name);
void hooks_virtual_end(struct call_thread *t);
void hooks_mount(struct call_thread *t);
void hooks_unmount(void);
void hooks_virtual_count(uint64_t *trees, uint64_t *lost);

/* Calls `each` for all threads so far, in the order of their start; no thread starts or ends
 * meanwhile. */
void hooks_each(void (*each)(void *arg, const struct call_thread *t), void *arg);

#endif
