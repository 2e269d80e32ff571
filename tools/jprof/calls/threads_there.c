/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread is identified by its tid, which is in the VM's thread structure. That may be freed at
 * any time: process_vm_readv() copies it, and reports an error if it is gone.
 */
#include "threads_there.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/search.h"
#include "java_text.h"
#include "vm_image.h"

struct there {
	int32_t tid;
	char *name;
};

/* Sorted by tid. Threads that end while the list is created only see the complete list. */
static struct there *all;
static atomic_uint count;

/* The location of a thread's tid. */
struct place {
	jfieldID structure;
	size_t os_thread, tid;
};

static bool find_place(struct place *p, JNIEnv *jni)
{
	jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
	struct vm_image i;
	bool found;

	p->structure = class ? (*jni)->GetFieldID(jni, class, "eetop", "J") : NULL;
	(*jni)->DeleteLocalRef(jni, class);
	if (!p->structure) {
		(*jni)->ExceptionClear(jni);
		return false;
	}
	found = !vm_image_open(&i, (const void *)(*jni)->GetVersion) &&
		(vm_image_member(&i, "Thread", "_osthread", &p->os_thread) ||
		 vm_image_member(&i, "JavaThread", "_osthread", &p->os_thread)) &&
		vm_image_member(&i, "OSThread", "_thread_id", &p->tid);
	vm_image_close(&i);
	return found;
}

static bool copied(uintptr_t from, void *to, size_t size)
{
	struct iovec here = { to, size }, there = { (void *)from, size };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* Returns 0 if the thread has ended or not started. */
static int32_t number_of(const struct place *p, JNIEnv *jni, jthread thread)
{
	uintptr_t structure = (uintptr_t)(*jni)->GetLongField(jni, thread, p->structure), os = 0;
	int32_t tid = 0;

	if (!structure || !copied(structure + p->os_thread, &os, sizeof(os)) ||
	    !copied(os + p->tid, &tid, sizeof(tid)))
		return 0;
	return tid;
}

static int by_number(const void *a, const void *b)
{
	const struct there *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

void threads_there(jvmtiEnv *vm, JNIEnv *jni)
{
	struct there *list = NULL;
	uint32_t found = 0, room = 0;
	struct place p;
	jthread *threads;
	jint n;

	if (all || !find_place(&p, jni) || (*vm)->GetAllThreads(vm, &n, &threads))
		return;
	for (jint i = 0; i < n; i++) {
		jvmtiThreadInfo info = { 0 };
		int32_t tid = number_of(&p, jni, threads[i]);

		if (tid && !(*vm)->GetThreadInfo(vm, threads[i], &info) && info.name &&
		    !array_next(list, found, room)) {
			java_text(info.name);
			list[found++] = (struct there){ tid, strdup(info.name) };
		}
		(*vm)->Deallocate(vm, (unsigned char *)info.name);
		(*jni)->DeleteLocalRef(jni, info.thread_group);
		(*jni)->DeleteLocalRef(jni, info.context_class_loader);
		(*jni)->DeleteLocalRef(jni, threads[i]);
	}
	(*vm)->Deallocate(vm, (unsigned char *)threads);
	if (found)
		qsort(list, found, sizeof(*list), by_number);
	all = list;
	atomic_store_explicit(&count, found, memory_order_release);
}

/* Returns NULL if the thread has started later. */
static struct there *own(void)
{
	int32_t tid = gettid();
	uint32_t n = atomic_load_explicit(&count, memory_order_acquire);
	uint32_t at = search_sorted(i, 0, n, all[i].tid < tid);

	return at < n && all[at].tid == tid ? &all[at] : NULL;
}

char *threads_there_name(void)
{
	const struct there *t = own();

	return t && t->name ? strdup(t->name) : NULL;
}

void threads_there_ends(void)
{
	struct there *t = own();

	if (!t)
		return;
	free(t->name);
	t->name = NULL;
}
