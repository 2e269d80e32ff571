/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A record as passed to TraceHook: its length, and its data in one piece. */
#ifndef PITRACE_HOOK_RECORD_H
#define PITRACE_HOOK_RECORD_H

#include <pifile.h>
#include <stdint.h>

#define HOOK_DATA_MAX (PITRACE_USER_MAX - sizeof(struct pitrace_rec) - sizeof(struct pitrace_user))

struct hook_event;

struct hook_record {
	int major, minor, int_count, str_count;
	const uint64_t *ints;
	const int *lens;
	const char *const *strs;
	uint32_t bytes;                 /* of integers, lengths and strings: by hook_measure() */
	const struct hook_event *event; /* the event to be declared before the record; or NULL */
};

/* Sets the length. Returns as TraceHook does. */
int hook_measure(struct hook_record *h);
/* Copies h->bytes bytes. A string that has grown meanwhile is truncated. */
void hook_copy(const struct hook_record *h, uint8_t *to);

#endif
