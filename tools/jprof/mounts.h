/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mounts and unmounts of virtual threads on carriers: extension events, which the VM identifies by
 * name. */
#ifndef MOUNTS_H
#define MOUNTS_H

#include <jvmti.h>
#include <stdbool.h>

/* The VM calls both on the carrier, with the thread that is mounted. */
typedef void JNICALL mount_event(jvmtiEnv *vm, JNIEnv *jni, jthread thread);

/* Registers both callbacks. Call it once the VM is up, for an environment that
 * newer_support_virtual() accepted. Returns false if the VM lacks one of the two events. */
bool mounts_subscribe(jvmtiEnv *vm, mount_event *mounted, mount_event *unmounted);

#endif
