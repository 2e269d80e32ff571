/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control flow of an instruction: whether it is a branch, of which kind, taken always or sometimes.
 * This is what a stepper must know of the stepped instruction; disassemblers do the rest.
 */
#ifndef PITRACE_FLOW_H
#define PITRACE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_BYTES 15 /* bytes of the longest instruction */

enum flow_what {
	FLOW_NEXT,   /* no branch */
	FLOW_BRANCH, /* always taken */
	FLOW_MAYBE,  /* conditional: the next instruction is `length` bytes on */
	FLOW_SYSCALL,
	/* repeats at the same address until it is done (x86: rep) */
	FLOW_REPEAT,
	FLOW_TRAP,    /* a breakpoint: a trap of the program's own */
	FLOW_RESERVE, /* begins a sequence that no trap may interrupt */
	FLOW_RELEASE, /* … and ends it */
	FLOW_UNKNOWN, /* not all of its bytes are there */
};

struct flow {
	uint8_t what;   /* enum flow_what */
	uint8_t kind;   /* kind of a branch: enum pitrace_branch_kind */
	uint8_t length; /* bytes; 0: not looked at (x86, no branch but cpuid) */
	bool direct;    /* MAYBE: the target is `reach` bytes on from here */
	int64_t reach;
	uint32_t number; /* s390x, SYSCALL: the number in the instruction, 0 none */
};

/* Decodes an instruction of which n bytes are available (FLOW_BYTES suffice). */
struct flow flow_x86(const uint8_t *code, size_t n, bool wide); /* wide: 64-bit code */
struct flow flow_arm64(const uint8_t *code, size_t n);
struct flow flow_ppc64(const uint8_t *code, size_t n); /* of this machine's byte order */
struct flow flow_s390(const uint8_t *code, size_t n);

/* The machine that this was built for. */
struct flow flow_here(const uint8_t *code, size_t n, bool wide);

#endif
