/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ids (method_id.h) of the VM's own Method structures. A probe runs in Java code: it may call
 * neither JNI nor JVMTI, so names are read from the VM's structures, once for each method. While a
 * method runs its class stays; once classes have been unloaded another one may have its place.
 */
#ifndef VM_METHODS_H
#define VM_METHODS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "vm_image.h"

/* takes: whether a method, package/Class.method(descriptor), is measured. NULL, or why not. */
const char *vm_methods_init(const struct vm_image *i, bool (*takes)(const char *name));

#define VM_METHOD_NONE UINT32_MAX /* it is not measured */

/* The table of those that were asked for: its memory is taken from the kernel as it is used. */
#define VM_PLACES (1u << 22) /* a power of two */

struct vm_place {
	const void *_Atomic method;
	_Atomic uint64_t known; /* id + 1, | generation << 32; 0: nothing yet */
};
extern struct vm_place *vm_places;
extern atomic_uint vm_generation; /* of the classes: never 0 */

static inline uint32_t vm_place_of(const void *method)
{
	uint64_t hash = ((uintptr_t)method >> 3) * 0x9e3779b97f4a7c15;

	return (uint32_t)(hash >> 40) & (VM_PLACES - 1);
}

/* One that is not where it should be, or was not asked for since classes were unloaded. */
uint32_t vm_methods_find(const void *method);

static inline uint32_t vm_methods_id(const void *method)
{
	struct vm_place *p = &vm_places[vm_place_of(method)];
	uint64_t known = atomic_load_explicit(&p->known, memory_order_acquire);

	if (__builtin_expect(known >> 32 != atomic_load_explicit(&vm_generation,
								 memory_order_relaxed) ||
				     atomic_load_explicit(&p->method, memory_order_relaxed) !=
					     method,
			     0))
		return vm_methods_find(method);
	return (uint32_t)known - 1;
}

/* Classes have been unloaded. */
void vm_methods_unloaded(void);

#endif
