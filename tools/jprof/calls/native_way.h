/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How compiled code gets into the hooks. A native is entered through code of the VM's that tells
 * others where the thread is, and waits each time, on the way in and out, until all CPUs know: most
 * of what an event takes. VMs have two ways without: natives that are called as functions of the
 * VM's own are (CriticalJNINatives, up to Java 17), and barriers that who waits for a thread sets
 * in all others (UseSystemMemoryBarrier, from Java 20 on).
 */
#ifndef NATIVE_WAY_H
#define NATIVE_WAY_H

#include <jni.h>
#include <stdbool.h>

/* Before the hooks are called. running: the VM has begun by itself: its barriers stay as they are.
 * Which way is taken, in words. What the user has said of it stays. */
const char *native_way(JavaVM *java, bool running);

#endif
