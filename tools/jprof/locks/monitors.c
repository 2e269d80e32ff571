/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "java_text.h"
#include "monitors.h"

#include <stdio.h>
#include <string.h>

#define ABOVE      32
#define SHARED     0x80000000u /* the high half's other bits are the record that the rest share */
#define BELOW(tag) ((uint32_t)(tag))

#define NAME        1024
#define ROOM_BEHIND 16 /* for a suffix: @hash, (class) or (others) */

static struct {
	jvmtiEnv *vm;
	struct lock_table *table;
	pthread_mutex_t *lock;
	pthread_mutex_t naming; /* guards tags; taken before `lock` */
} monitors = { .naming = PTHREAD_MUTEX_INITIALIZER };

void monitors_begin(jvmtiEnv *vm, struct lock_table *table, pthread_mutex_t *lock)
{
	monitors.vm = vm;
	monitors.table = table;
	monitors.lock = lock;
}

static uint32_t hash_of(jobject object)
{
	jint hash = 0;

	(*monitors.vm)->GetObjectHashCode(monitors.vm, object, &hash);
	return (uint32_t)hash;
}

/* Writes package/Class for Lpackage/Class;, and an array's signature unchanged. */
static void put_class(jclass class, char *to, size_t room)
{
	char *signature = NULL;
	size_t n;

	(*monitors.vm)->GetClassSignature(monitors.vm, class, &signature, NULL);
	n = signature ? strlen(signature) : 0;
	if (n > 2 && *signature == 'L')
		snprintf(to, room, "%.*s", (int)(n - 2), signature + 1);
	else
		snprintf(to, room, "%s", signature ? signature : "");
	java_text(to);
	(*monitors.vm)->Deallocate(monitors.vm, (unsigned char *)signature);
}

static uint32_t add(const char *name, enum lock_kind kind)
{
	uint32_t number;

	pthread_mutex_lock(monitors.lock);
	number = lock_table_add(monitors.table, name, kind);
	pthread_mutex_unlock(monitors.lock);
	return number;
}

/* Names it Class@hash; a class object by its class: static synchronized methods enter it. */
static uint32_t add_object(jobject object, jclass class, enum lock_kind kind)
{
	char name[NAME + ROOM_BEHIND];
	size_t n;

	put_class(class, name, NAME);
	if (!strcmp(name, "java/lang/Class")) {
		put_class(object, name, NAME);
		strcat(name, " (class)");
	} else {
		n = strlen(name);
		snprintf(name + n, sizeof(name) - n, "@%x", hash_of(object));
	}
	return add(name, kind);
}

static uint32_t add_others(jclass class, enum lock_kind kind)
{
	char name[NAME + ROOM_BEHIND];

	put_class(class, name, NAME);
	strcat(name, " (others)");
	return add(name, kind);
}

static uint64_t tag_of(jobject object)
{
	jlong tag = 0;

	(*monitors.vm)->GetTag(monitors.vm, object, &tag);
	return (uint64_t)tag;
}

static void set_tag(jobject object, uint32_t above, uint32_t below)
{
	(*monitors.vm)->SetTag(monitors.vm, object, (jlong)((uint64_t)above << ABOVE | below));
}

/* The caller holds `naming`. Another thread may have added the record meanwhile. */
static struct lock_id name(jobject object, jclass class, enum lock_kind kind)
{
	uint32_t below = BELOW(tag_of(object)), above = (uint32_t)(tag_of(class) >> ABOVE);

	if (below)
		return (struct lock_id){ .number = below };
	if (!(above & SHARED) && above < MONITORS_EACH) {
		below = add_object(object, class, kind);
		set_tag(object, (uint32_t)(tag_of(object) >> ABOVE), below);
		set_tag(class, above + 1, BELOW(tag_of(class)));
		return (struct lock_id){ .number = below };
	}
	if (!(above & SHARED)) {
		above = SHARED | add_others(class, kind);
		set_tag(class, above, BELOW(tag_of(class)));
	}
	return (struct lock_id){ above & ~SHARED, hash_of(object) };
}

struct lock_id monitors_id(JNIEnv *jni, jobject object, enum lock_kind kind)
{
	struct lock_id id = { .number = BELOW(tag_of(object)) };
	uint32_t above;
	jclass class;

	if (id.number)
		return id;
	class = (*jni)->GetObjectClass(jni, object);
	above = (uint32_t)(tag_of(class) >> ABOVE);
	if (above & SHARED) {
		id = (struct lock_id){ above & ~SHARED, hash_of(object) };
	} else {
		pthread_mutex_lock(&monitors.naming);
		id = name(object, class, kind);
		pthread_mutex_unlock(&monitors.naming);
	}
	(*jni)->DeleteLocalRef(jni, class);
	return id;
}
