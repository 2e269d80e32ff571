/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ids (method_id.h) of the VM's Method structures. A probe runs in Java code and may call neither
 * JNI nor JVMTI: names are read from the VM's structures, once per method. A running method's class
 * stays loaded; after classes were unloaded, another method may have the same address.
 */
#ifndef VM_METHODS_H
#define VM_METHODS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "vm_image.h"

/* takes: whether package/Class.method(descriptor) is measured. Returns NULL, or an error
 * message. */
const char *vm_methods_init(const struct vm_image *i, bool (*takes)(const char *name));

#define VM_METHOD_NONE UINT32_MAX /* not measured */

/* The hash table of known methods: its pages are only populated when they are used. */
#define VM_PLACES (1u << 22) /* a power of two */

struct vm_place {
	const void *_Atomic method;
	_Atomic uint64_t known; /* id + 1, | generation << 32; 0: unknown */
};
extern struct vm_place *vm_places;
extern atomic_uint vm_generation; /* changes when classes are unloaded; never 0 */

static inline uint32_t vm_place_of(const void *method)
{
	uint64_t hash = ((uintptr_t)method >> 3) * 0x9e3779b97f4a7c15;

	return (uint32_t)(hash >> 40) & (VM_PLACES - 1);
}

/* The slow path: the method is not at its first place, or unknown since classes were unloaded. */
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

void vm_methods_unloaded(void);

#endif
