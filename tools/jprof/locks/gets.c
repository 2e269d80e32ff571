/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gets.h"

#include "base/now.h"
#include "lock_hooks.h"
#include "lock_stacks.h"
#include "lock_state.h"
#include "monitors.h"

#define OWNABLE "java/util/concurrent/locks/AbstractOwnableSynchronizer"
#define LATCH   "java/util/concurrent/CountDownLatch$Sync"

static jclass ownable;       /* locks that have an owner; parking at others counts as waiting */
static jclass latch;         /* one without: for an end, also of a virtual thread */
static jfieldID holder;      /* its thread */
static jfieldID set_blocker; /* of a thread: what setCurrentBlocker has set; NULL: not known */

static void gets(JNIEnv *jni, jobject object)
{
	struct lock_thread *t = lock_state.counts ? lock_thread_here() : NULL;
	struct lock_id id;

	if (!t)
		return;
	id = monitors_id(jni, object, LOCK_MONITOR);
	lock_got(lock_record_of(id), lock_thread_enter(t, id, now_ns()));
}

static void has(void)
{
	struct lock_thread *t = lock_state.counts ? lock_thread_here() : NULL;

	if (t)
		lock_thread_entered(t, now_ns());
}

static void leaves(JNIEnv *jni, jobject object)
{
	uint64_t now = now_ns(), ns;
	struct lock_thread *t = lock_state.counts ? lock_thread_here() : NULL;
	struct lock_id id;

	if (!t || !t->held_count)
		return;
	id = monitors_id(jni, object, LOCK_MONITOR);
	if (lock_thread_leave(t, id, now, &ns))
		lock_held(lock_record_of(id), ns);
}

/* ---- java.util.concurrent -------------------------------------------------------------------- */

static void look(JNIEnv *jni, jobject blocker, struct lock_record *r)
{
	char waiter[LOCK_FRAMES], owner[LOCK_FRAMES] = "";
	jobject thread = (*jni)->GetObjectField(jni, blocker, holder);

	lock_stack_of(lock_state.vm, jni, NULL, 1, waiter); /* without the hook */
	if (thread)
		lock_stack_of(lock_state.vm, jni, thread, 0, owner);
	(*jni)->DeleteLocalRef(jni, thread);
	pthread_mutex_lock(&lock_state.lock);
	lock_add_stack(r, waiter, owner);
	pthread_mutex_unlock(&lock_state.lock);
}

static void parks_at(struct lock_thread *t, JNIEnv *jni, jobject blocker)
{
	bool owned = (*jni)->IsInstanceOf(jni, blocker, ownable) &&
		     !(latch && (*jni)->IsInstanceOf(jni, blocker, latch)),
	     wanted;
	struct lock_record *r;

	t->parks = now_ns();
	t->parks_at = monitors_id(jni, blocker, LOCK_PARKS).number;
	t->parks_owned = owned;
	if (!owned)
		return;
	r = lock_table_get(&lock_state.table, t->parks_at);
	pthread_mutex_lock(&lock_state.lock);
	wanted = lock_wants_stack(r);
	pthread_mutex_unlock(&lock_state.lock);
	if (wanted)
		look(jni, blocker, r);
}

/* Conditions and queues set the blocker first, and then park without an argument. */
static void parks(JNIEnv *jni, jobject blocker)
{
	struct lock_thread *t = lock_state.counts ? lock_thread_here() : NULL;
	jthread thread = NULL;

	if (!t)
		return;
	t->parks = 0;
	if (blocker) {
		parks_at(t, jni, blocker);
		return;
	}
	if (!set_blocker || (*lock_state.vm)->GetCurrentThread(lock_state.vm, &thread) || !thread)
		return;
	blocker = (*jni)->GetObjectField(jni, thread, set_blocker);
	(*jni)->DeleteLocalRef(jni, thread);
	if (blocker)
		parks_at(t, jni, blocker);
	(*jni)->DeleteLocalRef(jni, blocker);
}

static void parked(void)
{
	struct lock_thread *t = lock_state.counts ? lock_thread_here() : NULL;
	struct lock_record *r;
	uint64_t ns;

	if (!t || !t->parks)
		return;
	ns = now_ns() - t->parks;
	t->parks = 0;
	r = lock_table_get(&lock_state.table, t->parks_at);
	pthread_mutex_lock(&lock_state.lock);
	if (t->parks_owned)
		lock_blocked(r, ns);
	else
		lock_waited(r, ns);
	pthread_mutex_unlock(&lock_state.lock);
}

static void know_set_blocker(JNIEnv *jni)
{
	jclass class = set_blocker ? NULL : (*jni)->FindClass(jni, "java/lang/Thread");

	if (class)
		set_blocker = (*jni)->GetFieldID(jni, class, "parkBlocker", "Ljava/lang/Object;");
	(*jni)->DeleteLocalRef(jni, class);
	(*jni)->ExceptionClear(jni);
}

static void know_latch(JNIEnv *jni)
{
	jclass class = latch ? NULL : (*jni)->FindClass(jni, LATCH);

	if (class)
		latch = (*jni)->NewGlobalRef(jni, class);
	(*jni)->DeleteLocalRef(jni, class);
	(*jni)->ExceptionClear(jni);
}

static bool know_ownable(JNIEnv *jni)
{
	jclass class = ownable ? NULL : (*jni)->FindClass(jni, OWNABLE);

	if (class) {
		holder = (*jni)->GetFieldID(jni, class, "exclusiveOwnerThread",
					    "Ljava/lang/Thread;");
		ownable = holder ? (*jni)->NewGlobalRef(jni, class) : NULL;
		(*jni)->DeleteLocalRef(jni, class);
	}
	(*jni)->ExceptionClear(jni);
	return ownable;
}

const char *gets_begin(jvmtiEnv *vm, JNIEnv *jni)
{
	static const struct lock_hook_calls calls = {
		.enter = gets,
		.entered = has,
		.leave = leaves,
		.park = parks,
		.parked = parked,
	};

	if (!know_ownable(jni))
		return "this Java VM has other locks of java.util.concurrent";
	know_set_blocker(jni);
	know_latch(jni);
	return lock_hooks_on(vm, jni, &calls);
}

void gets_end(jvmtiEnv *vm, JNIEnv *jni)
{
	lock_hooks_off(vm, jni);
}
