/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "call_hooks.h"

#include <string.h>

#include "function_frames.h"
#include "method_id.h"
#include "native_class.h"
#include "probe_frames.h"
#include "thread_trees.h"
#include "vm_methods.h"

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * The Java code that called this native: the native keeps a frame pointer, and so does its caller,
 * the VM's code, whose return address is in the Java code.
 */
#define CALLER (((const uintptr_t *)*(const uintptr_t *)__builtin_frame_address(0))[1])

static uintptr_t interpreter_start, interpreter_size;

void hooks_interpreter(const void *start, size_t size)
{
	interpreter_start = (uintptr_t)start;
	interpreter_size = size;
}

static bool is_interpreter(uintptr_t site)
{
	return site - interpreter_start < interpreter_size;
}

/* Returns the current thread's tree if the event is recorded; then `values` is set. */
static struct call_thread *tree(enum hooks_reading r, uint64_t *values)
{
	struct call_thread *t = hook_self;
	uint64_t dispatches, interrupts;

	if (t == &hook_nobody) {
		t = hooks_on ? hook_thread_here() : NULL;
		if (!t)
			return NULL;
		memcpy(values, t->last, sizeof(t->last));
	}
	if (!t->nodes || !atomic_load_explicit(&hooks_on, memory_order_relaxed))
		return NULL;
	if (__builtin_expect(__atomic_load_n(&t->stale, __ATOMIC_RELAXED), 0))
		hook_thread_freshen(t, values);
	/* Dispatches and interrupts within the agent are not counted, like the agent's time. */
	if (reads_ptt(r) && metrics_switches) {
		metrics_read_switches(&dispatches, &interrupts);
		call_switched(t, dispatches, interrupts);
	}
	return t;
}

/* The values that an event has read: none, only cycles, or all metrics. */
struct reads {
	enum hooks_reading what;
	uint64_t now, *all;
};

/* The address to which a probe returns in the VM's code, and the frame there: the stack pointer of
 * compiled code, or the frame pointer of the interpreter with bit 0 set. */
#define SITE ((uintptr_t)__builtin_return_address(0))
#define PLACE                                                                        \
	((struct call_place){ is_interpreter(SITE) ?                                 \
				      *(uintptr_t *)__builtin_frame_address(0) | 1 : \
				      (uintptr_t)__builtin_frame_address(0) + 16,    \
			      SITE })

static size_t thrown_at;

/* The VM reports exceptions as returns; in the interpreter, the thread's exception distinguishes
 * them. */
static inline enum call_event probe_went(const void *thread, uintptr_t frame)
{
	bool thrown = frame & 1 && thrown_at && *(void *const *)((const char *)thread + thrown_at);

	return thrown ? EVENT_UNWIND : EVENT_LEAVE;
}

/* The tree, or NULL if the event is not recorded, and the values to charge. */
struct hooks_seen {
	struct call_thread *tree;
	const uint64_t *values;
};

static struct hooks_seen see(struct reads r, uint64_t room[CALL_METRICS])
{
	uint64_t *values = r.all ? r.all : room;

	room[0] = r.now;
	return (struct hooks_seen){ tree(r.what, values), r.what == READ_NOTHING ? NULL : values };
}

/* The slow paths of events. */
#define SLOW static __attribute__((noinline)) void

SLOW enter(uint32_t method, uint32_t type, struct reads r)
{
	uint64_t room[CALL_METRICS];
	struct hooks_seen s = see(r, room);

	if (s.tree)
		call_enter(s.tree, method, type, s.values);
}

SLOW end(uint32_t method, enum call_event went, struct reads r)
{
	uint64_t room[CALL_METRICS];
	struct hooks_seen s = see(r, room);

	if (!s.tree)
		return;
	if (went == EVENT_LEAVE)
		call_leave(s.tree, method, s.values);
	else if (went == EVENT_UNWIND)
		call_unwind(s.tree, method, s.values);
	else
		call_caught(s.tree, method, s.values);
}

