/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mounts.h"

#include <string.h>

#define MOUNT_EVENT   "com.sun.hotspot.events.VirtualThreadMount"
#define UNMOUNT_EVENT "com.sun.hotspot.events.VirtualThreadUnmount"

bool mounts_subscribe(jvmtiEnv *vm, mount_event *mounted, mount_event *unmounted)
{
	jvmtiExtensionEventInfo *events;
	jint n, found = 0;

	if ((*vm)->GetExtensionEvents(vm, &n, &events))
		return false;
	for (jint i = 0; i < n; i++) {
		jint index = events[i].extension_event_index;
		bool mount = !strcmp(events[i].id, MOUNT_EVENT);
		jvmtiExtensionEvent callback;

		if (!mount && strcmp(events[i].id, UNMOUNT_EVENT))
			continue;
		callback = (jvmtiExtensionEvent)(void *)(mount ? mounted : unmounted);
		found += !(*vm)->SetExtensionEventCallback(vm, index, callback) &&
			 !(*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, (jvmtiEvent)index,
							  NULL);
	}
	(*vm)->Deallocate(vm, (unsigned char *)events);
	return found == 2;
}
