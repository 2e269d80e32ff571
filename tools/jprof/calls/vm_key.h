/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What minima of a Java VM are of: the agent, the VM, the CPU, the metrics, how calls are seen. */
#ifndef VM_KEY_H
#define VM_KEY_H

#include <jvmti.h>
#include <stddef.h>

/* natives: by which way natives are called (native_way.h); NULL: events need none. */
void vm_key(char *key, size_t size, jvmtiEnv *vm, const char *events, const char *natives);

#endif
