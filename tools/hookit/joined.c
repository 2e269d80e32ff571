/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "joined.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "hook_functions.h"
#include "hookit_begin.h"
#include "joined_calls.h"

bool hook_joins;
static const struct joined_calls *calls;

static int find_agent(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	if (strcmp(name, "libjprof.so") && strcmp(name, "libpijit.so"))
		return 0;
	snprintf(arg, PATH_MAX, "%s", info->dlpi_name);
	return 1;
}

bool joined_begin(void)
{
	char path[PATH_MAX] = "";
	joined_find *find;
	void *agent;

	if (!dl_iterate_phdr(find_agent, path))
		return false;
	/* The reference is kept: the agent's functions are called from now on. */
	agent = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	find = agent ? (joined_find *)(uintptr_t)dlsym(agent, JOINED_SYMBOL) : NULL;
	calls = find ? find(JOINED_VERSION) : NULL;
	hook_joins = calls;
	return hook_joins;
}

int32_t joined_number(const char *name)
{
	return calls->number(name);
}

/* Ignores events of a handler that interrupts another event; an event that was left by a jump is
 * over at the next event of a frame above it. */
static bool begins(uintptr_t sp)
{
	if (!atomic_load_explicit(&hook_on, memory_order_relaxed) ||
	    (hook_self.busy && sp <= hook_self.busy))
		return false;
	hook_self.busy = sp;
	return true;
}

static struct hook_function *known(uintptr_t function)
{
	struct hook_function *f = functions_find(function);
	int error = errno;

	if (!f) {
		f = hookit_new_function(function);
		errno = error;
	}
	return f && f->kind != FUNCTION_LEFT_OUT ? f : NULL;
}

void joined_entered(uintptr_t function, uintptr_t sp, uintptr_t site)
{
	const struct hook_function *f;

	if (!begins(sp))
		return;
	f = known(function);
	if (f)
		calls->enter(f->joined, sp, !site);
	hook_self.busy = 0;
}

void joined_left(uintptr_t function, uintptr_t sp)
{
	const struct hook_function *f;

	if (!begins(sp))
		return;
	f = function ? known(function) : NULL;
	if (f || !function)
		calls->leave(f ? f->joined : JOINED_ANY, sp);
	hook_self.busy = 0;
}

void joined_popped(uintptr_t sp, enum call_event went)
{
	if (!begins(sp))
		return;
	calls->popped(sp, went == EVENT_UNWIND);
	hook_self.busy = 0;
}
