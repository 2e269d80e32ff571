/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stack_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <perfutil.h>

#include "base/now.h"
#include "class_unload.h"
#include "code_cache.h"
#include "escape.h"
#include "guarded.h"
#include "java_text.h"
#include "native_frames.h"
#include "refused.h"
#include "scs/sampled_threads.h"
#include "seen_methods.h"
#include "stack_judge.h"
#include "stack_names.h"
#include "stack_walk.h"
#include "virtual_names.h"

#define HEAD        2            /* integers of a record before its addresses */
#define RECORD_MOST 500          /* integers */
#define SCAN_EVERY  200000000ull /* ns between scans for unreported threads and new names */
#define WALL_EVERY  10000000ull  /* ns between two wall-clock ticks of a thread */
#define ALLOC_EVERY (512 * 1024) /* bytes between two samples of allocations */
#define SIGNALS     8            /* real-time signals that are tried, from the last down */

static struct {
	const struct agent_options *o;
	JavaVM *java;
	struct vm_layout layout;
	uint64_t barrier; /* from an event, if the VM's library has no symbols */
	uint64_t period;
	int signal;
	atomic_bool on, ending;
	pthread_t helper;
	bool has_helper;
	jfieldID structure; /* field of java.lang.Thread: the VM's thread structure */
	_Atomic uint64_t samples, java_samples, java_whole, failed;
	_Atomic uint64_t ended[WALK_ENDS];
} stacks;

/* ---- samples --------------------------------------------------------------------------------- */

struct sample {
	uint64_t word[HEAD + RECORD_MOST + CPU_TICKS_KERNEL];
	struct walked walked;
	bool is_walked, is_java;
};

static void walk(struct sample *s, const struct sampled_thread *t, void *context)
{
	struct walked *w = &s->walked;

	if (s->is_walked)
		return;
	s->is_walked = true;
	*w = (struct walked){
		.address = s->word + HEAD,
		.kinds = stacks.o->kinds,
		.mounted = virtual_names_here(),
		.judged = t->java ? stack_judge_room() : NULL,
	};
	s->is_java = t->java;
	stack_walk(&stacks.layout, t->java, context, w);
	if (w->judged)
		stack_judge(t->env, context, w);
}

/* The user's part first, then the kernel's. */
static void put(struct sample *s, uint32_t event, uint64_t period, uint32_t ticks,
		const uint64_t *kernel, unsigned int n)
{
	struct walked *w = &s->walked;
	unsigned int user = w->n;

	if (HEAD + user + n > RECORD_MOST) {
		user = RECORD_MOST - HEAD - n;
		s->word[HEAD + user - 1] = walk_address(WALK_LONG, 0, 0) + 1;
	}
	s->word[0] = period;
	s->word[1] = ticks | (uint64_t)user << 32 | (uint64_t)n << 48;
	if (n)
		memcpy(s->word + HEAD + user, kernel, n * sizeof(*kernel));
	if (TraceHook(0, PITRACE_HOOKIT, (int)(PITRACE_HOOKIT_SAMPLE | event),
		      (int)(HEAD + user + n), 0, s->word, NULL, NULL) < 0)
		stacks.failed += ticks;
	stacks.samples += ticks;
	if (s->is_java)
		stacks.java_samples += ticks;
	if (s->is_java && w->end == WALK_WHOLE)
		stacks.java_whole += ticks;
	stacks.ended[w->end] += ticks;
}

static bool is_listened(void)
{
	return atomic_load_explicit(&stacks.on, memory_order_relaxed) &&
	       (TraceEnabled(PITRACE_HOOKIT, 0) || stack_judge_wanted());
}

static void sample_cpu(struct sampled_thread *t, const siginfo_t *info, void *context)
{
	uint64_t kernel[CPU_TICKS_KERNEL];
	struct sample s;
	unsigned int n;
	uint32_t ticks;
	bool first = true;

	s.is_walked = false;
	while (cpu_ticks_next(&t->ticks, info, first, &ticks, kernel, &n)) {
		first = false;
		if (!is_listened())
			continue;
		walk(&s, t, context);
		put(&s, PITRACE_SAMPLED_CPU, stacks.period, ticks, kernel, n);
	}
}

