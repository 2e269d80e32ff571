/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers (methods.h) of the VM's own Method structures. A probe runs in Java code: it may call
 * neither JNI nor JVMTI, so names are read from the VM's structures, once for each method. While a
 * method runs its class stays; once classes have been unloaded another one may have its place.
 */
#ifndef VM_METHODS_H
#define VM_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "vm_image.h"

/* takes: whether a method, package/Class.method(descriptor), is measured. NULL, or why not. */
const char *vm_methods_init(const struct vm_image *i, bool (*takes)(const char *name));

#define VM_METHOD_NONE UINT32_MAX /* it is not measured */
uint32_t vm_methods_number(const void *method);
bool vm_methods_native(const void *method);
/* Classes have been unloaded. */
void vm_methods_unloaded(void);

#endif
