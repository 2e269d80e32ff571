/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread's tree is found by one thread-local pointer, which is never NULL: threads that have
 * none use `nobody`, those that shall have none `left_out`, so that there is no branch before the
 * first read.
 */
#include "hooks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call_ended.h"
#include "function_frames.h"
#include "method_id.h"
#include "metrics.h"
#include "native_class.h"
#include "probe_frames.h"
#include "vm_methods.h"

/* Nobody reads what the events write there: it has room for it. */
static struct call_thread nobody = { .metrics = 1 }, left_out = { .metrics = 1 };
static __thread struct call_thread *self __attribute__((tls_model("initial-exec"))) = &nobody;
static __thread bool refused __attribute__((tls_model("initial-exec"))); /* it has no metrics */

/* Of a carrier, while a virtual thread runs on it; NULL. */
static __thread struct call_thread *carrier __attribute__((tls_model("initial-exec")));

static atomic_bool on, tracing;
static char *(*name_here)(void); /* NULL: nobody may ask for it */
static const struct method_filter *names_wanted;
static uintptr_t interpreter_start, interpreter_size;

/* What an event reads: the way to the first read and from the last one is short, and the same each
 * time. */
enum hooks_reading { READ_NOTHING, READ_CYCLES, READ_OWN, READ_BOTH, READ_METRICS, READINGS };
static enum hooks_reading reading = READ_CYCLES;

/* PTT knows its threads. */
static bool reads_ptt(enum hooks_reading r)
{
	return r >= READ_OWN;
}

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

void hooks_values(bool read)
{
	reading = !read              ? READ_NOTHING :
		  metrics_wall_alone ? READ_CYCLES :
		  metrics_own_alone  ? READ_OWN :
		  metrics_both       ? READ_BOTH :
				       READ_METRICS;
}

static void read_late(struct call_thread *t)
{
	if (metrics_switches)
		metrics_read_switches(&t->dispatches, &t->interrupts);
	metrics_read(t->last, t->last);
}

void hooks_threads(const struct method_filter *f)
{
	names_wanted = f;
}

/* With the lock held, as those that change what it is by. */
static void set_plain(struct call_thread *t)
{
	__atomic_store_n(&t->plain, on && !t->ring && !t->stale, __ATOMIC_RELAXED);
}

/* With the lock held. */
static void add_thread(struct call_thread *t)
{
	t->ring = tracing ? call_ring_new(t->metrics) : NULL;
	set_plain(t);
	t->place_of = last;
	*last = t;
	last = &t->next_thread;
}

static bool thread_counts(const char *name)
{
	return !names_wanted || filter_takes(names_wanted, name);
}

void hooks_thread_begin(const char *name)
{
	struct call_thread *t;
	const char *why;

	if (self != &nobody || refused)
		return;
	if (name && !thread_counts(name)) {
		self = &left_out;
		return;
	}
	why = reads_ptt(reading) ? metrics_thread_begin() : NULL;
	if (why) {
		refuse(why);
		return;
	}
	t = call_thread_new(metrics_count());
	if (!t) {
		if (reads_ptt(reading))
			metrics_thread_end();
		refuse("no memory");
		return;
	}
	t->name = name ? strdup(name) : NULL;
	t->tid = gettid();
	pthread_mutex_lock(&lock);
	add_thread(t);
	pthread_mutex_unlock(&lock);
	self = t;
	read_late(t);
}

void hooks_thread_none(void)
{
	self = &left_out;
}

void hooks_thread_name(const char *name)
{
	if (self->nodes && !self->name && name)
		self->name = strdup(name);
}

/* With the lock held: the list goes on with another one in its place, or with the next one. */
static void replace(struct call_thread *t, struct call_thread *to)
{
	struct call_thread *next = t->next_thread, **end = to ? &to->next_thread : t->place_of;

	*t->place_of = to ? to : next;
	if (to) {
		to->place_of = t->place_of;
		to->next_thread = next;
	}
	if (next)
		next->place_of = end;
	else
		last = end;
}

/* The first that ends keeps what all others have learnt. */
static struct call_thread *learnt;

