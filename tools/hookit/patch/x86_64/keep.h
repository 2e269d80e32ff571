/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What code of assembly calls C with that nobody has saved registers for: fentry.S, gates.S. All
 * registers that a function may change are kept, not just those of arguments: a compiler that knows
 * both caller and function lets values stay in the others. The stack is aligned for the C code,
 * which compilers do not do for all functions.
 */
#ifndef PATCH_KEEP_H
#define PATCH_KEEP_H

#define KEPT 80 /* bytes of ten registers, from %rbx on */

	.macro	keep_one register
	push	\register
	.cfi_adjust_cfa_offset 8
	.endm

	.macro	back_one register
	pop	\register
	.cfi_adjust_cfa_offset -8
	.endm

	.macro	keep
	.irp	register, %rax, %rdi, %rsi, %rdx, %rcx, %r8, %r9, %r10, %r11, %rbx
	keep_one \register
	.endr
	.cfi_rel_offset %rbx, 0
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	and	$-16, %rsp
	.endm

	.macro	back
	mov	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	back_one %rbx
	.cfi_restore %rbx
	.irp	register, %r11, %r10, %r9, %r8, %rcx, %rdx, %rsi, %rdi, %rax
	back_one \register
	.endr
	.endm

/* The head of xsave's area must be zeroes. */
	.macro	clear_xsave_head zero
	.irp	at, 512, 520, 528, 536, 544, 552, 560, 568
	mov	\zero, \at(%rsp)
	.endr
	.endm

/* Begins and ends a hidden or shown function. */
	.macro	function name
	.globl	\name
	.type	\name, @function
	.p2align 5
\name:
	.cfi_startproc
	endbr64
	.endm

	.macro	function_ends name
	.cfi_endproc
	.size	\name, . - \name
	.endm

/* What -fcf-protection=full says of compiled files; no executable stack. */
	.macro	file_ends
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 3, 0
	.section .note.GNU-stack, "", @progbits
	.endm

#endif
