/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "virtual_names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "java_text.h"
#include "mounts.h"
#include "newer_jvmti.h"

#define PLACES   (2 * VIRTUAL_NAMES) /* a power of two */
#define NAME_CUT 256

enum { NAMELESS = 1, MORE = 2 };

static struct {
	jvmtiEnv *vm;
	bool began, hears;
	bool (*called)(const char *name);
	pthread_mutex_t lock;
	char *name[VIRTUAL_NAMES + 1]; /* by row */
	uint16_t place[PLACES];        /* rows, by the name's hash */
	atomic_uint count;
} names = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.name = { [NAMELESS] = "(virtual threads without a name)",
		  [MORE] = "(virtual threads of more names than are kept)" },
	.count = MORE,
};

struct carrier {
	char *own;
	uint32_t here, reported; /* rows */
};
static __thread struct carrier carrier __attribute__((tls_model("initial-exec")));

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619;
	return hash;
}

static uint32_t add_row(const char *name)
{
	uint32_t row = names.count + 1;

	if (row > VIRTUAL_NAMES)
		return MORE;
	names.name[row] = strdup(name);
	if (!names.name[row])
		return MORE;
	atomic_store_explicit(&names.count, row, memory_order_release);
	return row;
}

/* The search ends: rows fill at most half of the places. */
static uint32_t find_row(const char *name)
{
	uint32_t at = hash_of(name) % PLACES, row;

	pthread_mutex_lock(&names.lock);
	while (names.place[at] && strcmp(names.name[names.place[at]], name) != 0)
		at = (at + 1) % PLACES;
	row = names.place[at];
	if (!row) {
		row = add_row(name);
		if (row != MORE)
			names.place[at] = (uint16_t)row;
	}
	pthread_mutex_unlock(&names.lock);
	return row;
}

static uint32_t row_of(const char *name)
{
	char text[NAME_CUT];

	if (!name || !*name)
		return NAMELESS;
	snprintf(text, sizeof(text), "(virtual thread %s)", name);
	return find_row(text);
}

/* ---- carriers -------------------------------------------------------------------------------- */

void virtual_names_own(const char *name)
{
	free(carrier.own);
	carrier.own = name ? strndup(name, NAME_CUT) : NULL;
}

/* A carrier that ran before the agent was attached uses its kernel name. */
static void notify(void)
{
	char comm[16] = "", text[2 * NAME_CUT + 2];

	if (carrier.here == carrier.reported || !names.called)
		return;
	if (!carrier.own)
		prctl(PR_GET_NAME, comm);
	snprintf(text, sizeof(text), "%s %s", carrier.own ? carrier.own : comm,
		 names.name[carrier.here]);
	if (names.called(text))
		carrier.reported = carrier.here;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Queries the name only at a thread's first mount: the query costs more than a mount. */
static void JNICALL mounted(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	jvmtiThreadInfo info = { 0 };
	void *kept = NULL;

	(void)jni;
	if ((*vm)->GetThreadLocalStorage(vm, thread, &kept) || !kept) {
		if ((*vm)->GetThreadInfo(vm, thread, &info))
			info.name = NULL;
		java_text(info.name);
		kept = (void *)(uintptr_t)row_of(info.name);
		(*vm)->Deallocate(vm, (unsigned char *)info.name);
		(*vm)->SetThreadLocalStorage(vm, thread, kept);
	}
	carrier.here = (uint32_t)(uintptr_t)kept;
	notify();
}

static void JNICALL unmounted(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)vm, (void)jni, (void)thread;
	carrier.here = 0;
}

static void give_up(void)
{
	(*names.vm)->DisposeEnvironment(names.vm);
	names.vm = NULL;
}

void virtual_names_begin(JavaVM *java)
{
	if (names.began)
		return;
	names.began = true;
	if ((*java)->GetEnv(java, (void **)&names.vm, JVMTI_VERSION_11))
		names.vm = NULL;
	else if (!newer_support_virtual(names.vm))
		give_up();
}

void virtual_names_subscribe(void)
{
	if (names.hears)
		return;
	names.hears = true;
	if (names.vm && !mounts_subscribe(names.vm, mounted, unmounted))
		give_up();
}

void virtual_names_notify(bool (*called)(const char *name))
{
	names.called = called;
}

/* ---- for others ------------------------------------------------------------------------------ */

uint32_t virtual_names_here(void)
{
	return carrier.here;
}

uint32_t virtual_names_count(void)
{
	return atomic_load_explicit(&names.count, memory_order_acquire);
}

const char *virtual_names_get(uint32_t row)
{
	return names.name[row];
}
