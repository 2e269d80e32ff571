/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gates: from stubs to C. All registers that a function may change are kept, not just those of
 * arguments: a compiler that knows both caller and function lets values stay in the others. Those
 * of vectors are not touched: what is called here is compiled without them (events.c). Flags are
 * nobody's at these places, but for the carry that the gate of entries gives back.
 */
#include "gates.h"

	.text

/* Ten registers. The stack is aligned for the C code, which compilers do not do for all
 * functions. */
#define KEPT 80

	.macro	keep
	push	%rax
	push	%rdi
	push	%rsi
	push	%rdx
	push	%rcx
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%rbx
	mov	%rsp, %rbx
	and	$-16, %rsp
	.endm

	.macro	back
	mov	%rbx, %rsp
	pop	%rbx
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rcx
	pop	%rdx
	pop	%rsi
	pop	%rdi
	pop	%rax
	.endm

/* function(stub, place of the return address) */
	.macro	gate name, function, from, more
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	endbr64
	keep
	mov	KEPT(%rbx), %rdi
	lea	KEPT + 8(%rbx), %rsi
	sub	$\from, %rdi
	\more
	call	\function
	.endm

	.macro	end name
	back
	ret
	.size	\name, . - \name
	.endm

	gate	patch_gate_enter, patch_entered, STUB_CALLED, "mov %rsi, %rdx"
	cmp	$1, %al		/* carry: false */
	end	patch_gate_enter

	gate	patch_gate_leave, patch_left, STUB_LEFT
	mov	%rax, KEPT + 8(%rbx)
	end	patch_gate_leave

	gate	patch_gate_begin, patch_began, STUB_CALLED
	end	patch_gate_begin

	gate	patch_gate_end, patch_ended, STUB_CALLED
	end	patch_gate_end

	gate	patch_gate_tail, patch_tailed, STUB_CALLED
	end	patch_gate_tail

/* patch_with_vectors(function, a, b): calls it with the vector registers kept; as many as there
 * are. patch_vectors_size, patch_vectors_mask: of the memory and of the parts, for xsave; mask
 * 0: there is no xsave. The function's result stays. */
	.globl	patch_with_vectors
	.hidden	patch_with_vectors
	.type	patch_with_vectors, @function
	.p2align 4
patch_with_vectors:
	endbr64
	push	%rbp
	mov	%rsp, %rbp
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
	mov	%rbx, 512(%rsp)
	mov	%rbx, 520(%rsp)
	mov	%rbx, 528(%rsp)
	mov	%rbx, 536(%rsp)
	mov	%rbx, 544(%rsp)
	mov	%rbx, 552(%rsp)
	mov	%rbx, 560(%rsp)
	mov	%rbx, 568(%rsp)
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
	ret
	.size	patch_with_vectors, . - patch_with_vectors

	.section .note.GNU-stack, "", @progbits
/* What -fcf-protection=full says of compiled files. */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 3, 0
