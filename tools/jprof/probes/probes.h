/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HotSpot's own probes of method entries and exits (-XX:+DTraceMethodProbes): at each, its code
 * calls a leaf function of its library. The first instructions of the two functions are replaced by
 * a jump.
 */
#ifndef PROBES_H
#define PROBES_H

#include <jvmti.h>
#include <stdbool.h>

/* Call before the VM has generated any code. takes: whether a method is measured. Returns NULL, or
 * an error message: then nothing was changed. */
const char *probes_begin(jvmtiEnv *vm, JavaVM *java, bool (*takes)(const char *name));

#endif
