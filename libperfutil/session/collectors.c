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

/* Returns the first of these majors that it lacks, or -1. */
static int lacking_major(const struct collector *c, const uint64_t majors[])
{
	const uint64_t *has = collector_majors(c->name);

	for (int major = 0; major < PITRACE_MAJORS; major++)
		if (majors[major / 64] & ~has[major / 64] & 1ull << (major & 63))
			return major;
	return -1;
}

/* The reasons why no collector works; consecutive equal ones are joined. */
struct reasons {
	char *text;
	size_t n, room;
	int lacked; /* the major that the last one lacks, or -1 */
};

static void add_reason(struct reasons *r, const char *text, const char *more, const char *end)
{
	if (r->n < r->room)
		r->n += (size_t)snprintf(r->text + r->n, r->room - r->n, "%s%s%s", text, more, end);
}

/* Ends the text on lacking majors. */
static void end_lacking(struct reasons *r)
{
	const char *name = TraceMajorName(r->lacked);
	char number[16];

	if (r->lacked < 0)
		return;
	snprintf(number, sizeof(number), " (0x%02X)", (unsigned int)r->lacked);
	add_reason(r, ": no records of ", name ? name : "major", number);
	r->lacked = -1;
}

static void reason_lacks(struct reasons *r, const struct collector *c, int major)
{
	bool same = r->lacked == major;

	if (!same)
		end_lacking(r);
	add_reason(r, same ? ", " : r->n ? "; " : "", c->name, "");
	r->lacked = major;
}

static void reason_is(struct reasons *r, const struct collector *c,
		      const struct collector_check *check)
{
	end_lacking(r);
	add_reason(r, r->n ? "; " : "", c->name, ": ");
	add_reason(r, check->why, *check->cure ? ": " : "", check->cure);
}

const struct collector *collector_choose(const char *name, const struct trace_config *config,
					 int *rc, char *why, size_t room)
{
	struct collector_check check;
	struct reasons reasons = { why, 0, room, -1 };
	const struct collector *c;
	int major;

	*why = 0;
	if (name) {
		c = collector_named(name);
		*rc = c ? PI_OK : PI_INVALID_ARGUMENT;
		if (!c)
			snprintf(why, room, "unknown collector '%s'", name);
		major = c ? lacking_major(c, config->majors) : -1;
		if (major < 0)
			return c;
		collector_lacks(c, (unsigned int)major, why, room);
		*rc = PI_NOT_SUPPORTED;
		return NULL;
	}
	*rc = PI_NOT_SUPPORTED;
	for (int i = 0; collectors[i]; i++) {
		c = collectors[i];
		check = (struct collector_check){ .state = COLLECTOR_ABSENT };
		major = lacking_major(c, config->majors);
		if (major >= 0) {
			reason_lacks(&reasons, c, major);
			continue;
		}
		c->check(config, &check);
		if (check.state == COLLECTOR_WORKS) {
			*why = 0;
			*rc = PI_OK;
			return c;
		}
		reason_is(&reasons, c, &check);
		if (check.state == COLLECTOR_REFUSED)
			*rc = PI_NO_PERMISSION;
	}
	end_lacking(&reasons);
	add_reason(&reasons, "; what mends it: swtrace check", "", "");
	return NULL;
}
