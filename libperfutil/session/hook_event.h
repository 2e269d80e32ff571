/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A named event as trace_hook.c writes it: with its declaration, where that is not known yet. */
#ifndef PITRACE_HOOK_EVENT_H
#define PITRACE_HOOK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* Who knows the declaration. It is of this process alone: a child tells its own. */
struct hook_said {
	uint64_t interval; /* by hook files: the collector's generation and interval */
	uint32_t begun;    /* by the driver: its page's */
	uint32_t reserved;
};

struct hook_event {
	uint32_t number; /* the records' minor */
	uint32_t ints, strs;
	uint32_t head; /* of its records, if it has no strings: struct hookfile_record */
	bool wanted;
	const char *name, *fields;
	struct hook_said *said;
};

/* Returns as TraceHook does. It may be called in signal handlers. */
int hook_write_event(const struct hook_event *e, const uint64_t ints[], const int lens[],
		     const char *const strs[]);
/* The same of one without strings, in the usual case as quickly as TraceHook. */
int hook_write_ints(const struct hook_event *e, const uint64_t ints[]);

#endif
