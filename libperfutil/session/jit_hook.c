/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A runtime's own records of code and threads, on the trace's clock like all others. */
#include <string.h>
#include <perfutil.h>
#include "session/trace_inner.h"

/* Bytes of a record that remain besides the integers. */
#define NAME_MAX_BYTES (PITRACE_USER_MAX - 128)

static int put(enum pitrace_jit_kind kind, uint64_t address, uint64_t size, uint64_t from,
	       const char *name)
{
	const uint64_t ints[] = { kind, address, size, from };
	size_t length = name ? strlen(name) : 0;
	int lens[] = { (int)(length < NAME_MAX_BYTES ? length : NAME_MAX_BYTES) };

	return TraceHook(0, PITRACE_MTE, PITRACE_MTE_JIT, 4, name != NULL, ints, lens, &name);
}

int TraceJitLoad(const char *name, uint64_t address, uint64_t size)
{
	return put(PITRACE_JIT_LOAD, address, size, 0, name ? name : "");
}

int TraceJitMove(uint64_t from, uint64_t to, uint64_t size)
{
	return put(PITRACE_JIT_MOVE, to, size, from, NULL);
}

int TraceJitUnload(uint64_t address, uint64_t size)
{
	return put(PITRACE_JIT_UNLOAD, address, size, 0, NULL);
}

int TraceThreadName(const char *name)
{
	size_t length = name ? strlen(name) : 0;
	int lens[] = { (int)(length < NAME_MAX_BYTES ? length : NAME_MAX_BYTES) };

	if (!name)
		name = "";
	return TraceHook(0, PITRACE_MTE, PITRACE_MTE_JAVA_THREAD, 0, 1, NULL, lens, &name);
}

void trace_put_switch(enum pitrace_itrace_switched how, uintptr_t function, uintptr_t caller)
{
	(void)put(PITRACE_JIT_ITRACE, caller, how, function, NULL);
}