static void sample_wall(struct sampled_thread *t, void *context)
{
	uint32_t ticks = atomic_exchange(&t->asked, 0);
	struct sample s;

	if (!ticks || !is_listened())
		return;
	s.is_walked = false;
	walk(&s, t, context);
	put(&s, PITRACE_SAMPLED_WALL, WALL_EVERY, ticks, NULL, 0);
}

static void sampled(int number, siginfo_t *info, void *context)
{
	struct sampled_thread *t = sampled_threads_enter();
	int saved = errno;

	(void)number;
	if (t && info->si_code == SI_QUEUE && info->si_pid == getpid())
		sample_wall(t, context);
	else if (t)
		sample_cpu(t, info, context);
	sampled_threads_leave();
	errno = saved;
}

/* ---- what the VM says ------------------------------------------------------------------------ */

/* Defined by the linker: this library's ELF header, at its start. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* Returns the end of this library's code. */
static uintptr_t own_end(void)
{
	const char *base = (const char *)&__ehdr_start;
	const ElfW(Phdr) *p = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
	uintptr_t end = 0;

	for (unsigned int i = 0; i < __ehdr_start.e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X)
			end = (uintptr_t)base + p[i].p_vaddr + p[i].p_memsz;
	return end;
}

/* Removes our own frames: the VM's callback is not part of the program. */
static void drop_own(struct walked *w)
{
	uintptr_t start = (uintptr_t)&__ehdr_start, end = own_end();
	unsigned int own = 0;

	while (own < w->n && w->address[own] >= start && w->address[own] < end)
		own++;
	w->n -= own;
	memmove(w->address, w->address + own, w->n * sizeof(*w->address));
}

/* Samples this thread, which is in a callback from the VM. */
static void sample_here(uint32_t event, uint64_t period)
{
	struct sampled_thread *t;
	struct sample s;
	ucontext_t here;

	if (!is_listened())
		return;
	t = sampled_threads_enter();
	if (t && !getcontext(&here)) {
		s.is_walked = false;
		walk(&s, t, &here);
		drop_own(&s.walked);
		put(&s, event, period, 1, NULL, 0);
	}
	sampled_threads_leave();
}

static void JNICALL object_sampled(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object,
				   jclass class, jlong size)
{
	(void)vm, (void)jni, (void)thread, (void)object, (void)class;
	sample_here(PITRACE_SAMPLED_ALLOC, size > ALLOC_EVERY ? (uint64_t)size : ALLOC_EVERY);
}

static __thread uint64_t waits_since __attribute__((tls_model("initial-exec")));

static void JNICALL monitor_waits(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object)
{
	(void)vm, (void)jni, (void)thread, (void)object;
	waits_since = now_ns();
}

static void JNICALL monitor_entered(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object)
{
	(void)vm, (void)jni, (void)thread, (void)object;
	if (waits_since)
		sample_here(PITRACE_SAMPLED_LOCK, now_ns() - waits_since);
	waits_since = 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void name_thread(jvmtiEnv *vm, jthread thread)
{
	jvmtiThreadInfo info = { 0 };

	if ((*vm)->GetThreadInfo(vm, thread, &info))
		return;
	java_text(info.name);
	if (info.name)
		TraceThreadName(info.name);
	virtual_names_own(info.name);
	(*vm)->Deallocate(vm, (unsigned char *)info.name);
}

static bool name_carrier(const char *name)
{
	return TraceEnabled(PITRACE_MTE, 0) && TraceThreadName(name) == PI_OK;
}

static void add_thread(JNIEnv *jni, jthread thread, pid_t tid, JNIEnv *env)
{
	uint64_t java = (uint64_t)(*jni)->GetLongField(jni, thread, stacks.structure);

	if (sampled_threads_add(tid, java, env))
		stacks.failed++;
}

static void JNICALL thread_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	if (!stacks.on)
		return;
	name_thread(vm, thread);
	add_thread(jni, thread, gettid(), jni);
}

