/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rule by which a native function's caller is found, of addresses that were looked up before:
 * nearly all frames of a stack are those of the one before it. Safe in signal handlers and between
 * threads: a lookup never waits, and an entry that another thread is writing counts as missing.
 */
#ifndef RULE_CACHE_H
#define RULE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum caller_kind {
	FRAME_CALL,
	FRAME_SIGNAL, /* the kernel's: it has the interrupted registers */
	FRAME_LAST,   /* has no caller */
};

struct frame_rule {
	enum caller_kind kind;
	bool by_frame;       /* the caller's stack pointer is relative to the frame pointer */
	bool saves_frame;    /* the caller's frame pointer is on the stack */
	int64_t stack;       /* offset of the caller's stack pointer */
	int64_t back, frame; /* offsets of the return address and the frame pointer from it */
};

/* Returns the key of a frame, or 0 if its rule cannot be kept. Take it before the rule is looked
 * up: what was found before rule_cache_clear() is forgotten with its key. */
uint64_t rule_cache_key(uint64_t pc, bool is_exact);
bool rule_cache_find(uint64_t key, struct frame_rule *rule);
/* Rules with large offsets are not kept. */
void rule_cache_put(uint64_t key, const struct frame_rule *rule);
/* Call it when files were loaded: another file's code may be at the same addresses. */
void rule_cache_clear(void);

#endif
