/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites are looked up by method id under a lock; no VM function is called with the lock held. */
#include "java_objects.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "escape.h"
#include "java_text.h"
#include "log_file.h"
#include "refused.h"

/* A tag: the site, and the object's bytes. */
#define SIZE_BITS  40
#define SIZE_MASK  ((1ull << SIZE_BITS) - 1)
#define SITES_MOST (1u << 23)

struct object_site {
	jmethodID method; /* NULL: not a Java method */
	char *name;       /* NULL: the filter excludes it */
	uint64_t objects, bytes;
	uint64_t freed_objects, freed_bytes;
};

static struct {
	pthread_mutex_t lock;
	const struct agent_options *o;
	struct log_file log;
	struct object_site *sites; /* number 0 is unused */
	uint32_t count, room;
	uint32_t *table; /* hash table of sites by method; table_size is a power of two */
	uint32_t table_size;
	uint64_t lost; /* allocations without a site: out of memory */
	bool ended;
} objects = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- sites ----------------------------------------------------------------------------------- */

static uint32_t *slot_of(jmethodID method)
{
	uint32_t at = (uint32_t)((uintptr_t)method * 0x9e3779b97f4a7c15 >> 32);

	while (objects.table[at &= objects.table_size - 1] &&
	       objects.sites[objects.table[at]].method != method)
		at++;
	return &objects.table[at];
}

static int grow_table(void)
{
	uint32_t size = objects.table_size ? 2 * objects.table_size : 1024, *old = objects.table;

	objects.table = calloc(size, sizeof(*objects.table));
	if (!objects.table) {
		objects.table = old;
		return -ENOMEM;
	}
	free(old);
	objects.table_size = size;
	for (uint32_t i = 1; i < objects.count; i++)
		*slot_of(objects.sites[i].method) = i;
	return 0;
}

/* Returns the site's number, 0 if the method has none yet. */
static uint32_t find_site(jmethodID method)
{
	return objects.table_size ? *slot_of(method) : 0;
}

/* Another thread may have added the site meanwhile. Takes ownership of the name. */
static uint32_t add_site(jmethodID method, char *name)
{
	uint32_t at = find_site(method);

	if (!at && objects.count < SITES_MOST && 2 * objects.count >= objects.table_size)
		grow_table();
	if (!objects.count)
		objects.count = 1;
	if (at || objects.count >= objects.table_size ||
	    array_next(objects.sites, objects.count, objects.room)) {
		free(name);
		return at;
	}
	at = objects.count++;
	objects.sites[at] = (struct object_site){ .method = method, .name = name };
	*slot_of(method) = at;
	return at;
}

/* Returns an allocated name, NULL if the method is not to be counted. */
static char *name_of(jvmtiEnv *vm, jmethodID method)
{
	char *class = NULL, *own = NULL, *signature = NULL, *name = NULL;
	jclass declarer;
	size_t n;

	if (!method)
		name = strdup("(no method of Java)");
	else if (!(*vm)->GetMethodDeclaringClass(vm, method, &declarer) &&
		 !(*vm)->GetClassSignature(vm, declarer, &class, NULL) &&
		 !(*vm)->GetMethodName(vm, method, &own, &signature, NULL)) {
		/* Lpackage/Class; */
		n = strlen(class);
		if (asprintf(&name, "%.*s.%s%s", n > 2 ? (int)n - 2 : 0, class + 1, own,
			     signature) < 0)
			name = NULL;
	}
	(*vm)->Deallocate(vm, (unsigned char *)class);
	(*vm)->Deallocate(vm, (unsigned char *)own);
	(*vm)->Deallocate(vm, (unsigned char *)signature);
	java_text(name);
	if (name && !filter_takes(&objects.o->methods, name)) {
		free(name);
		name = NULL;
	}
	return name;
}

/* ---- the VM's events ------------------------------------------------------------------------- */

static bool thread_counts(jvmtiEnv *vm, jthread thread)
{
	jvmtiThreadInfo info = { 0 };
	bool takes;

	if (!objects.o->threads.patterns || (*vm)->GetThreadInfo(vm, thread, &info))
		return true;
	java_text(info.name);
	takes = filter_takes(&objects.o->threads, info.name ? info.name : "");
	(*vm)->Deallocate(vm, (unsigned char *)info.name);
	return takes;
}

static void JNICALL object_comes(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object,
				 jclass class, jlong size)
{
	jvmtiFrameInfo frame = { 0 };
	uint32_t site;
	bool counts;
	jint n;

	(void)jni, (void)class;
	if (!thread_counts(vm, thread))
		return;
	if ((*vm)->GetStackTrace(vm, NULL, 0, 1, &frame, &n) || n < 1)
		frame.method = NULL;
	pthread_mutex_lock(&objects.lock);
	site = find_site(frame.method);
	pthread_mutex_unlock(&objects.lock);
	if (!site) {
		char *name = name_of(vm, frame.method);

		pthread_mutex_lock(&objects.lock);
		site = add_site(frame.method, name);
		pthread_mutex_unlock(&objects.lock);
	}
	pthread_mutex_lock(&objects.lock);
	objects.lost += !site;
	counts = site && !objects.ended && objects.sites[site].name;
	if (counts) {
		objects.sites[site].objects++;
		objects.sites[site].bytes += (uint64_t)size;
	}
	pthread_mutex_unlock(&objects.lock);
	if (counts)
		(*vm)->SetTag(vm, object,
			      (jlong)((uint64_t)site << SIZE_BITS | (size & SIZE_MASK)));
}

