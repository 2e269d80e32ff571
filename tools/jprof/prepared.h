/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classes that the VM prepared lately, and when: no method of theirs ran before. VMs report code
 * when it may have run already; for a class's own code this is the bound.
 */
#ifndef PREPARED_H
#define PREPARED_H

#include <jni.h>
#include <stdint.h>

/* Older classes are not looked up. */
#define PREPARED_KEPT 80000000ull /* ns */

void prepared_add(JNIEnv *jni, jclass class, const char *signature);
/* The time by CLOCK_MONOTONIC; 0: not lately, or unknown. */
uint64_t prepared_since(JNIEnv *jni, jclass class, const char *signature);

#endif
