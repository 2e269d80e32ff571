/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classifies an instruction's effect on control flow by its text from libopcodes. */
#ifndef POST_INSN_H
#define POST_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of instructions, by what they may do other than continue with the next one. */
enum insn_kind {
	INSN_PLAIN, /* no control transfer */
	INSN_CALL,
	INSN_RETURN,
	INSN_JUMP,    /* as in enum pitrace_branch_kind */
	INSN_IRET,    /* return from the kernel */
	INSN_SYSCALL, /* system call */
	INSN_TRAP,    /* raises an exception: ud2, int3 */
	INSN_BAD,     /* unknown to libopcodes */
};
struct insn {
	size_t length; /* 0: truncated or invalid */
	enum insn_kind kind;
	bool conditional;
	bool direct; /* `target` is valid */
	uint64_t target;
	char text[116];
};

/* machine: EM_*. From length and text, sets kind and conditional, and direct if the text contains
 * the target's address. */
void insn_classify(unsigned int machine, struct insn *insn);

#endif
