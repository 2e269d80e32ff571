/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a virtual thread is mounted on a carrier, and when it leaves that: events with names, not
 * numbers. */
#ifndef MOUNTS_H
#define MOUNTS_H

#include <jvmti.h>
#include <stdbool.h>

/* The VM calls both on the carrier, with the thread that is mounted. */
typedef void JNICALL mount_event(jvmtiEnv *vm, JNIEnv *jni, jthread thread);

/* Once the VM is up, for an environment that newer_support_virtual() was called for. False: this VM
 * has not both. */
bool mounts_hear(jvmtiEnv *vm, mount_event *mounted, mount_event *unmounted);

#endif