static bool keeps_learnt(struct call_thread *t)
{
	bool keeps;

	pthread_mutex_lock(&lock);
	if (!learnt)
		learnt = t;
	keeps = learnt == t;
	pthread_mutex_unlock(&lock);
	return keeps;
}

/* Its tree is kept, in less memory. */
static void keep_ended(struct call_thread *t)
{
	struct call_thread *to = keeps_learnt(t) ? NULL : call_ended(t);

	if (!to)
		return;
	pthread_mutex_lock(&lock);
	call_learn(learnt, t);
	replace(t, to);
	pthread_mutex_unlock(&lock);
	call_thread_free(t);
}

void hooks_thread_end(void)
{
	struct call_thread *t = self;

	if (t->nodes && reads_ptt(reading))
		metrics_thread_end();
	if (t->ring)
		atomic_store_explicit(&t->ring->ended, true, memory_order_release);
	self = &nobody;
	if (t->nodes)
		keep_ended(t);
}

void hooks_each(void (*each)(void *arg, const struct call_thread *t), void *arg)
{
	pthread_mutex_lock(&lock);
	for (struct call_thread *t = first; t; t = t->next_thread)
		if (!__atomic_load_n(&t->emptied, __ATOMIC_RELAXED))
			each(arg, t);
	pthread_mutex_unlock(&lock);
}

void hooks_set(bool to)
{
	static bool stopped; /* it was on before */

	pthread_mutex_lock(&lock);
	for (struct call_thread *t = first; t; t = t->next_thread) {
		if (to && stopped && !on)
			__atomic_store_n(&t->stale, true, __ATOMIC_RELAXED);
		if (!to)
			call_settle(t);
	}
	stopped |= on && !to;
	on = to;
	for (struct call_thread *t = first; t; t = t->next_thread)
		set_plain(t);
	pthread_mutex_unlock(&lock);
}

void hooks_empty(void)
{
	pthread_mutex_lock(&lock);
	for (struct call_thread *t = first, *next; t; t = next) {
		next = t->next_thread;
		if (t == learnt) {
			call_empty(t);
		} else if (!t->memory && (!t->ring || t->ring->emptied)) {
			replace(t, NULL);
			call_thread_free(t);
		} else {
			__atomic_store_n(&t->emptied, true, __ATOMIC_RELAXED);
			__atomic_store_n(&t->stale, true, __ATOMIC_RELAXED);
			set_plain(t);
		}
	}
	pthread_mutex_unlock(&lock);
}

/* Only the thread itself writes its tree: it does what it was asked for before its next event,
 * which is as if it had begun now. */
static __attribute__((noinline)) void freshen(struct call_thread *t, uint64_t *values)
{
	pthread_mutex_lock(&lock);
	call_forget(t, 0);
	if (t->emptied)
		call_empty(t);
	t->stale = t->emptied = false;
	set_plain(t);
	pthread_mutex_unlock(&lock);
	read_late(t);
	memcpy(values, t->last, sizeof(t->last));
}

void hooks_trace(void)
{
	pthread_mutex_lock(&lock);
	tracing = true;
	for (struct call_thread *t = first; t; t = t->next_thread) {
		t->ring = call_ring_new(t->metrics);
		set_plain(t);
	}
	pthread_mutex_unlock(&lock);
}

void hooks_interpreter(const void *start, size_t size)
{
	interpreter_start = (uintptr_t)start;
	interpreter_size = size;
}

/* ---- virtual threads ------------------------------------------------------------------------- */

#define VIRTUAL_TREES 4096 /* from here on a tree takes threads of any name */
#define VIRTUAL_NAME  "virtual threads"

static struct call_thread *resting; /* their threads have ended */
static uint64_t virtual_trees, virtual_lost;

/* With the lock held. */
static struct call_thread *take_resting(const char *name)
{
	struct call_thread **at = &resting, *t;

	while (*at && virtual_trees < VIRTUAL_TREES && strcmp((*at)->name, name))
		at = &(*at)->next_resting;
	t = *at;
	if (!t)
		return NULL;
	*at = t->next_resting;
	if (strcmp(t->name, name) && strcmp(t->name, VIRTUAL_NAME)) {
		free(t->name);
		t->name = strdup(VIRTUAL_NAME);
	}
	return t;
}

