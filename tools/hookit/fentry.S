/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What code that is compiled with -pg -mfentry calls as its first instruction, and with
 * -minstrument-return=call as its last one before it returns. Nobody has saved registers there:
 * arguments, results and whatever the compiler knows that the function leaves alone stay as they
 * are. The functions that are called use no vector registers, but behind hook_with_vectors.
 */
#if defined(__x86_64__)
#include "patch/x86_64/keep.inc"

	.text

/* name to: calls to(where the event is told, where the frame's return address lies). The frame may
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
 * hook_with_vectors(to, a, b): calls to(a, b, where they are) with x87's, SSE's, AVX's and AVX-512's registers as
 * they were afterwards. The area of XSAVE, without what nobody passes in: 2,696 bytes.
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
