/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread's tree is found by one thread-local pointer, which is never NULL: threads that have
 * none use `nobody`, so that there is no branch before the first read.
 */
#include "hooks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "class_out.h"
#include "constants.h"
#include "methods.h"
#include "probe_frames.h"
#include "vm_methods.h"
#include "metrics.h"

static struct call_thread nobody = { .metrics = 1 };
static __thread struct call_thread *self __attribute__((tls_model("initial-exec"))) = &nobody;
static __thread bool refused __attribute__((tls_model("initial-exec"))); /* it has no metrics */

static atomic_bool on;
static char *(*name_here)(void);
static uintptr_t interpreter_start, interpreter_end;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct call_thread *first, **last = &first;
static struct hooks_refused all_refused;

/* ---- threads --------------------------------------------------------------------------------- */

static void refuse(const char *why)
{
	refused = true;
	pthread_mutex_lock(&lock);
	if (!all_refused.threads++)
		all_refused.why = strdup(why);
	pthread_mutex_unlock(&lock);
}

struct hooks_refused hooks_refused(void)
{
	struct hooks_refused r;

	pthread_mutex_lock(&lock);
	r = all_refused;
	pthread_mutex_unlock(&lock);
	return r;
}

static void read_late(struct call_thread *t)
{
	if (metrics_switches)
		metrics_read_switches(&t->dispatches, &t->interrupts);
	metrics_read(t->last, t->last);
}

void hooks_thread_begin(const char *name)
{
	struct call_thread *t;
	const char *why;

	if (self != &nobody || refused)
		return;
	why = metrics_thread_begin();
	if (why) {
		refuse(why);
		return;
	}
	t = call_thread_new(metrics_count());
	if (!t)
		return;
	t->name = name ? strdup(name) : NULL;
	t->tid = gettid();
	pthread_mutex_lock(&lock);
	*last = t;
	last = &t->next_thread;
	pthread_mutex_unlock(&lock);
	self = t;
	read_late(t);
}

void hooks_thread_name(const char *name)
{
	if (self != &nobody && !self->name)
		self->name = strdup(name);
}

void hooks_thread_end(void)
{
	if (self != &nobody)
		metrics_thread_end();
	self = &nobody;
}

void hooks_each(void (*each)(void *arg, const struct call_thread *t), void *arg)
{
	pthread_mutex_lock(&lock);
	for (struct call_thread *t = first; t; t = t->next_thread)
		each(arg, t);
	pthread_mutex_unlock(&lock);
}

void hooks_set(bool to)
{
	on = to;
}

void hooks_interpreter(const void *start, size_t size)
{
	interpreter_start = (uintptr_t)start;
	interpreter_end = interpreter_start + size;
}

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * Where in Java code this native was called: it keeps a frame pointer, and so does the VM's code
 * that calls it, whose return address leads there.
 */
#define CALLER (((const uintptr_t *)*(const uintptr_t *)__builtin_frame_address(0))[1])

static bool is_interpreter(uintptr_t site)
{
	return site - interpreter_start < interpreter_end - interpreter_start;
}

static uint32_t type_of(uint32_t method, uintptr_t caller)
{
	uint32_t type = is_interpreter(caller) ? TYPE_INTERPRETED : TYPE_JITTED;

	return type + methods_get(method)->is_static;
}

/* The first event of a thread that was there before the agent. The VM may run Java code to tell its
 * name: those calls find the thread begun. */
static __attribute__((noinline)) struct call_thread *here(void)
{
	hooks_thread_begin(NULL);
	if (self != &nobody && name_here)
		self->name = name_here();
	return self;
}

/* Before anything else: the values, unless nobody is measured and they cost more than an
 * instruction. */
static inline __attribute__((always_inline)) void read_early(const struct call_thread *t,
							     uint64_t *values)
{
	if (__builtin_expect(metrics_wall_alone || t != &nobody, 1))
		metrics_read(values, t->last);
}

/* What came while the thread was within the agent is nobody's, as the agent's time is. */
static inline void count_switches(struct call_thread *t)
{
	uint64_t dispatches, interrupts;

	if (__builtin_expect(!metrics_switches, 1))
		return;
	metrics_read_switches(&dispatches, &interrupts);
	call_switched(t, dispatches, interrupts);
}

static inline bool counts(struct call_thread **t, uint64_t *values)
{
	if (__builtin_expect(*t == &nobody, 0)) {
		if (!on || refused)
			return false;
		*t = here();
		memcpy(values, (*t)->last, sizeof((*t)->last));
	}
	if (*t == &nobody || !atomic_load_explicit(&on, memory_order_relaxed))
		return false;
	count_switches(*t);
	return true;
}

#define BEGIN                         \
	uint64_t now[CALL_METRICS];   \
	struct call_thread *t = self; \
	read_early(t, now);           \
	if (counts(&t, now)) {
#define END                                     \
	}                                       \
	if (metrics_wall_alone || t != &nobody) \
		read_late(t);