struct call_thread *hooks_virtual_begin(const char *name)
{
	struct call_thread *t;

	if (name && !thread_counts(name))
		return &left_out;
	if (!name || !*name)
		name = VIRTUAL_NAME;
	pthread_mutex_lock(&lock);
	t = take_resting(name);
	if (!t)
		t = call_thread_new(metrics_count());
	else
		name = NULL;
	if (t && name) {
		t->name = strdup(name);
		add_thread(t);
		virtual_trees++;
	}
	virtual_lost += !t;
	pthread_mutex_unlock(&lock);
	return t ? t : &left_out;
}

void hooks_virtual_end(struct call_thread *t)
{
	if (!t->nodes)
		return;
	pthread_mutex_lock(&lock);
	call_end_all(t);
	/* Without a name nobody finds it again. */
	if (t->name) {
		t->next_resting = resting;
		resting = t;
	}
	pthread_mutex_unlock(&lock);
}

void hooks_mount(struct call_thread *t)
{
	if (!carrier)
		carrier = self;
	self = t;
	if (t->nodes)
		read_late(t);
}

void hooks_unmount(void)
{
	if (!carrier)
		return;
	self = carrier;
	carrier = NULL;
	if (self->nodes)
		read_late(self);
}

void hooks_virtual_count(uint64_t *trees, uint64_t *lost)
{
	*trees = virtual_trees;
	*lost = virtual_lost;
}

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * Where in Java code this native was called: it keeps a frame pointer, and so does the VM's code
 * that calls it, whose return address leads there.
 */
#define CALLER (((const uintptr_t *)*(const uintptr_t *)__builtin_frame_address(0))[1])

static bool is_interpreter(uintptr_t site)
{
	return site - interpreter_start < interpreter_size;
}

static void forget(struct call_thread *t)
{
	pthread_mutex_lock(&lock);
	replace(t, NULL);
	pthread_mutex_unlock(&lock);
	call_thread_free(t);
}

/* The first event of a thread that was there before the agent. The VM may run Java code to tell its
 * name: those calls find the thread begun. */
static __attribute__((noinline)) struct call_thread *here(void)
{
	char *name;

	hooks_thread_begin(NULL);
	if (!self->nodes || !name_here)
		return self;
	name = name_here();
	if (name && !thread_counts(name)) {
		forget(self);
		self = &left_out;
		free(name);
	} else {
		self->name = name;
	}
	return self;
}

/* The tree of the thread that runs, if the event counts: with `values` set then. */
static struct call_thread *tree(enum hooks_reading r, uint64_t *values)
{
	struct call_thread *t = self;
	uint64_t dispatches, interrupts;

	if (t == &nobody) {
		if (!on || refused)
			return NULL;
		t = here();
		memcpy(values, t->last, sizeof(t->last));
	}
	if (!t->nodes || !atomic_load_explicit(&on, memory_order_relaxed))
		return NULL;
	if (__builtin_expect(__atomic_load_n(&t->stale, __ATOMIC_RELAXED), 0))
		freshen(t, values);
	/* What came while the thread was within the agent is nobody's, as the agent's time is. */
	if (reads_ptt(r) && metrics_switches) {
		metrics_read_switches(&dispatches, &interrupts);
		call_switched(t, dispatches, interrupts);
	}
	return t;
}

/* What an event has read, if anything: the cycles alone, or all metrics. */
struct reads {
	enum hooks_reading what;
	uint64_t now, *all;
};

/* Where the VM's code called a probe, and the frame there: of compiled code its stack pointer, of
 * the interpreter its frame pointer. */
#define SITE ((uintptr_t)__builtin_return_address(0))
#define PLACE                                                                        \
	((struct call_place){ is_interpreter(SITE) ?                                 \
				      *(uintptr_t *)__builtin_frame_address(0) | 1 : \
				      (uintptr_t)__builtin_frame_address(0) + 16,    \
			      SITE })

