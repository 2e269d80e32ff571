/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLASS_UNLOAD_H
#define CLASS_UNLOAD_H

#include <jvmti.h>

/* Registers a callback for HotSpot's extension event that reports unloaded classes. */
jvmtiError class_unload_subscribe(jvmtiEnv *vm, jvmtiExtensionEvent callback);

#endif
