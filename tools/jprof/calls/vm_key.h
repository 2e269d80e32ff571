/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a Java VM's minima: agent, VM, CPU, metrics, and how calls are recorded. */
#ifndef VM_KEY_H
#define VM_KEY_H

#include <jvmti.h>
#include <stddef.h>

/* natives: how natives are called (native_way.h); NULL: events need none. */
void vm_key(char *key, size_t size, jvmtiEnv *vm, const char *events, const char *natives);

#endif
