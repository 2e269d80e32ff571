/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts about x86 code from a module's file: from its unwind table, what the frame pointer register
 * holds at an instruction; from its bytes, whether a call precedes an address. Addresses are file
 * addresses, a2n_answer's module_offset.
 */
#ifndef POST_CODE_RULES_H
#define POST_CODE_RULES_H

#include <a2n.h>

enum code_rule {
	CODE_RULE_UNKNOWN, /* not covered by a table */
	CODE_FRAME_HERE,   /* frame of the current function */
	CODE_FRAME_KEPT,   /* unchanged: the caller's value */
	CODE_FRAME_USED,   /* another value: the caller's is saved */
};
enum code_frame_kind {
	CODE_FRAME_UNKNOWN,
	CODE_WITH_FRAME, /* at some instruction */
	CODE_WITHOUT_FRAME,
};
enum code_known { CODE_UNKNOWN, CODE_NO, CODE_YES };

struct code_rules;

struct code_rules *code_rules_open(struct a2n *a); /* NULL: no memory */
void code_rules_close(struct code_rules *r);
enum code_rule code_rule(struct code_rules *r, const struct a2n_module *m, uint64_t address);
enum code_frame_kind code_has_frame(struct code_rules *r, const struct a2n_symbol *function);
/* Returns whether the table marks the code there as outermost: it has no caller. */
bool code_ends_stack(struct code_rules *r, const struct a2n_module *m, uint64_t address);
/* Returns whether the address follows a call, or is where a signal handler returns to. */
enum code_known code_follows_call(struct code_rules *r, const struct a2n_module *m,
				  uint64_t address);
/* Returns whether that call is direct; *reach: offset of its target from the end of the call. */
bool code_calls_direct(struct code_rules *r, const struct a2n_module *m, uint64_t address,
		       int64_t *reach);
/* Returns whether code begins with a jump, as entries of a procedure linkage table do. */
bool code_jumps(struct code_rules *r, const struct a2n_module *m, uint64_t address);

#endif
