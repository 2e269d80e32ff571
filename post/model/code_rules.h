/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a module's file says of its code on x86: by its unwinding table, what the frame pointer's
 * register holds at an instruction; by its bytes, whether a call ends there. Addresses are those of
 * the file, a2n_answer's module_offset.
 */
#ifndef POST_CODE_RULES_H
#define POST_CODE_RULES_H

#include <a2n.h>

enum code_rule {
	CODE_RULE_UNKNOWN, /* no table covers it */
	CODE_FRAME_HERE,   /* the function's own frame */
	CODE_FRAME_KEPT,   /* what it was in the caller */
	CODE_FRAME_USED,   /* something else: the caller's value is saved */
};
enum code_frame_kind {
	CODE_FRAME_UNKNOWN,
	CODE_WITH_FRAME, /* somewhere in it */
	CODE_WITHOUT_FRAME,
};
enum code_known { CODE_UNKNOWN, CODE_NO, CODE_YES };

struct code_rules;

struct code_rules *code_rules_open(struct a2n *a); /* NULL: no memory */
void code_rules_close(struct code_rules *r);
enum code_rule code_rule(struct code_rules *r, const struct a2n_module *m, uint64_t address);
enum code_frame_kind code_has_frame(struct code_rules *r, const struct a2n_symbol *function);
/* Whether the table says that nothing called the code there. */
bool code_ends_stack(struct code_rules *r, const struct a2n_module *m, uint64_t address);
/* Whether a call ends there, or a signal handler returns there. */
enum code_known code_follows_call(struct code_rules *r, const struct a2n_module *m,
				  uint64_t address);
/* Whether that is a call of an address in itself, and how far that is from the call's end. */
bool code_calls_direct(struct code_rules *r, const struct a2n_module *m, uint64_t address,
		       int64_t *reach);
/* Whether code begins with a jump, as entries of a procedure linkage table do. */
bool code_jumps(struct code_rules *r, const struct a2n_module *m, uint64_t address);

#endif