/* Probes also report methods that are not measured: their time is charged to the caller. */
SLOW probe_begin(const void *method, struct call_place at, struct reads r)
{
	uint64_t room[CALL_METRICS];
	struct hooks_seen s = see(r, room);
	uint32_t id = s.tree ? vm_methods_id(method) : VM_METHOD_NONE;

	if (id != VM_METHOD_NONE)
		probe_enter(s.tree, method, method_number(id), method_type(id, at.frame & 1), at,
			    s.values);
	else if (s.tree)
		call_nothing(s.tree, s.values);
}

SLOW probe_ends(const void *method, enum call_event went, uintptr_t frame, struct reads r)
{
	uint64_t room[CALL_METRICS];
	struct hooks_seen s = see(r, room);
	uint32_t id = s.tree ? vm_methods_id(method) : VM_METHOD_NONE;

	if (id != VM_METHOD_NONE)
		probe_end(s.tree, method_number(id), went, frame, s.values);
	else if (s.tree)
		call_nothing(s.tree, s.values);
}

/* The work of an event between its reads: a separate function, so that the surrounding code saves
 * no registers. site: the address in Java code. */
#define WORK static __attribute__((noinline)) void

#define READS(r) ((struct reads){ r, now, all })
#define ONE(r)   (r == READ_CYCLES || r == READ_OWN)
#define OWN(r)   (r == READ_OWN || r == READ_BOTH)
#define MANY(r)  (r == READ_BOTH || r == READ_METRICS)
#define AGAIN(r)                                                  \
	(__atomic_load_n(&hook_self->plain, __ATOMIC_RELAXED) &&  \
	 (!(OWN(r) || (r == READ_METRICS && metrics_switches)) || \
	  !metrics_switched(hook_self->dispatches, hook_self->interrupts)))
/* The number of metrics, constant if it is 0 to 2. */
#define METRICS(r) (r == READ_METRICS ? hook_self->metrics : r == READ_BOTH ? 2 : ONE(r) ? 1 : 0)
#define CHARGES(r) ((struct call_reads){ METRICS(r), MANY(r) ? all : &now })

#define EVENT_WORK(r)                                                                         \
	WORK r##_enter(uint32_t id, uintptr_t site, uint64_t now, uint64_t *all)              \
	{                                                                                     \
		uint32_t type = method_type(id, is_interpreter(site));                        \
                                                                                              \
		if (!AGAIN(r) ||                                                              \
		    !call_enter_again(hook_self, method_number(id), type, CHARGES(r)))        \
			enter(method_number(id), type, READS(r));                             \
	}                                                                                     \
	WORK r##_leave(uint32_t id, uint64_t now, uint64_t *all)                              \
	{                                                                                     \
		if (!AGAIN(r) || !call_leave_again(hook_self, method_number(id), CHARGES(r))) \
			end(method_number(id), EVENT_LEAVE, READS(r));                        \
	}                                                                                     \
	WORK r##_probe_begin(const void *method, struct call_place at, uint64_t now,          \
			     uint64_t *all)                                                   \
	{                                                                                     \
		uint32_t id = AGAIN(r) ? vm_methods_id(method) : VM_METHOD_NONE;              \
                                                                                              \
		if (id == VM_METHOD_NONE ||                                                   \
		    !probe_enter_again(hook_self, method, method_number(id),                  \
				       method_type(id, at.frame & 1), at, CHARGES(r)))        \
			probe_begin(method, at, READS(r));                                    \
	}                                                                                     \
	WORK r##_probe_end(const void *thread, const void *method, struct call_place at,      \
			   uint64_t now, uint64_t *all)                                       \
	{                                                                                     \
		enum call_event went = probe_went(thread, at.frame);                          \
                                                                                              \
		if (went != EVENT_LEAVE || !AGAIN(r) ||                                       \
		    !probe_leave_again(hook_self, method, at.frame, CHARGES(r)))              \
			probe_ends(method, went, at.frame, READS(r));                         \
	}

EVENT_WORK(READ_NOTHING)
EVENT_WORK(READ_CYCLES)
EVENT_WORK(READ_OWN)
EVENT_WORK(READ_BOTH)
EVENT_WORK(READ_METRICS)

static inline __attribute__((always_inline)) void read_page(enum hooks_reading r, uint64_t *values)
{
	if (r == READ_BOTH)
		metrics_read_both(values, PttOwn.cycles);
	else
		(void)PttReadInline(values);
}