static size_t thrown_at;

/* The VM does not tell an exception from a return; in the interpreter it shows. */
static inline enum call_event probe_went(const void *thread, uintptr_t frame)
{
	bool thrown = frame & 1 && thrown_at && *(void *const *)((const char *)thread + thrown_at);

	return thrown ? EVENT_UNWIND : EVENT_LEAVE;
}

/* Of any event the tree, if it counts, and the values to charge. */
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

/* Any event, out of the way of those that are nearly all. */
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

/* The probes tell of methods that are not measured, too: these are their callers' time. */
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

/* What an event does between its reads: by itself, so that what surrounds it saves no registers.
 * site: where in Java code it is. */
#define WORK static __attribute__((noinline)) void

#define READS(r) ((struct reads){ r, now, all })
#define ONE(r)   (r == READ_CYCLES || r == READ_OWN)
#define OWN(r)   (r == READ_OWN || r == READ_BOTH)
#define MANY(r)  (r == READ_BOTH || r == READ_METRICS)
#define AGAIN(r)                                                  \
	(__atomic_load_n(&self->plain, __ATOMIC_RELAXED) &&       \
	 (!(OWN(r) || (r == READ_METRICS && metrics_switches)) || \
	  !metrics_switched(self->dispatches, self->interrupts)))
/* How many is known where they are few. */
#define METRICS(r) (r == READ_METRICS ? self->metrics : r == READ_BOTH ? 2 : ONE(r) ? 1 : 0)
#define CHARGES(r) ((struct call_reads){ METRICS(r), MANY(r) ? all : &now })

#define EVENT_WORK(r)                                                                          \
	WORK r##_enter(uint32_t id, uintptr_t site, uint64_t now, uint64_t *all)               \
	{                                                                                      \
		uint32_t type = method_type(id, is_interpreter(site));                         \
                                                                                               \
		if (!AGAIN(r) || !call_enter_again(self, method_number(id), type, CHARGES(r))) \
			enter(method_number(id), type, READS(r));                              \
	}                                                                                      \
	WORK r##_leave(uint32_t id, uint64_t now, uint64_t *all)                               \
	{                                                                                      \
		if (!AGAIN(r) || !call_leave_again(self, method_number(id), CHARGES(r)))       \
			end(method_number(id), EVENT_LEAVE, READS(r));                         \
	}                                                                                      \
	WORK r##_probe_begin(const void *method, struct call_place at, uint64_t now,           \
			     uint64_t *all)                                                    \
	{                                                                                      \
		uint32_t id = AGAIN(r) ? vm_methods_id(method) : VM_METHOD_NONE;               \
                                                                                               \
		if (id == VM_METHOD_NONE ||                                                    \
		    !probe_enter_again(self, method, method_number(id),                        \
				       method_type(id, at.frame & 1), at, CHARGES(r)))         \
			probe_begin(method, at, READS(r));                                     \
	}                                                                                      \
	WORK r##_probe_end(const void *thread, const void *method, struct call_place at,       \
			   uint64_t now, uint64_t *all)                                        \
	{                                                                                      \
		enum call_event went = probe_went(thread, at.frame);                           \
                                                                                               \
		if (went != EVENT_LEAVE || !AGAIN(r) ||                                        \
		    !probe_leave_again(self, method, at.frame, CHARGES(r)))                    \
			probe_ends(method, went, at.frame, READS(r));                          \
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
	else if (self->nodes)
		metrics_read_all_early(values, self->last);
}

static inline __attribute__((always_inline)) void read_late_own(enum hooks_reading r,
								struct call_thread *t)
{
	t->dispatches = PttOwn.cycles->dispatches;
	t->interrupts = PttOwn.cycles->interrupts;
	read_page(r, t->last);
}

/* The first thing that an event does, and the last. */
static inline __attribute__((always_inline)) void early(enum hooks_reading r, uint64_t *values)
{
	if (r == READ_CYCLES)
		values[0] = GetCycles();
	else if (OWN(r))
		read_early_own(r, values);
	/* Where nobody is measured a read may cost more than an instruction. */
	else if (r == READ_METRICS && self->nodes)
		metrics_read_all_early(values, self->last);
}

