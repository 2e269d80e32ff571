/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLASS_UNLOAD_H
#define CLASS_UNLOAD_H

#include <jvmti.h>

/* HotSpot reports classes that are unloaded by an event of its own. */
jvmtiError class_unload_hear(jvmtiEnv *vm, jvmtiExtensionEvent callback);

#endif
