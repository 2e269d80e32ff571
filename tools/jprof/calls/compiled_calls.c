/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compiled_calls.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "call_hooks.h"
#include "joined_calls.h"
#include "methods.h"

static atomic_bool shown;

static int32_t number_of(const char *name)
{
	return methods_add_name(name, (uint32_t)strlen(name));
}

__attribute__((visibility("default"))) joined_find jprof_functions;

const struct joined_calls *jprof_functions(uint32_t version)
{
	static const struct joined_calls calls = {
		.number = number_of,
		.enter = hooks_function_enter,
		.leave = hooks_function_leave,
		.popped = hooks_function_popped,
	};

	return shown && version == JOINED_VERSION ? &calls : NULL;
}

void compiled_calls_show(void)
{
	shown = true;
}
