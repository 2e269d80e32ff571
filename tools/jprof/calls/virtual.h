/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Virtual threads (Java 21): each has a tree of its own, whichever thread carries it. The VM tells
 * when one is mounted on its carrier and when it leaves that; what passes between is not its.
 */
#ifndef JPROF_VIRTUAL_H
#define JPROF_VIRTUAL_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdio.h>

/* An environment of its own in the VM. A VM that has none, or tells nothing of them: calls are
 * their carriers'; false, and nothing is said. */
bool virtual_begin(JavaVM *java, bool running);

/* Methods in which a thread becomes another one have no beginning or no end in either. */
bool virtual_switches(const char *method);

void virtual_write(FILE *out);

#endif
