/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classes that the VM prepared recently, with the time: none of their methods ran before it. VMs
 * may report code after it has started to run; this time is the lower bound for code of the class.
 */
#ifndef PREPARED_H
#define PREPARED_H

#include <jni.h>
#include <stdint.h>

/* Older classes are dropped. */
#define PREPARED_KEPT 80000000ull /* ns */

void prepared_add(JNIEnv *jni, jclass class, const char *signature);
/* Returns the CLOCK_MONOTONIC time of the preparation; 0 if it was not recent, or is unknown. */
uint64_t prepared_since(JNIEnv *jni, jclass class, const char *signature);

#endif