static void JNICALL thread_ends(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)vm, (void)jni, (void)thread;
	virtual_names_own(NULL);
	if (stacks.on)
		sampled_threads_remove(gettid());
}

/* Adds the threads that run when the agent is attached: the VM's structure has their ids. */
static void add_running(jvmtiEnv *vm, JNIEnv *jni)
{
	jthread *list, self;
	uint64_t env_at;
	jint n;

	if ((*vm)->GetCurrentThread(vm, &self) || (*vm)->GetAllThreads(vm, &n, &list))
		return;
	env_at = (uintptr_t)jni - (uint64_t)(*jni)->GetLongField(jni, self, stacks.structure);
	for (jint i = 0; i < n; i++) {
		uint64_t java = (uint64_t)(*jni)->GetLongField(jni, list[i], stacks.structure);
		uint64_t os;
		uint32_t tid;

		if (java && guarded_load(java + stacks.layout.os_thread, &os) && os &&
		    guarded_load32(os + stacks.layout.os_thread_id, &tid) && tid)
			add_thread(jni, list[i], (pid_t)tid, (JNIEnv *)(java + env_at));
		(*jni)->DeleteLocalRef(jni, list[i]);
	}
	(*vm)->Deallocate(vm, (unsigned char *)list);
}

/* ---- the helper ------------------------------------------------------------------------------ */

static void ask_thread(struct sampled_thread *t)
{
	siginfo_t info = { .si_code = SI_QUEUE };

	info.si_pid = getpid();
	info.si_uid = getuid();
	/* A signal that is still pending counts for this tick, too. */
	if (!atomic_fetch_add(&t->asked, 1) &&
	    syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)t->tid, stacks.signal, &info))
		t->asked = 0;
}

static void ask_all(void)
{
	struct sampled_thread *t;
	unsigned int at = 0;

	while ((t = sampled_threads_next(&at)))
		ask_thread(t);
}

