/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exits that the VM does not report: exit() in native code, and a fatal error, after which the VM
 * aborts. The counts are written in both cases.
 */
#ifndef JPROF_ABORTED_H
#define JPROF_ABORTED_H

#include <jni.h>

/* Calls write() at such an exit: with NULL at exit(), else with the reason, in a forked child. The
 * child's copy of memory may be corrupt: it is killed after a time limit. Call once per process. */
void aborted_watch(void (*write)(const char *why), JavaVM *java);

#endif
