/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entry points of code compiled with -pg -mfentry, called by a function's first instruction, and
 * with -minstrument-return=call, called by the last one before its return. No caller has saved
 * registers: arguments, results and registers that the compiler knows the function does not change
 * are preserved. The C functions called here use no vector registers, except through
 * hook_with_vectors().
 */
#if defined(__x86_64__)
#include "patch/x86_64/keep.inc"

	.text

/* event name, to: calls to(address in the function, address of its return address). The frame may
 * be aligned or not: it has just begun, or is about to end. */
	.macro	event name, to
	.hidden	\to
	function \name
	keep
	mov	KEPT(%rbx), %rdi
	lea	KEPT + 8(%rbx), %rsi
	cld
	call	\to
	back
	ret
	function_ends \name
	.endm

	event	__fentry__, hook_fentry
	event	__return__, hook_return

/*
 * hook_with_vectors(to, a, b): calls to(a, b, saved registers) and restores the registers of x87,
 * SSE, AVX and AVX-512 afterwards. The XSAVE area, without parts that pass no values, takes 2,696
 * bytes.
 */
	.hidden	hook_with_vectors
	.hidden	hook_has_xsave
	function hook_with_vectors
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub	$2816, %rsp
	and	$-64, %rsp
	mov	%rdi, %r8
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	cmpb	$0, hook_has_xsave(%rip)
	je	1f
	xor	%eax, %eax
	clear_xsave_head %rax
	mov	$0xe7, %eax
	xor	%edx, %edx
	xsave64	(%rsp)
	mov	%rsp, %rdx
	call	*%r8
	mov	$0xe7, %eax
	xor	%edx, %edx
	xrstor64 (%rsp)
	jmp	2f
1:	fxsave64 (%rsp)
	mov	%rsp, %rdx
	call	*%r8
	fxrstor64 (%rsp)
2:	leave
	.cfi_def_cfa %rsp, 8
	ret
	function_ends hook_with_vectors

	file_ends
#else
	.section .note.GNU-stack, "", %progbits
#endif
