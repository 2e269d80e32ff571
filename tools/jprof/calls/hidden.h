/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hidden classes (those of lambdas, or defined as hidden by a program): the VM does not show their
 * class files to agents and does not allow changing them. Their methods are in no tree; the log
 * lists them.
 */
#ifndef JPROF_HIDDEN_H
#define JPROF_HIDDEN_H

#include <jvmti.h>
#include <stdio.h>

/* Records the class's name if it is hidden. */
void hidden_see(jvmtiEnv *vm, jclass class);
void hidden_write(FILE *out);

#endif
