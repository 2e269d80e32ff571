/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classes that the VM prepared lately, and when: no method of theirs ran before. VMs tell of code
 * when it may have run already; for a class's own code this is the bound.
 */
#ifndef PREPARED_H
#define PREPARED_H

#include <jni.h>
#include <stdint.h>

/* Longer ago than this nobody asks. */
#define PREPARED_KEPT	80000000ull	/* ns */

void prepared_add(JNIEnv *jni, jclass class, const char *signature);
/* When, by CLOCK_MONOTONIC; 0: not lately, or nobody knows. */
uint64_t prepared_since(JNIEnv *jni, jclass class, const char *signature);

#endif
