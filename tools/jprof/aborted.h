/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ends of which the VM tells nobody: exit() in native code, and a fatal error, after which the VM
 * aborts. What was counted is written then, too.
 */
#ifndef JPROF_ABORTED_H
#define JPROF_ABORTED_H

#include <jni.h>

/* Calls write() at such an end: at an exit with NULL, else with why, in a process of its own, which
 * has a copy of all memory as it was; that may be damaged, and the process is given up after a
 * while. Once for a process. */
void aborted_watch(void (*write)(const char *why), JavaVM *java);

#endif
