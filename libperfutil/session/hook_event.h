/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A named event as trace_hook.c writes it: with its declaration, if that was not written yet. */
#ifndef PITRACE_HOOK_EVENT_H
#define PITRACE_HOOK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* Where the declaration is known. Only for this process: a child declares its own. */
struct hook_said {
	uint64_t interval; /* hook files: the collector's generation and interval */
	uint32_t begun;    /* driver: `begun` of its page */
	uint32_t reserved;
};

struct hook_event {
	uint32_t number; /* the records' minor */
	uint32_t ints, strs;
	uint32_t head; /* head of its records, if it has no strings: struct hookfile_record */
	bool wanted;
	const char *name, *fields;
	struct hook_said *said;
};

/* Returns as TraceHook does. May be called in signal handlers. */
int hook_write_event(const struct hook_event *e, const uint64_t ints[], const int lens[],
		     const char *const strs[]);
/* The same for an event without strings; its usual case is as fast as TraceHook. */
int hook_write_ints(const struct hook_event *e, const uint64_t ints[]);

#endif
