/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HotSpot's own probes of method begins and ends (-XX:+DTraceMethodProbes): its code calls two
 * functions of its library at each, as leafs. Their first instructions are replaced by a jump.
 */
#ifndef PROBES_H
#define PROBES_H

#include <jvmti.h>
#include <stdbool.h>

/* Before the VM has made any code. takes: whether a method is measured. NULL, or why not; nothing
 * is changed then. */
const char *probes_begin(jvmtiEnv *vm, JavaVM *java, bool (*takes)(const char *name));

#endif
