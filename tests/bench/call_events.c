/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_events HOW VALUES N: what the events of fib(N) take, without a Java VM. HOW: natives, as
 * changed classes call them; probes, as the VM calls them; none, the calls alone. VALUES: counts,
 * cycles, or names of PTT's metrics. It prints the calls of one turn and the least CPU time of ten,
 * in nanoseconds, the sum, and the least cycles; with a fourth argument there is one turn, whose
 * instructions calls.sh counts.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "call_hooks.h"
#include "method_id.h"
#include "metrics.h"
#include "vm_methods.h"

/* ---- of a VM what is asked for --------------------------------------------------------------- */

typedef void JNICALL native(JNIEnv *jni, jclass class, jint id);

static native *native_begins, *native_ends;
static struct hooks_probes probes;

static jclass JNICALL define(JNIEnv *jni, const char *name, jobject loader, const jbyte *data,
			     jsize size)
{
	(void)jni, (void)name, (void)loader, (void)data, (void)size;
	return (jclass)&native_begins;
}

static jint JNICALL bind(JNIEnv *jni, jclass class, const JNINativeMethod *all, jint n)
{
	(void)jni, (void)class;
	for (jint i = 0; i < n; i++) {
		if (!strcmp(all[i].name, "enter"))
			native_begins = (native *)all[i].fnPtr;
		if (!strcmp(all[i].name, "leave"))
			native_ends = (native *)all[i].fnPtr;
	}
	return 0;
}

static jboolean JNICALL has_thrown(JNIEnv *jni)
{
	(void)jni;
	return JNI_FALSE;
}

static const struct JNINativeInterface_ functions = {
	.DefineClass = define,
	.RegisterNatives = bind,
	.ExceptionCheck = has_thrown,
};
static JNIEnv jni = &functions;

/* The VM's structures of a method, and the description of their layout. */
static struct symbol {
	uint16_t length;
	char body[8];
} class_name = { 5, "Pairs" }, method_name = { 3, "fib" }, descriptor = { 4, "(I)I" };
static struct class
{
	struct symbol *name;
} class = { &class_name };
static struct pool {
	struct class *holder;
	struct symbol *entries[2];
} pool = { &class, { &method_name, &descriptor } };
static struct constants {
	struct pool *pool;
	uint16_t name, descriptor;
} constants = { &pool, 0, 1 };
static struct method_of_vm {
	struct constants *constants;
	uint32_t flags;
} method = { &constants, 0x8 };

struct told {
	const char *type, *member;
	uint64_t is_static, value;
};
static const struct told members[] = {
	{ "Method", "_constMethod", 0, offsetof(struct method_of_vm, constants) },
	{ "Method", "_access_flags", 0, offsetof(struct method_of_vm, flags) },
	{ "ConstMethod", "_constants", 0, offsetof(struct constants, pool) },
	{ "ConstMethod", "_name_index", 0, offsetof(struct constants, name) },
	{ "ConstMethod", "_signature_index", 0, offsetof(struct constants, descriptor) },
	{ "ConstantPool", "_pool_holder", 0, offsetof(struct pool, holder) },
	{ "Klass", "_name", 0, offsetof(struct class, name) },
	{ "Symbol", "_length", 0, offsetof(struct symbol, length) },
	{ "Symbol", "_body", 0, offsetof(struct symbol, body) },
	{ NULL, NULL, 0, 0 },
};
static const struct told types[] = {
	{ "ConstantPool", NULL, 0, offsetof(struct pool, entries) },
	{ NULL, NULL, 0, 0 },
};

const void *const gHotSpotVMStructs = members, *const gHotSpotVMTypes = types;
#define NUMBER(name, is) const uint64_t name = is
NUMBER(gHotSpotVMStructEntryArrayStride, sizeof(struct told));
NUMBER(gHotSpotVMStructEntryTypeNameOffset, offsetof(struct told, type));
NUMBER(gHotSpotVMStructEntryFieldNameOffset, offsetof(struct told, member));
NUMBER(gHotSpotVMStructEntryIsStaticOffset, offsetof(struct told, is_static));
NUMBER(gHotSpotVMStructEntryOffsetOffset, offsetof(struct told, value));
NUMBER(gHotSpotVMTypeEntryArrayStride, sizeof(struct told));
NUMBER(gHotSpotVMTypeEntryTypeNameOffset, offsetof(struct told, type));
NUMBER(gHotSpotVMTypeEntrySizeOffset, offsetof(struct told, value));

