/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The collectors there are, and which of them serves. */
#include <stdio.h>
#include <string.h>
#include "backend.h"

const struct collector *const collectors[] = { &collector_driver, &collector_perf, &collector_timer,
					       NULL };

const struct collector *collector_named(const char *name)
{
	for (int i = 0; collectors[i]; i++)
		if (!strcmp(name, collectors[i]->name))
			return collectors[i];
	return NULL;
}

const struct collector *collector_choose(const char *name, const struct trace_config *config,
					 int *rc, char *why, size_t room)
{
	const struct collector *c;
	size_t n = 0;

	*why = 0;
	if (name) {
		c = collector_named(name);
		*rc = c ? PI_OK : PI_INVALID_ARGUMENT;
		if (!c)
			snprintf(why, room, "there is no collector '%s'", name);
		return c;
	}
	*rc = PI_NOT_SUPPORTED;
	for (int i = 0; collectors[i]; i++) {
		struct collector_check check = { .state = COLLECTOR_WORKS };

		c = collectors[i];
		c->check(config, &check);
		if (check.state == COLLECTOR_WORKS) {
			*rc = PI_OK;
			return c;
		}
		if (n < room)
			n += (size_t)snprintf(why + n, room - n, "%s%s: %s%s%s", n ? "; " : "",
					      c->name, check.why, *check.cure ? ": " : "",
					      check.cure);
		if (check.state == COLLECTOR_REFUSED)
			*rc = PI_NO_PERMISSION;
	}
	if (n < room)
		snprintf(why + n, room - n, "; what mends it: swtrace check");
	return NULL;
}
