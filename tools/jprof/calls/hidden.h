/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hidden classes (those of lambdas, and what a program defines as such): the VM shows their files
 * to no agent and lets nobody change them. Their methods are in no tree; the log lists them.
 */
#ifndef JPROF_HIDDEN_H
#define JPROF_HIDDEN_H

#include <jvmti.h>
#include <stdio.h>

/* Keeps the class's name if it is a hidden one. */
void hidden_see(jvmtiEnv *vm, jclass class);
void hidden_write(FILE *out);

#endif