static void JNICALL enter(JNIEnv *jni, jclass class, jint method)
{
	BEGIN(void) jni, (void)class;
	call_enter(t, (uint32_t)method, type_of((uint32_t)method, CALLER), now);
	END
}

static void JNICALL leave(JNIEnv *jni, jclass class, jint method)
{
	BEGIN(void) jni, (void)class;
	call_leave(t, (uint32_t)method, now);
	END
}

static void JNICALL unwind(JNIEnv *jni, jclass class, jint method)
{
	BEGIN(void) jni, (void)class;
	call_unwind(t, (uint32_t)method, now);
	END
}

static void JNICALL caught(JNIEnv *jni, jclass class, jint method)
{
	BEGIN(void) jni, (void)class;
	call_caught(t, (uint32_t)method, now);
	END
}

/* ---- the VM's probes ------------------------------------------------------------------------- */

static size_t exception_at;

void hooks_exception_at(size_t offset)
{
	exception_at = offset;
}

/* Where the VM's code called the probe, and the frame there: of compiled code its stack pointer, of
 * the interpreter its frame pointer. */
#define SITE ((uintptr_t)__builtin_return_address(0))
#define FRAME                                                                  \
	(is_interpreter(SITE) ? *(uintptr_t *)__builtin_frame_address(0) | 1 : \
				(uintptr_t)__builtin_frame_address(0) + 16)

void hooks_probe_begin(void *thread, const void *method)
{
	BEGIN(void) thread;
	uint32_t number = vm_methods_number(method);

	if (number != VM_METHOD_NONE)
		probe_enter(t, number,
			    vm_methods_native(method) ?
				    TYPE_NATIVE + (uint32_t)methods_get(number)->is_static :
				    type_of(number, SITE),
			    (struct call_place){ FRAME, SITE }, now);
	END
}

/* The VM does not tell an exception from a return; in the interpreter it shows. */
void hooks_probe_end(void *thread, const void *method)
{
	BEGIN uint32_t number = vm_methods_number(method);
	bool thrown = exception_at && is_interpreter(SITE) &&
		      *(void *const *)((char *)thread + exception_at);

	if (number != VM_METHOD_NONE)
		probe_end(t, number, thrown ? EVENT_UNWIND : EVENT_LEAVE, FRAME, now);
	END
}

/* ---- the class ------------------------------------------------------------------------------- */

static const JNINativeMethod natives[] = {
	{ (char *)"enter", (char *)"(I)V", (void *)enter },
	{ (char *)"leave", (char *)"(I)V", (void *)leave },
	{ (char *)"unwind", (char *)"(I)V", (void *)unwind },
	{ (char *)"caught", (char *)"(I)V", (void *)caught },
};
#define NATIVES (sizeof(natives) / sizeof(*natives))

/* public final class pitrace.Hook { public static native void enter(int); … } */
static struct class_out make_class(void)
{
	static const uint8_t no_constants[] = { 0, 1 };
	struct bytes b = class_bytes(no_constants, sizeof(no_constants));
	struct class_out out = { 0 };
	struct constants c;
	uint16_t class, super, descriptor, names[NATIVES];
	size_t i;

	if (constants_read(&c, &b)) {
		out.failed = true;
		return out;
	}
	class = constants_add_class(&c, HOOK_CLASS);
	super = constants_add_class(&c, "java/lang/Object");
	descriptor = constants_add_utf8(&c, "(I)V");
	for (i = 0; i < NATIVES; i++)
		names[i] = constants_add_utf8(&c, natives[i].name);
	class_out_u32(&out, 0xcafebabe);
	class_out_u32(&out, 50);
	constants_write(&c, &out);
	class_out_u16(&out, 0x0031); /* public, final, super */
	class_out_u16(&out, class);
	class_out_u16(&out, super);
	class_out_u32(&out, 0);
	class_out_u16(&out, NATIVES);
	for (i = 0; i < NATIVES; i++) {
		class_out_u16(&out, 0x0109); /* public, static, native */
		class_out_u16(&out, names[i]);
		class_out_u16(&out, descriptor);
		class_out_u16(&out, 0);
	}
	class_out_u16(&out, 0);
	constants_free(&c);
	return out;
}

const char *hooks_define(JNIEnv *jni, char *(*names)(void))
{
	struct class_out out = make_class();
	jclass class = out.failed ? NULL :
				    (*jni)->DefineClass(jni, HOOK_CLASS, NULL,
							(const jbyte *)out.data, (jsize)out.n);
	bool bound = class && !(*jni)->RegisterNatives(jni, class, natives, NATIVES);

	name_here = names;
	class_out_free(&out);
	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionDescribe(jni);
		(*jni)->ExceptionClear(jni);
	}
	return bound ? NULL : "the class of the hooks cannot be defined";
}