static inline __attribute__((always_inline)) void read_early_own(enum hooks_reading r,
								 uint64_t *values)
{
	values[0] = 0;
	if (__builtin_expect(PttOwn.cycles != NULL, 1))
		read_page(r, values);
	else if (hook_self->nodes)
		metrics_read_all_early(values, hook_self->last);
}

static inline __attribute__((always_inline)) void read_late_own(enum hooks_reading r,
								struct call_thread *t)
{
	t->dispatches = PttOwn.cycles->dispatches;
	t->interrupts = PttOwn.cycles->interrupts;
	read_page(r, t->last);
}

/* The first and the last operation of an event. */
static inline __attribute__((always_inline)) void early(enum hooks_reading r, uint64_t *values)
{
	if (r == READ_CYCLES)
		values[0] = GetCycles();
	else if (OWN(r))
		read_early_own(r, values);
	/* Without a tree, skips the read, which may cost more than an instruction. */
	else if (r == READ_METRICS && hook_self->nodes)
		metrics_read_all_early(values, hook_self->last);
}

static inline __attribute__((always_inline)) void late(enum hooks_reading r)
{
	if (r == READ_CYCLES)
		hook_self->last[0] = GetCycles();
	else if (OWN(r) && PttOwn.cycles)
		read_late_own(r, hook_self);
	else if (reads_ptt(r) && hook_self->nodes)
		hook_read_late(hook_self);
}

/* Without a stack canary, whose check would come after the last read. */
#define BARE static __attribute__((no_stack_protector)) void

#define NOW(r) ONE(r) ? now[0] : 0, MANY(r) ? now : NULL
#define MEASURED(r, work)                   \
	{                                   \
		uint64_t now[CALL_METRICS]; \
		early(r, now);              \
		work;                       \
		late(r);                    \
	}
/* Two forms of each hook: called as a native, and as a plain function (native_way.h), in which case
 * the thread is still running Java code for the VM. */
#define AS_NATIVE(r, name, work)                                    \
	BARE JNICALL r##_##name(JNIEnv *jni, jclass class, jint id) \
		MEASURED(r, ((void)jni, (void)class, work))
#define AS_OWN(r, name, work) BARE JNICALL r##_own_##name(jint id) MEASURED(r, work)
#define ENDED(as, r, name, went) \
	as(r, name, end(method_number((uint32_t)id), went, (struct reads){ r, NOW(r) }))
