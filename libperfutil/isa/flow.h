/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control flow of an instruction: whether it is a branch, of which kind, and whether it is
 * conditional. A stepper needs no more than this; disassemblers do the rest.
 */
#ifndef PITRACE_FLOW_H
#define PITRACE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_BYTES 15 /* bytes of the longest instruction */

enum flow_what {
	FLOW_NEXT,   /* not a branch */
	FLOW_BRANCH, /* always taken */
	FLOW_MAYBE,  /* conditional: the next instruction is `length` bytes on */
	FLOW_SYSCALL,
	/* repeats at the same address until it is done (x86: rep) */
	FLOW_REPEAT,
	FLOW_TRAP,    /* a breakpoint: a trap of the program itself */
	FLOW_RESERVE, /* begins an LL/SC sequence, which no trap may interrupt */
	FLOW_RELEASE, /* … and ends it */
	FLOW_UNKNOWN, /* some of its bytes are missing */
};

struct flow {
	uint8_t what;   /* enum flow_what */
	uint8_t kind;   /* kind of a branch: enum pitrace_branch_kind */
	uint8_t length; /* bytes; 0: not decoded (x86, not a branch except cpuid) */
	bool direct;    /* MAYBE: the target is at `reach` bytes from here */
	int64_t reach;
	uint32_t number; /* s390x, SYSCALL: the number in the instruction, 0 none */
};

/* Decodes an instruction of which n bytes are available (FLOW_BYTES suffice). */
struct flow flow_x86(const uint8_t *code, size_t n, bool wide); /* wide: 64-bit code */
struct flow flow_arm64(const uint8_t *code, size_t n);
struct flow flow_ppc64(const uint8_t *code, size_t n); /* in this machine's byte order */
struct flow flow_s390(const uint8_t *code, size_t n);

/* Decodes for the machine that this was built for. */
struct flow flow_here(const uint8_t *code, size_t n, bool wide);

#endif
