/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What code that is compiled with -pg -mfentry calls as its first instruction, and with
 * -minstrument-return=call as its last one before it returns. Nobody has saved registers there:
 * arguments, results and whatever the compiler knows that the function leaves alone stay as they
 * are. The functions that are called use no vector registers, but behind hook_with_vectors.
 */
#if defined(__x86_64__)

	.text

/* name to: calls to(where the event is told, where the frame's return address lies). */
.macro EVENT name to
	.globl \name
	.hidden \to
	.type \name, @function
	.balign 32
\name:
	.cfi_startproc
	endbr64
	push %rax
	.cfi_adjust_cfa_offset 8
	push %rdi
	.cfi_adjust_cfa_offset 8
	push %rsi
	.cfi_adjust_cfa_offset 8
	push %rdx
	.cfi_adjust_cfa_offset 8
	push %rcx
	.cfi_adjust_cfa_offset 8
	push %r8
	.cfi_adjust_cfa_offset 8
	push %r9
	.cfi_adjust_cfa_offset 8
	push %r10
	.cfi_adjust_cfa_offset 8
	push %r11
	.cfi_adjust_cfa_offset 8
	mov 72(%rsp), %rdi
	lea 80(%rsp), %rsi
	/* The function's frame may be aligned or not: it has just begun, or is about to end. */
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov %rsp, %rbx
	.cfi_def_cfa_register %rbx
	and $-16, %rsp
	cld
	call \to
	mov %rbx, %rsp
	.cfi_def_cfa_register %rsp
	pop %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	pop %r11
	.cfi_adjust_cfa_offset -8
	pop %r10
	.cfi_adjust_cfa_offset -8
	pop %r9
	.cfi_adjust_cfa_offset -8
	pop %r8
	.cfi_adjust_cfa_offset -8
	pop %rcx
	.cfi_adjust_cfa_offset -8
	pop %rdx
	.cfi_adjust_cfa_offset -8
	pop %rsi
	.cfi_adjust_cfa_offset -8
	pop %rdi
	.cfi_adjust_cfa_offset -8
	pop %rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size \name, . - \name
.endm

	EVENT __fentry__ hook_fentry
	EVENT __return__ hook_return

/*
 * hook_with_vectors(to, a, b): calls to(a, b) with x87's, SSE's, AVX's and AVX-512's registers as
 * they were afterwards. The area of XSAVE, without what nobody passes in: 2,696 bytes.
 */
	.globl hook_with_vectors
	.hidden hook_with_vectors
	.hidden hook_has_xsave
	.type hook_with_vectors, @function
hook_with_vectors:
	.cfi_startproc
	endbr64
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub $2816, %rsp
	and $-64, %rsp
	mov %rdi, %r8
	mov %rsi, %rdi
	mov %rdx, %rsi
	cmpb $0, hook_has_xsave(%rip)
	je 1f
	/* Its head must be zeroes. */
	xor %eax, %eax
	mov %rax, 512(%rsp)
	mov %rax, 520(%rsp)
	mov %rax, 528(%rsp)
	mov %rax, 536(%rsp)
	mov %rax, 544(%rsp)
	mov %rax, 552(%rsp)
	mov %rax, 560(%rsp)
	mov %rax, 568(%rsp)
	mov $0xe7, %eax
	xor %edx, %edx
	xsave64 (%rsp)
	call *%r8
	mov $0xe7, %eax
	xor %edx, %edx
	xrstor64 (%rsp)
	jmp 2f
1:	fxsave64 (%rsp)
	call *%r8
	fxrstor64 (%rsp)
2:	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size hook_with_vectors, . - hook_with_vectors

	.section .note.gnu.property, "a"
	.balign 8
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	/* x86: IBT, SHSTK */
#endif
	.section .note.GNU-stack, "", %progbits