#define NATIVES_AS(as, r)                                                                          \
	as(r, begins, r##_enter((uint32_t)id, CALLER, NOW(r)))                                     \
		as(r, leaves, r##_leave((uint32_t)id, NOW(r))) ENDED(as, r, unwinds, EVENT_UNWIND) \
			ENDED(as, r, catches, EVENT_CAUGHT)
#define EVENTS_BY(r)                                                                \
	NATIVES_AS(AS_NATIVE, r)                                                    \
	NATIVES_AS(AS_OWN, r)                                                       \
	BARE r##_probes_begin(void *thread, const void *method)                     \
		MEASURED(r, ((void)thread, r##_probe_begin(method, PLACE, NOW(r)))) \
			BARE r##_probes_end(void *thread, const void *method)       \
				MEASURED(r, r##_probe_end(thread, method, PLACE, NOW(r)))

EVENTS_BY(READ_NOTHING)
EVENTS_BY(READ_CYCLES)
EVENTS_BY(READ_OWN)
EVENTS_BY(READ_BOTH)
EVENTS_BY(READ_METRICS)

struct hooks_probes hooks_probes(size_t exception_at)
{
	static const struct hooks_probes all[READINGS] = {
		{ READ_NOTHING_probes_begin, READ_NOTHING_probes_end },
		{ READ_CYCLES_probes_begin, READ_CYCLES_probes_end },
		{ READ_OWN_probes_begin, READ_OWN_probes_end },
		{ READ_BOTH_probes_begin, READ_BOTH_probes_end },
		{ READ_METRICS_probes_begin, READ_METRICS_probes_end },
	};

	thrown_at = exception_at;
	return all[hooks_reading];
}

/* ---- functions of compiled code -------------------------------------------------------------- */

/* Threads without a tree get one by their first Java event. */
static struct hooks_seen see_function(uint64_t *values)
{
	if (!hook_self->nodes)
		return (struct hooks_seen){ 0 };
	if (hooks_reading != READ_NOTHING)
		metrics_read(values, hook_self->last);
	return (struct hooks_seen){ tree(hooks_reading, values),
				    hooks_reading == READ_NOTHING ? NULL : values };
}

static void function_noted(void)
{
	if (hooks_reading != READ_NOTHING && hook_self->nodes)
		hook_read_late(hook_self);
}

__attribute__((no_stack_protector)) void hooks_function_enter(uint32_t number, uintptr_t sp,
							      bool anew)
{
	uint64_t values[CALL_METRICS];
	struct hooks_seen s = see_function(values);

	if (s.tree)
		function_enter(s.tree, number, sp, anew, s.values);
	function_noted();
}

__attribute__((no_stack_protector)) void hooks_function_leave(uint32_t number, uintptr_t sp)
{
	uint64_t values[CALL_METRICS];
	struct hooks_seen s = see_function(values);

	if (s.tree)
		function_end(s.tree, number, sp, s.values);
	function_noted();
}

void hooks_function_popped(uintptr_t sp, bool by_exception)
{
	uint64_t values[CALL_METRICS];
	struct hooks_seen s = see_function(values);

	if (s.tree)
		function_popped(s.tree, sp, by_exception, s.values);
	function_noted();
}

/* ---- the class ------------------------------------------------------------------------------- */

#define NATIVES 4
typedef JNICALL void own_native(jint id);
#define EVENT(name, r, function)                                                               \
	{                                                                                      \
		{ (char *)(name), (char *)"(I)V", (void *)r##_##function }, r##_own_##function \
	}
#define NATIVES_BY(r)                                                                              \
	{                                                                                          \
		EVENT("enter", r, begins), EVENT("leave", r, leaves), EVENT("unwind", r, unwinds), \
			EVENT("caught", r, catches)                                                \
	}
static const struct {
	JNINativeMethod native;
	own_native *own;
} events[READINGS][NATIVES] = {
	NATIVES_BY(READ_NOTHING), NATIVES_BY(READ_CYCLES),  NATIVES_BY(READ_OWN),
	NATIVES_BY(READ_BOTH),    NATIVES_BY(READ_METRICS),
};

/* The VM looks up these names. */
static own_native *own[NATIVES];
#define OWN_NATIVE(name, i)                                                                 \
	__attribute__((visibility("default"))) own_native JavaCritical_pitrace_Hook_##name; \
	void JNICALL JavaCritical_pitrace_Hook_##name(jint id)                              \
	{                                                                                   \
		own[i](id);                                                                 \
	}
OWN_NATIVE(enter, 0)
OWN_NATIVE(leave, 1)
OWN_NATIVE(unwind, 2)
OWN_NATIVE(caught, 3)

/* public final class pitrace.Hook { public static native void enter(int); … } */
static struct class_out make_class(void)
{
	struct native_method methods[NATIVES];

	for (uint16_t i = 0; i < NATIVES; i++)
		methods[i] = (struct native_method){ events[hooks_reading][i].native.name, "(I)V" };
	return native_class(HOOK_CLASS, methods, NATIVES);
}

const char *hooks_define(JNIEnv *jni)
{
	JNINativeMethod natives[NATIVES];
	struct class_out out = make_class();
	jclass class = out.failed ? NULL :
				    (*jni)->DefineClass(jni, HOOK_CLASS, NULL,
							(const jbyte *)out.data, (jsize)out.n);
	bool bound;

	for (uint16_t i = 0; i < NATIVES; i++) {
		natives[i] = events[hooks_reading][i].native;
		own[i] = events[hooks_reading][i].own;
	}
	bound = class && !(*jni)->RegisterNatives(jni, class, natives, NATIVES);
	class_out_free(&out);
	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionDescribe(jni);
		(*jni)->ExceptionClear(jni);
	}
	return bound ? NULL : "the class of the hooks cannot be defined";
}