/* ---- fib ------------------------------------------------------------------------------------- */

static __attribute__((noinline)) int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* As its changed class has it. The VM's code for a native has a frame of its own. */
#define STUB(name, event)                                \
	static __attribute__((noinline)) void name(void) \
	{                                                \
		event;                                   \
		__asm__ volatile("");                    \
	}
STUB(begins, native_begins(&jni, NULL, method_id(0, true, false)))
STUB(ends, native_ends(&jni, NULL, method_id(0, true, false)))

static __attribute__((noinline)) int fib_changed(int n)
{
	int r;

	begins();
	r = n < 2 ? n : fib_changed(n - 1) + fib_changed(n - 2);
	ends();
	return r;
}

static __attribute__((noinline)) int fib_probed(int n)
{
	int r;

	probes.begin(NULL, &method);
	r = n < 2 ? n : fib_probed(n - 1) + fib_probed(n - 2);
	probes.end(NULL, &method);
	return r;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t calls_of(int n)
{
	uint64_t calls = 1, before = 1;

	for (int i = 2; i <= n; i++) {
		uint64_t next = calls + before + 1;

		before = calls;
		calls = next;
	}
	return calls;
}

static bool takes(const char *name)
{
	return !strcmp(name, "Pairs.fib(I)I");
}

static const char *measure(const char *values)
{
	const char *why = NULL;

	if (strcmp(values, "counts") && strcmp(values, "cycles"))
		why = metrics_set(values, strlen(values));
	hooks_values(strcmp(values, "counts"));
	return why;
}

/* NULL, or why not. */
static const char *begin(bool by_probes)
{
	struct vm_image image = { .handle = dlopen(NULL, RTLD_LAZY) };
	const char *why = NULL;

	if (by_probes) {
		why = image.handle ? vm_methods_init(&image, takes) : dlerror();
		probes = hooks_probes(0);
	} else {
		why = hooks_define(&jni);
		if (methods_add("Pairs", 5, "fib", 3, "(I)I", 4))
			why = "no memory";
	}
	hooks_thread_begin("main");
	hooks_set(true);
	return why;
}

/* So many begins and ends are in the tree, or the figures are of something else. */
static void add_calls(void *sum, const struct call_thread *t)
{
	for (uint32_t i = 1; i < t->used; i++)
		*(uint64_t *)sum += t->nodes[i].calls;
}

int main(int argc, char **argv)
{
	uint64_t least = UINT64_MAX, cycles = UINT64_MAX, counted = 0, start, took, from;
	int (*f)(int) = fib;
	int n, turns = argc > 4 ? 1 : 10, sum = 0;
	const char *why = NULL;

	if (argc < 4) {
		fputs("usage: call_events natives|probes|none counts|cycles|METRICS N [ONE-TURN]\n",
		      stderr);
		return 2;
	}
	n = atoi(argv[3]);
	if (strcmp(argv[1], "none")) {
		f = !strcmp(argv[1], "probes") ? fib_probed : fib_changed;
		why = measure(argv[2]);
		why = why ? why : begin(f == fib_probed);
	}
	if (why) {
		fprintf(stderr, "call_events: %s\n", why);
		return 1;
	}
	for (int i = 0; i < turns; i++) {
		start = cpu_now();
		from = GetCycles();
		sum += f(n);
		took = GetCycles() - from;
		cycles = took < cycles ? took : cycles;
		took = cpu_now() - start;
		least = took < least ? took : least;
	}
	hooks_each(add_calls, &counted);
	if (f != fib && counted != calls_of(n) * (uint64_t)turns) {
		fputs("call_events: calls are missing in the tree\n", stderr);
		return 1;
	}
	printf("%" PRIu64 " %" PRIu64 " %d %" PRIu64 "\n", calls_of(n), least, sum, cycles);
	return 0;
}
