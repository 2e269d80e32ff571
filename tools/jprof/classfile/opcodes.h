/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytecode instructions: their lengths, and the number of operand stack slots that they pop and
 * push. */
#ifndef OPCODES_H
#define OPCODES_H

#include "constants.h"

enum opcode {
	OP_SIPUSH = 0x11,
	OP_LDC_W = 0x13,
	OP_ALOAD = 0x19,
	OP_ACONST_NULL = 0x01,
	OP_ALOAD_0 = 0x2a,
	OP_ALOAD_3 = 0x2d,
	OP_ISTORE = 0x36,
	OP_ASTORE = 0x3a,
	OP_ISTORE_0 = 0x3b,
	OP_ASTORE_3 = 0x4e,
	OP_DUP = 0x59,
	OP_DUP_X1 = 0x5a,
	OP_DUP_X2 = 0x5b,
	OP_DUP2 = 0x5c,
	OP_DUP2_X1 = 0x5d,
	OP_DUP2_X2 = 0x5e,
	OP_SWAP = 0x5f,
	OP_IINC = 0x84,
	OP_IFEQ = 0x99,
	OP_GOTO = 0xa7,
	OP_JSR = 0xa8,
	OP_RET = 0xa9,
	OP_TABLESWITCH = 0xaa,
	OP_LOOKUPSWITCH = 0xab,
	OP_IRETURN = 0xac,
	OP_RETURN = 0xb1,
	OP_GETSTATIC = 0xb2,
	OP_PUTSTATIC = 0xb3,
	OP_GETFIELD = 0xb4,
	OP_PUTFIELD = 0xb5,
	OP_INVOKEVIRTUAL = 0xb6,
	OP_INVOKESPECIAL = 0xb7,
	OP_INVOKESTATIC = 0xb8,
	OP_INVOKEINTERFACE = 0xb9,
	OP_INVOKEDYNAMIC = 0xba,
	OP_NEW = 0xbb,
	OP_ATHROW = 0xbf,
	OP_MONITORENTER = 0xc2,
	OP_MONITOREXIT = 0xc3,
	OP_WIDE = 0xc4,
	OP_MULTIANEWARRAY = 0xc5,
	OP_IFNULL = 0xc6,
	OP_IFNONNULL = 0xc7,
	OP_GOTO_W = 0xc8,
	OP_JSR_W = 0xc9,
};

static inline bool op_is_return(uint8_t op)
{
	return op >= OP_IRETURN && op <= OP_RETURN;
}

/* A branch with a 16-bit offset after the opcode. */
static inline bool op_is_branch(uint8_t op)
{
	return (op >= OP_IFEQ && op <= OP_JSR) || op == OP_IFNULL || op == OP_IFNONNULL;
}

/* Whether the instruction stores into local variable 0. */
static inline bool op_stores_first(const uint8_t *p)
{
	if (*p == OP_WIDE)
		return p[1] >= OP_ISTORE && p[1] <= OP_ASTORE && !p[2] && !p[3];
	if (*p >= OP_ISTORE && *p <= OP_ASTORE)
		return !p[1];
	return *p >= OP_ISTORE_0 && *p <= OP_ASTORE_3 && (*p - OP_ISTORE_0) % 4 == 0;
}

/* Whether execution never continues at the next instruction. */
static inline bool op_ends(uint8_t op)
{
	return op == OP_GOTO || op == OP_GOTO_W || op == OP_RET || op == OP_TABLESWITCH ||
	       op == OP_LOOKUPSWITCH || op == OP_ATHROW || op_is_return(op);
}

/* A switch: offsets of its cases are `step` bytes apart, each the last part of its case. */
struct op_switch {
	uint32_t base;  /* position of the first operand, the default's offset, after the padding */
	uint32_t cases; /* position of the first case's offset */
	uint32_t n, step;
};

/* Returns an instruction's length; 0: invalid or truncated. Fills in *s for a switch. */
uint32_t op_length(const uint8_t *code, uint32_t size, uint32_t at, struct op_switch *s);

/*
 * Computes the slots that an instruction pops and pushes; some depend on a constant, which is
 * looked up. false: the constant is missing. Not for instructions that copy values (aload, astore,
 * dup and the like): the caller handles them.
 */
bool op_stack(const uint8_t *code, uint32_t at, const struct constants *c, unsigned int *takes,
	      unsigned int *puts);

/* Computes the slots of a method's arguments and result; false: invalid descriptor. */
bool descriptor_slots(struct constant_text d, unsigned int *arguments, unsigned int *result);

#endif
