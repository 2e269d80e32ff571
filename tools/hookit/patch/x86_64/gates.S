/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gates: from stubs to C. Vector registers are not touched: the code called here is compiled
 * without them (events.c). Flags need not be preserved at these places; the gate of entries returns
 * its result in the carry.
 */
#include "gates.h"
#include "keep.inc"

	.text

/* function(stub, address of the return address, twice) */
	.macro	gate name, function, from
	.hidden	\name
	function \name
	keep
	mov	KEPT(%rbx), %rdi
	lea	KEPT + 8(%rbx), %rsi
	mov	%rsi, %rdx
	sub	$\from, %rdi
	call	\function
	.endm

	.macro	end name
	back
	ret
	function_ends \name
	.endm

	.macro	entered
	cmp	$1, %al		/* carry: false */
	.endm

	.macro	left
	mov	%rax, KEPT + 8(%rbx)
	.endm

#include "gate_list.inc"

/* patch_with_vectors(function, a, b): calls it with the vector registers saved that the CPU has,
 * and returns its result. patch_vectors_size, patch_vectors_mask: size of the memory and components
 * for xsave; mask 0: there is no xsave. */
	.hidden	patch_with_vectors
	function patch_with_vectors
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	push	%rbx
	push	%r12
	sub	patch_vectors_size(%rip), %rsp
	and	$-64, %rsp
	mov	%rdi, %r11
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	mov	patch_vectors_mask(%rip), %eax
	test	%eax, %eax
	jz	1f
	xor	%ebx, %ebx
	clear_xsave_head %rbx
	xor	%edx, %edx
	xsave64	(%rsp)
	call	*%r11
	mov	%rax, %r12
	mov	patch_vectors_mask(%rip), %eax
	xor	%edx, %edx
	xrstor64 (%rsp)
	jmp	2f
1:	fxsave64 (%rsp)
	call	*%r11
	mov	%rax, %r12
	fxrstor64 (%rsp)
2:	mov	%r12, %rax
	lea	-16(%rbp), %rsp
	pop	%r12
	pop	%rbx
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	function_ends patch_with_vectors

	file_ends
