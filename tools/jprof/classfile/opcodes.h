/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytecode instructions: how long each is, and what it takes from the operand stack and puts
 * there. */
#ifndef OPCODES_H
#define OPCODES_H

#include "constants.h"

enum opcode {
	OP_SIPUSH = 0x11,
	OP_LDC_W = 0x13,
	OP_ALOAD = 0x19,
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

/* A branch by two bytes, behind the opcode. */
static inline bool op_is_branch(uint8_t op)
{
	return (op >= OP_IFEQ && op <= OP_JSR) || op == OP_IFNULL || op == OP_IFNONNULL;
}

/* It stores into local variable 0. */
static inline bool op_stores_first(const uint8_t *p)
{
	if (*p == OP_WIDE)
		return p[1] >= OP_ISTORE && p[1] <= OP_ASTORE && !p[2] && !p[3];
	if (*p >= OP_ISTORE && *p <= OP_ASTORE)
		return !p[1];
	return *p >= OP_ISTORE_0 && *p <= OP_ASTORE_3 && (*p - OP_ISTORE_0) % 4 == 0;
}

/* The next instruction is not reached from this one. */
static inline bool op_ends(uint8_t op)
{
	return op == OP_GOTO || op == OP_GOTO_W || op == OP_RET || op == OP_TABLESWITCH ||
	       op == OP_LOOKUPSWITCH || op == OP_ATHROW || op_is_return(op);
}

/* A switch: its cases follow `at`, each `step` bytes after the one before, the offset last. */
struct op_switch {
	uint32_t base;  /* of its first operand, the default's offset, behind the padding */
	uint32_t cases; /* where the cases' offsets are: the first one's */
	uint32_t n, step;
};

/* Bytes of the instruction at `at`; 0: it is none, or is cut. For a switch *s is filled in. */
uint32_t op_length(const uint8_t *code, uint32_t size, uint32_t at, struct op_switch *s);

/*
 * Slots that the instruction takes and puts, of those that treat all values alike; what it refers
 * to in the constant pool is looked up. false: it refers to what is not there. Instructions that
 * move values as they are (aload, astore, dup and its kin) are the caller's.
 */
bool op_stack(const uint8_t *code, uint32_t at, const struct constants *c, unsigned int *takes,
	      unsigned int *puts);

/* Slots of a method's arguments and of its result; false: no descriptor. */
bool descriptor_slots(struct constant_text d, unsigned int *arguments, unsigned int *result);

#endif
