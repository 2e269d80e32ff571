/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent's message when a JVMTI call fails. */
#ifndef REFUSED_H
#define REFUSED_H

#include <jvmti.h>
#include <stdio.h>

#include "escape.h"
#include "agent_options.h"

/* Prints "AGENT: WHAT: " and the VM's name of the error that the call returned. */
static inline jint refused(jvmtiEnv *vm, const char *what, jvmtiError err)
{
	char *words = NULL;

	(*vm)->GetErrorName(vm, err, &words);
	escape_printf(stderr, "%s: %s: %s\n", agent_kind.name, what, words ? words : "refused");
	(*vm)->Deallocate(vm, (unsigned char *)words);
	return JNI_ERR;
}

#endif
