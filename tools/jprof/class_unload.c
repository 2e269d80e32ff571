/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class_unload.h"

#include <string.h>

jvmtiError class_unload_subscribe(jvmtiEnv *vm, jvmtiExtensionEvent callback)
{
	jvmtiExtensionEventInfo *events;
	jvmtiError err;
	jint n;

	err = (*vm)->GetExtensionEvents(vm, &n, &events);
	if (err)
		return err;
	err = JVMTI_ERROR_NOT_AVAILABLE;
	for (jint i = 0; i < n; i++)
		if (!strcmp(events[i].id, "com.sun.hotspot.events.ClassUnload"))
			err = (*vm)->SetExtensionEventCallback(vm, events[i].extension_event_index,
							       callback);
	(*vm)->Deallocate(vm, (unsigned char *)events);
	return err;
}
