/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choice of a collector. */
#include <stdio.h>
#include <string.h>
#include "collect/collectors.h"

const struct collector *const collectors[] = {
#define LISTED(name, use, majors) &collector_##name,
	COLLECTORS(LISTED) NULL,
#undef LISTED
};

const struct collector *collector_named(const char *name)
{
	for (int i = 0; collectors[i]; i++)
		if (!strcmp(name, collectors[i]->name))
			return collectors[i];
	return NULL;
}

void collector_lacks(const struct collector *c, unsigned int major, char *why, size_t room)
{
	const char *name = TraceMajorName((int)major);
	char who[64];
	size_t n = 0;

	*who = 0;
	for (int i = 0; collectors[i] && n < sizeof(who); i++)
		if (collectors[i] != c && TraceCollectorHas(collectors[i]->name, (int)major))
			n += (size_t)snprintf(who + n, sizeof(who) - n, "%s%s", n ? " or " : "",
					      collectors[i]->name);
	snprintf(why, room, "the collector %s has no records of %s (0x%02X)%s%s%s", c->name,
		 name ? name : "major", major, *who ? ": these need the collector " : "", who,
		 *who ? " (see swtrace check)" : "");
}

/* True: it lacks such records, and why says which. */
static bool lacks_major(const struct collector *c, const uint64_t majors[], char *why, size_t room)
{
	const uint64_t *has = collector_majors(c->name);

	for (unsigned int major = 0; major < PITRACE_MAJORS; major++)
		if (majors[major / 64] & ~has[major / 64] & 1ull << (major & 63)) {
			collector_lacks(c, major, why, room);
			return true;
		}
	return false;
}

const struct collector *collector_choose(const char *name, const struct trace_config *config,
					 int *rc, char *why, size_t room)
{
	struct collector_check check;
	const struct collector *c;
	size_t n = 0;

	*why = 0;
	if (name) {
		c = collector_named(name);
		*rc = c ? PI_OK : PI_INVALID_ARGUMENT;
		if (!c)
			snprintf(why, room, "unknown collector '%s'", name);
		if (!c || !lacks_major(c, config->majors, why, room))
			return c;
		*rc = PI_NOT_SUPPORTED;
		return NULL;
	}
	*rc = PI_NOT_SUPPORTED;
	for (int i = 0; collectors[i]; i++) {
		c = collectors[i];
		check = (struct collector_check){ .state = COLLECTOR_ABSENT };
		if (!lacks_major(c, config->majors, check.why, sizeof(check.why)))
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