static void sleep_ns(uint64_t ns)
{
	const struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

static void *help(void *unused)
{
	bool wall = stacks.o->sampled & 1u << PITRACE_SAMPLED_WALL;
	uint64_t next = 0;
	pid_t self = gettid();

	(void)unused;
	while (!stacks.ending) {
		uint64_t time = now_ns();

		if (time >= next) {
			native_frames_refresh();
			sampled_threads_scan(self);
			stack_names_write(&stacks.layout, stacks.o->kinds);
			next = time + SCAN_EVERY;
		}
		if (wall && is_listened())
			ask_all();
		sleep_ns(wall ? WALL_EVERY : SCAN_EVERY);
	}
	return NULL;
}

/* Blocks all signals around the creation: the new thread inherits the mask. */
static bool start_helper(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	stacks.has_helper = !pthread_create(&stacks.helper, NULL, help, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (stacks.has_helper)
		pthread_setname_np(stacks.helper, "jprof stacks");
	return stacks.has_helper;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Takes an unused signal. SIGSEGV and SIGBUS stay unblocked: guarded loads rely on them. */
static bool take_signal(void)
{
	struct sigaction how = { .sa_sigaction = sampled, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction before;

	sigfillset(&how.sa_mask);
	sigdelset(&how.sa_mask, SIGSEGV);
	sigdelset(&how.sa_mask, SIGBUS);
	for (int i = 0; i < SIGNALS; i++) {
		int number = SIGRTMAX - 1 - i;

		if (sigaction(number, NULL, &before) || before.sa_flags & SA_SIGINFO ||
		    before.sa_handler != SIG_DFL || sigaction(number, &how, NULL))
			continue;
		stacks.signal = number;
		return true;
	}
	return false;
}

static const char *prepare(jvmtiEnv *vm, JNIEnv *jni)
{
	const void *inside = (const void *)(*stacks.java)->GetEnv;
	jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
	struct vm_image image;
	const char *why;
	jint version;

	stacks.structure = class ? (*jni)->GetFieldID(jni, class, "eetop", "J") : NULL;
	if (!stacks.structure) {
		(*jni)->ExceptionClear(jni);
		return "this Java VM's java.lang.Thread has no field eetop";
	}
	if ((*vm)->GetVersionNumber(vm, &version))
		return "the Java VM's version is not known";
	why = vm_image_open(&image, inside);
	if (why)
		return why;
	why = vm_layout_read(&stacks.layout, &image, (unsigned int)version >> 16 & 0xfff);
	vm_image_close(&image);
	if (!stacks.layout.return_barrier)
		stacks.layout.return_barrier = stacks.barrier;
	if (!why)
		why = guarded_begin();
	if (!why && !seen_methods_begin())
		why = "no memory";
	if (!why && !code_cache_begin(&stacks.layout))
		why = "the Java VM's code is not found";
	if (!why && !take_signal())
		why = "no real-time signal is free";
	if (!why && stacks.o->check)
		why = stack_judge_begin(vm, inside);
	return why;
}

/* The VM creates method ids on request: AsyncGetCallTrace returns only existing ones. */
static void ask_ids(jvmtiEnv *vm, jclass class)
{
	jmethodID *list;
	jint n;

	if (!(*vm)->GetClassMethods(vm, class, &n, &list))
		(*vm)->Deallocate(vm, (unsigned char *)list);
}

static void ask_all_ids(jvmtiEnv *vm, JNIEnv *jni)
{
	jclass *list;
	jint n;

	if ((*vm)->GetLoadedClasses(vm, &n, &list))
		return;
	for (jint i = 0; i < n; i++) {
		ask_ids(vm, list[i]);
		(*jni)->DeleteLocalRef(jni, list[i]);
	}
	(*vm)->Deallocate(vm, (unsigned char *)list);
}

static void JNICALL class_prepared(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jclass class)
{
	(void)jni, (void)thread;
	ask_ids(vm, class);
}

static void start(jvmtiEnv *vm, JNIEnv *jni)
{
	const char *why = prepare(vm, jni);
	bool cpu = stacks.o->sampled & 1u << PITRACE_SAMPLED_CPU;

	if (why) {
		fprintf(stderr, "%s: SCS: %s: no stacks are sampled\n", agent_kind.name, why);
		return;
	}
	if (stacks.o->check)
		ask_all_ids(vm, jni);
	native_frames_refresh();
	stacks.period = 1000000000ull / stacks.o->rate;
	sampled_threads_begin(cpu ? stacks.period : 0, stacks.signal);
	stacks.on = true;
	virtual_names_subscribe();
	add_running(vm, jni);
	if (!start_helper())
		fprintf(stderr, "%s: SCS: cannot create a thread: methods have no names\n",
			agent_kind.name);
}

static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	start(vm, jni);
	if (stacks.on)
		name_thread(vm, thread);
}

static void JNICALL class_loaded(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jclass class)
{
	(void)vm, (void)jni, (void)thread, (void)class;
}

static void JNICALL class_unloaded(jvmtiEnv *vm, ...)
{
	(void)vm;
	seen_methods_unloaded();
}

static void JNICALL stub_made(jvmtiEnv *vm, const char *name, const void *address, jint size)
{
	(void)vm, (void)size;
	/* JDKs before 24 use the second name. */
	if (strcmp(name, "cont_returnBarrier") && strcmp(name, "Cont thaw return barrier"))
		return;
	stacks.barrier = (uintptr_t)address;
	if (!stacks.layout.return_barrier)
		stacks.layout.return_barrier = stacks.barrier;
}

static void print_counts(void)
{
	uint64_t java = stacks.java_samples, whole = stacks.java_whole;

	stack_judge_print();
	if (!stacks.o->check)
		return;
	fprintf(stderr,
		"%s: SCSCHECK: %" PRIu64 " samples, %" PRIu64
		" of them of Java's threads, walked whole %" PRIu64 " (%.2f %%)\n",
		agent_kind.name, stacks.samples, java, whole,
		java ? 100.0 * (double)whole / (double)java : 0.0);
	for (unsigned int i = 1; i < WALK_ENDS; i++)
		if (stacks.ended[i])
			fprintf(stderr, "%s: SCSCHECK: %" PRIu64 " ticks %s\n", agent_kind.name,
				stacks.ended[i], walk_end_names[i]);
}

static void JNICALL vm_ends(jvmtiEnv *vm, JNIEnv *jni)
{
	(void)vm, (void)jni;
	if (!stacks.on)
		return;
	stacks.on = false;
	TraceHook(0, PITRACE_HOOKIT, PITRACE_HOOKIT_SAMPLES_END, 0, 0, NULL, NULL, NULL);
	stacks.ending = true;
	if (stacks.has_helper)
		pthread_join(stacks.helper, NULL);
	sampled_threads_end();
	stack_names_write(&stacks.layout, stacks.o->kinds);
	if (stacks.failed)
		fprintf(stderr, "%s: SCS: %" PRIu64 " samples found no room in the trace\n",
			agent_kind.name, stacks.failed);
	if (!stacks.samples && !TraceEnabled(PITRACE_HOOKIT, 0))
		fprintf(stderr,
			"%s: SCS: no session recorded this VM, and no stack was kept: use swtrace run --jit -g\n",
			agent_kind.name);
	print_counts();
}

static jvmtiError enable(jvmtiEnv *vm, jvmtiEvent event)
{
	return (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, event, NULL);
}

jint stacks_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		  struct jitlog_writer *text, bool running)
{
	static const jvmtiEventCallbacks callbacks = {
		.VMInit = vm_begins,
		.VMDeath = vm_ends,
		.ThreadStart = thread_begins,
		.ThreadEnd = thread_ends,
		.ClassPrepare = class_prepared,
		.DynamicCodeGenerated = stub_made,
		.ClassLoad = class_loaded,
		.SampledObjectAlloc = object_sampled,
		.MonitorContendedEnter = monitor_waits,
		.MonitorContendedEntered = monitor_entered,
	};
	bool alloc = o->sampled & 1u << PITRACE_SAMPLED_ALLOC;
	bool lock = o->sampled & 1u << PITRACE_SAMPLED_LOCK;
	jvmtiCapabilities wanted = {
		.can_generate_sampled_object_alloc_events = alloc,
		.can_generate_monitor_events = lock,
		/* Compilers then record the bytecode of nearly each instruction. */
		.can_generate_compiled_method_load_events = 1,
	};
	jvmtiError err = (*vm)->AddCapabilities(vm, &wanted);
	JNIEnv *jni;

	(void)text;
	stacks.o = o;
	stacks.java = java;
	if (!err)
		err = (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks));
	if (!err && alloc)
		err = (*vm)->SetHeapSamplingInterval(vm, ALLOC_EVERY);
	if (!err)
		err = class_unload_subscribe(vm, class_unloaded);
	if (!err)
		err = enable(vm, JVMTI_EVENT_VM_INIT);
	if (!err)
		err = enable(vm, JVMTI_EVENT_VM_DEATH);
	if (!err)
		err = enable(vm, JVMTI_EVENT_THREAD_START);
	if (!err)
		err = enable(vm, JVMTI_EVENT_THREAD_END);
	if (!err)
		err = enable(vm, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	/* AsyncGetCallTrace returns nothing unless ClassLoad events are enabled. */
	if (!err && o->check)
		err = enable(vm, JVMTI_EVENT_CLASS_PREPARE);
	if (!err && o->check)
		err = enable(vm, JVMTI_EVENT_CLASS_LOAD);
	if (!err && alloc)
		err = enable(vm, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
	if (!err && lock)
		err = enable(vm, JVMTI_EVENT_MONITOR_CONTENDED_ENTER);
	if (!err && lock)
		err = enable(vm, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED);
	if (err)
		return refused(vm, "SCS: the Java VM's events", err);
	virtual_names_begin(java);
	virtual_names_notify(name_carrier);
	if (running && !(*java)->GetEnv(java, (void **)&jni, JNI_VERSION_1_6)) {
		start(vm, jni);
		(*vm)->GenerateEvents(vm, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	}
	return JNI_OK;
}
