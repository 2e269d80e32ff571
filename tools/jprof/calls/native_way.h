/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How compiled code calls the hooks. A native is called through VM code that publishes the thread's
 * state with a memory barrier on entry and exit: most of the cost of an event. VMs have two ways to
 * avoid them: calling natives like the VM's own functions (CriticalJNINatives, up to Java 17), and
 * barriers issued for all CPUs by the thread that waits for another (UseSystemMemoryBarrier, since
 * Java 20).
 */
#ifndef NATIVE_WAY_H
#define NATIVE_WAY_H

#include <jni.h>
#include <stdbool.h>

/* Selects the fastest way; call before the hooks are called. running: the VM has already started,
 * and its barriers cannot be changed. Flags set by the user are kept. Returns the way's name. */
const char *native_way(JavaVM *java, bool running);

#endif