static void JNICALL object_freed(jvmtiEnv *vm, jlong tag)
{
	uint32_t site = (uint32_t)((uint64_t)tag >> SIZE_BITS);

	(void)vm;
	pthread_mutex_lock(&objects.lock);
	if (site && site < objects.count) {
		objects.sites[site].freed_objects++;
		objects.sites[site].freed_bytes += (uint64_t)tag & SIZE_MASK;
	}
	pthread_mutex_unlock(&objects.lock);
}

/* ---- the log --------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
	const struct object_site *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->name && y->name ? strcmp(x->name, y->name) : !x->name - !y->name;
}

static void write_sites(FILE *out)
{
	uint64_t n = 0, bytes = 0;
	uint32_t i;

	if (objects.count > 1)
		qsort(objects.sites + 1, objects.count - 1, sizeof(*objects.sites), by_bytes);
	for (i = 1; i < objects.count; i++) {
		n += objects.sites[i].objects;
		bytes += objects.sites[i].bytes;
	}
	fprintf(out,
		"pitrace log-objects\n"
		"allocated: %" PRIu64 " objects of %" PRIu64
		" bytes; LO, LB: those that the last garbage collection left\n",
		n, bytes);
	if (objects.lost)
		fprintf(out, "not kept, out of memory: %" PRIu64 "\n", objects.lost);
	fputs("\n         AO             AB         LO             LB NAME\n", out);
	for (i = 1; i < objects.count; i++) {
		const struct object_site *s = &objects.sites[i];

		if (!s->objects)
			continue;
		fprintf(out, "%11" PRIu64 " %14" PRIu64 " %10" PRIu64 " %14" PRIu64 " ", s->objects,
			s->bytes, s->objects - s->freed_objects, s->bytes - s->freed_bytes);
		escape_print(out, s->name);
		fputc('\n', out);
	}
}

/* A collection retires the threads' existing allocation buffers (TLABs): the VM reports no
 * allocations in these. */
static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni, (void)thread;
	(*vm)->ForceGarbageCollection(vm);
}

/* A last collection: the objects that survive it are the live ones. The VM delivers pending free
 * events when they are disabled. */
static void JNICALL vm_ends(jvmtiEnv *vm, JNIEnv *jni)
{
	FILE *out;

	(void)jni;
	(*vm)->SetEventNotificationMode(vm, JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
	(*vm)->ForceGarbageCollection(vm);
	(*vm)->SetEventNotificationMode(vm, JVMTI_DISABLE, JVMTI_EVENT_OBJECT_FREE, NULL);
	out = log_file_open(&objects.log);
	if (!out) {
		log_file_close(&objects.log, NULL, -errno);
		return;
	}
	pthread_mutex_lock(&objects.lock);
	objects.ended = true;
	write_sites(out);
	/* The sort invalidated the table. */
	objects.count = 0;
	objects.table_size = 0;
	pthread_mutex_unlock(&objects.lock);
	log_file_close(&objects.log, out, 0);
}

jint objects_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		   struct jitlog_writer *text, bool running)
{
	static const jvmtiCapabilities wanted = {
		.can_generate_sampled_object_alloc_events = 1,
		.can_tag_objects = 1,
		.can_generate_object_free_events = 1,
	};
	static const jvmtiEventCallbacks callbacks = {
		.VMInit = vm_begins,
		.VMDeath = vm_ends,
		.SampledObjectAlloc = object_comes,
		.ObjectFree = object_freed,
	};
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_VM_INIT,
		JVMTI_EVENT_VM_DEATH,
		JVMTI_EVENT_OBJECT_FREE,
		JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
	};
	jvmtiError err = (*vm)->AddCapabilities(vm, &wanted);

	(void)java, (void)text;
	if (err)
		return refused(vm, "OBJECTINFO: this Java VM does not report objects", err);
	objects.log.program = agent_kind.name;
	objects.log.kind = "log-objects";
	if (!log_file_make(&objects.log, o->calls.path, o->calls.prefix, "VM"))
		return JNI_ERR;
	objects.o = o;
	err = (*vm)->SetHeapSamplingInterval(vm, 0);
	if (!err)
		err = (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks));
	for (size_t i = 0; !err && i < sizeof(events) / sizeof(events[0]); i++)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, events[i], NULL);
	if (!err && running)
		err = (*vm)->ForceGarbageCollection(vm);
	if (!err && running)
		fprintf(stderr, "%s: OBJECTINFO: objects that exist already are not counted\n",
			agent_kind.name);
	return err ? refused(vm, "the Java VM's objects", err) : JNI_OK;
}
