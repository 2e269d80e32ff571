/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gates: from stubs to C. Save all registers that a function may change, except x16, which returns
 * the real return address, x17, and vector registers, which the code called here does not use
 * (events.c).
 */
#include "gates.h"

	.text
	.arch	armv8-a

#define KEPT 176

	.macro	keep
	stp	x0, x1, [sp, #-KEPT]!
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	str	x18, [sp, #128]
	mrs	x17, nzcv
	str	x17, [sp, #136]
	stp	x29, x30, [sp, #144]
	add	x29, sp, #144
	.endm

	.macro	back
	ldr	x18, [sp, #136]
	msr	nzcv, x18
	ldr	x18, [sp, #128]
	ldp	x29, x30, [sp, #144]
	ldp	x14, x15, [sp, #112]
	ldp	x12, x13, [sp, #96]
	ldp	x10, x11, [sp, #80]
	ldp	x8, x9, [sp, #64]
	ldp	x6, x7, [sp, #48]
	ldp	x4, x5, [sp, #32]
	ldp	x2, x3, [sp, #16]
	ldp	x0, x1, [sp], #KEPT
	.endm

/* function(stub, stack pointer at the site, address of the saved x30): a stub has pushed 16 bytes
 * if it was called, none if a function returned to it */
	.macro	gate name, function, from
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.p2align 4
\name:
	hint	#34		/* bti c */
	keep
	sub	x0, x30, #\from
	.ifeq	\from - STUB_LEFT
	add	x1, sp, #KEPT
	.else
	add	x1, sp, #KEPT + 16
	.endif
	add	x2, sp, #KEPT
	bl	\function
	.endm

	.macro	end name
	back
	ret
	.size	\name, . - \name
	.endm

	.macro	entered
	and	x17, x0, #1	/* 0: the return is not hooked */
	.endm

	.macro	left
	mov	x16, x0
	.endm

#include "gate_list.inc"

	.macro	vectors instruction
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\instruction q\n, [sp, #16 * \n]
	.endr
	.irp	n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\instruction q\n, [sp, #16 * \n]
	.endr
	.endm

/* patch_with_vectors(function, a, b): calls it with the vector registers saved. */
	.globl	patch_with_vectors
	.hidden	patch_with_vectors
	.type	patch_with_vectors, %function
	.p2align 4
patch_with_vectors:
	hint	#34
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	mrs	x3, fpcr
	mrs	x4, fpsr
	stp	x3, x4, [sp, #16]
	sub	sp, sp, #512
	vectors	str
	mov	x3, x0
	mov	x0, x1
	mov	x1, x2
	blr	x3
	vectors	ldr
	add	sp, sp, #512
	ldp	x3, x4, [sp, #16]
	msr	fpcr, x3
	msr	fpsr, x4
	ldp	x29, x30, [sp], #32
	ret
	.size	patch_with_vectors, . - patch_with_vectors

	.section .note.GNU-stack, "", %progbits
/* The property that -mbranch-protection=standard adds to compiled files. */
	.section .note.gnu.property, "a"
	.p2align 3
	.word	4, 16, 5
	.asciz	"GNU"
	.word	0xc0000000, 4, 3, 0