static inline __attribute__((always_inline)) void late(enum hooks_reading r)
{
	if (r == READ_CYCLES)
		self->last[0] = GetCycles();
	else if (OWN(r) && PttOwn.cycles)
		read_late_own(r, self);
	else if (reads_ptt(r) && self->nodes)
		read_late(self);
}

/* Without a canary: its check would come after the last read. */
#define BARE static __attribute__((no_stack_protector)) void

#define NOW(r) ONE(r) ? now[0] : 0, MANY(r) ? now : NULL
#define MEASURED(r, work)                   \
	{                                   \
		uint64_t now[CALL_METRICS]; \
		early(r, now);              \
		work;                       \
		late(r);                    \
	}
#define ENDED(r, name, work)                                        \
	BARE JNICALL r##_##name(JNIEnv *jni, jclass class, jint id) \
		MEASURED(r, ((void)jni, (void)class, work))
#define EVENTS_BY(r)                                                                       \
	ENDED(r, begins, r##_enter((uint32_t)id, CALLER, NOW(r)))                          \
	ENDED(r, leaves, r##_leave((uint32_t)id, NOW(r)))                                  \
	ENDED(r, unwinds,                                                                  \
	      end(method_number((uint32_t)id), EVENT_UNWIND, (struct reads){ r, NOW(r) })) \
	ENDED(r, catches,                                                                  \
	      end(method_number((uint32_t)id), EVENT_CAUGHT, (struct reads){ r, NOW(r) })) \
	BARE r##_probes_begin(void *thread, const void *method)                            \
		MEASURED(r, ((void)thread, r##_probe_begin(method, PLACE, NOW(r))))        \
			BARE r##_probes_end(void *thread, const void *method)              \
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
	return all[reading];
}

/* ---- functions of compiled code -------------------------------------------------------------- */

/* Threads that have no tree yet get one by an event of Java's. */
static struct hooks_seen see_function(uint64_t *values)
{
	if (!self->nodes)
		return (struct hooks_seen){ 0 };
	if (reading != READ_NOTHING)
		metrics_read(values, self->last);
	return (struct hooks_seen){ tree(reading, values),
				    reading == READ_NOTHING ? NULL : values };
}

static void function_noted(void)
{
	if (reading != READ_NOTHING && self->nodes)
		read_late(self);
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

#define NATIVE(name, function)                                     \
	{                                                          \
		(char *)(name), (char *)"(I)V", (void *)(function) \
	}
#define NATIVES_BY(r)                                                                \
	{                                                                            \
		NATIVE("enter", r##_begins), NATIVE("leave", r##_leaves),            \
			NATIVE("unwind", r##_unwinds), NATIVE("caught", r##_catches) \
	}
#define NATIVES 4
static const JNINativeMethod natives[READINGS][NATIVES] = {
	NATIVES_BY(READ_NOTHING), NATIVES_BY(READ_CYCLES),  NATIVES_BY(READ_OWN),
	NATIVES_BY(READ_BOTH),    NATIVES_BY(READ_METRICS),
};

/* public final class pitrace.Hook { public static native void enter(int); … } */
static struct class_out make_class(void)
{
	struct native_method methods[NATIVES];

	for (uint16_t i = 0; i < NATIVES; i++)
		methods[i] = (struct native_method){ natives[reading][i].name, "(I)V" };
	return native_class(HOOK_CLASS, methods, NATIVES);
}

const char *hooks_define(JNIEnv *jni, char *(*names)(void))
{
	struct class_out out = make_class();
	jclass class = out.failed ? NULL :
				    (*jni)->DefineClass(jni, HOOK_CLASS, NULL,
							(const jbyte *)out.data, (jsize)out.n);
	bool bound = class && !(*jni)->RegisterNatives(jni, class, natives[reading], NATIVES);

	name_here = names;
	class_out_free(&out);
	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionDescribe(jni);
		(*jni)->ExceptionClear(jni);
	}
	return bound ? NULL : "the class of the hooks cannot be defined";
}
