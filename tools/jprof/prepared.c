/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A ring of weak references, which keep no class alive. When it overflows, the oldest are removed
 * and unknown from then on. JNI may wait for a safepoint while the lock is held; that cannot
 * deadlock, because the VM thread, which runs safepoints, never takes the lock.
 */
#include <pthread.h>

#include "monotonic.h"
#include "prepared.h"

#define ENTRIES 1024

static struct prepared {
	uint64_t time;
	uint32_t hash;
	jweak class;
} ring[ENTRIES];
static uint32_t first, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t hash_of(const char *text)
{
	uint32_t h = 2166136261u;

	while (*text)
		h = (h ^ (uint8_t)*text++) * 16777619u;
	return h;
}

void prepared_add(JNIEnv *jni, jclass class, const char *signature)
{
	struct prepared new = { now_ns(), hash_of(signature), NULL };

	new.class = (*jni)->NewWeakGlobalRef(jni, class);
	if (!new.class)
		return;
	pthread_mutex_lock(&lock);
	while (count && (count == ENTRIES || new.time - ring[first].time > PREPARED_KEPT)) {
		(*jni)->DeleteWeakGlobalRef(jni, ring[first].class);
		first = (first + 1) % ENTRIES;
		count--;
	}
	ring[(first + count++) % ENTRIES] = new;
	pthread_mutex_unlock(&lock);
}

uint64_t prepared_since(JNIEnv *jni, jclass class, const char *signature)
{
	uint32_t hash = hash_of(signature), i;
	uint64_t since = 0;

	pthread_mutex_lock(&lock);
	for (i = 0; i < count && !since; i++) {
		const struct prepared *p = &ring[(first + i) % ENTRIES];

		if (p->hash == hash && (*jni)->IsSameObject(jni, p->class, class))
			since = p->time;
	}
	pthread_mutex_unlock(&lock);
	return since;
}
