/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace_records.h"

#include <dlfcn.h>
#include <stddef.h>

#include <perfutil.h>

#include "base/installed.h"

static int (*thread_name)(const char *name);
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
	if (!listening)
		thread_name = NULL;
	return thread_name != NULL;
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
