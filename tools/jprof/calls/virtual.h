/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Virtual threads (Java 21): each has its own tree, regardless of its carrier. The VM reports when
 * one is mounted on a carrier and unmounted; the time while it is unmounted is not counted.
 */
#ifndef JPROF_VIRTUAL_H
#define JPROF_VIRTUAL_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdio.h>

/* Creates a separate environment in the VM. Returns false, without a message, if the VM has no
 * virtual threads or does not report them: then their calls are counted for their carriers. */
bool virtual_begin(JavaVM *java, bool running);

/* Whether the method switches threads: its beginning and its end are in different threads. */
bool virtual_switches(const char *method);

void virtual_write(FILE *out);

#endif
