/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells what an instruction does to the flow, by its words as libopcodes writes them. */
#ifndef POST_INSN_H
#define POST_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of instructions: what each may do beside going on to the next. */
enum insn_kind {
	INSN_PLAIN, /* nothing */
	INSN_CALL,
	INSN_RETURN,
	INSN_JUMP,    /* as enum pitrace_branch_kind */
	INSN_IRET,    /* back from the kernel */
	INSN_SYSCALL, /* to the kernel, on purpose */
	INSN_TRAP,    /* it raises an exception: ud2, int3 */
	INSN_BAD,     /* libopcodes does not know it */
};
struct insn {
	size_t length; /* 0: none there: cut, or bad */
	enum insn_kind kind;
	bool conditional;
	bool direct; /* `target` is where it goes */
	uint64_t target;
	char text[116];
};

/* machine: ELF's number. From length and text: kind, conditional, and direct, if its target is an
 * address in its words. */
void insn_classify(unsigned int machine, struct insn *insn);

#endif
