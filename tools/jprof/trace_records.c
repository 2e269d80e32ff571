/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace_records.h"

#include <dlfcn.h>
#include <stddef.h>

#include <perfutil.h>

#include "base/installed.h"

static int (*thread_name)(const char *name);
static int (*code_load)(const char *name, uint64_t address, uint64_t size);
static int (*code_unload)(uint64_t address, uint64_t size);
static const uint64_t **listening; /* TraceListening of that library */

bool records_begin(void)
{
	static const char *const near[] = { "../libperfutil.so.0", "../libperfutil.so", NULL };
	char path[PATH_MAX];
	void *library = installed_near(near, path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!library)
		return false;
	listening = dlsym(library, "TraceListening");
	*(void **)&thread_name = dlsym(library, "TraceThreadName");
	*(void **)&code_load = dlsym(library, "TraceJitLoad");
	*(void **)&code_unload = dlsym(library, "TraceJitUnload");
	if (listening && thread_name && code_load && code_unload)
		return true;
	thread_name = NULL;
	code_load = NULL;
	code_unload = NULL;
	return false;
}

bool records_wanted(void)
{
	if (!thread_name)
		return false;
	for (int i = 0; i < 2; i++)
		if (__atomic_load_n(&listening[i][PITRACE_MTE / 64], __ATOMIC_RELAXED) >>
			    PITRACE_MTE % 64 &
		    1)
			return true;
	return false;
}

void records_thread(const char *name)
{
	if (thread_name)
		thread_name(name);
}

void records_code(const char *name, uint64_t address, uint64_t size)
{
	if (code_load)
		code_load(name, address, size);
}

void records_code_gone(uint64_t address, uint64_t size)
{
	if (code_unload)
		code_unload(address, size);
}
