/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers of older JDKs lack virtual threads: the capability is the bit after the last known one,
 * and the events follow the last known callback.
 */
#ifndef NEWER_JVMTI_H
#define NEWER_JVMTI_H

#include <jvmti.h>
#include <stdbool.h>

#define NEWER_CAPABILITY  44 /* can_support_virtual_threads */
#define NEWER_VIRTUAL_END ((jvmtiEvent)88)
#define NEWER_FIRST       50 /* the first event that the callbacks have */

union newer_callbacks {
	jvmtiEventCallbacks known;
	void *all[NEWER_VIRTUAL_END - NEWER_FIRST + 1];
};

/* Enables virtual threads for the environment; returns false if the VM does not support them. */
static inline bool newer_support_virtual(jvmtiEnv *vm)
{
	union {
		jvmtiCapabilities known;
		uint8_t bytes[sizeof(jvmtiCapabilities)];
	} can = { .bytes = { 0 } }, wanted = { .bytes = { 0 } };

	if ((*vm)->GetPotentialCapabilities(vm, &can.known) ||
	    !(can.bytes[NEWER_CAPABILITY / 8] >> NEWER_CAPABILITY % 8 & 1))
		return false;
	wanted.bytes[NEWER_CAPABILITY / 8] = 1 << NEWER_CAPABILITY % 8;
	return !(*vm)->AddCapabilities(vm, &wanted.known);
}

#endif
