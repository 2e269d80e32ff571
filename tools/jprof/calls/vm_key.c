/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vm_key.h"

#include <string.h>

#include "calibration_key.h"

static void add_property(char *key, size_t size, jvmtiEnv *vm, const char *name,
			 const char *property, const char *end)
{
	char *value = NULL;

	if ((*vm)->GetSystemProperty(vm, property, &value))
		value = NULL;
	key_add(key, size, name, "%.*s", value ? (int)strcspn(value, end) : 7,
		value ? value : "unknown");
	(*vm)->Deallocate(vm, (unsigned char *)value);
}

void vm_key(char *key, size_t size, jvmtiEnv *vm, const char *events)
{
	key_add(key, size, "agent", "%s", PITRACE_VERSION);
	key_add_build(key, size, "agent build id", (uintptr_t)vm_key);
	add_property(key, size, vm, "vm", "java.vm.name", "\n");
	add_property(key, size, vm, "vm version", "java.vm.version", "\n");
	add_property(key, size, vm, "vm mode", "java.vm.info", ",");
	key_add_build(key, size, "vm build id", (uintptr_t)(*vm)->GetSystemProperty);
	key_add_machine(key, size);
	key_add(key, size, "events", "%s", events);
}
