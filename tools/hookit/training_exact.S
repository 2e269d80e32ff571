/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions whose instructions are known exactly: uninstrumented (plain), with the calls that
 * -mfentry and -minstrument-return=call insert (entry), and with sites to be patched (sites).
 * training.c has the instructions of their sequences besides the events.
 */
#if defined(__x86_64__)
#include "patch/x86_64/keep.inc"

#define TRAINING_LEFT 200 /* offsets in struct training_jump */
#define TRAINING_JUMP 208

	.text

	.macro	begins_plain
	.endm
	.macro	ends_plain
	.endm

	.macro	begins_entry
	call	*__fentry__@GOTPCREL(%rip)
	.endm
	.macro	ends_entry
	call	__return__@PLT
	.endm

	.macro	begins_sites
1:	.rept	5
	nop
	.endr
	.pushsection hookit_training_sites, "aw", @progbits
	.balign	8
	.quad	1b
	.popsection
	.endm
	.macro	ends_sites
	.endm

	.macro	trained way, name, more:vararg
	.type	training_\way\()_\name, @function
	.p2align 4
training_\way\()_\name:
	.cfi_startproc
	begins_\way
	\more
	ends_\way
	ret
	.cfi_endproc
	.size	training_\way\()_\name, . - training_\way\()_\name
	.endm

	.macro	calls way, names:vararg
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	.irp	name, \names
	call	training_\way\()_\name
	.endr
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	.endm

/* training_WAY(n): n turns. */
	.macro	turns way
	trained	\way, leaf
	trained	\way, one, calls \way, leaf
	trained	\way, two, calls \way, leaf, leaf
	trained	\way, three, calls \way, two, two
	.hidden	training_\way
	function training_\way
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov	%edi, %ebx
2:	call	training_\way\()_leaf
	call	training_\way\()_one
	call	training_\way\()_two
	call	training_\way\()_three
	call	training_\way\()_leaf
	dec	%ebx
	jnz	2b
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	function_ends training_\way
	.endm

/* training_WAY_leaves(n): n consecutive calls. */
	.macro	leaves way
	.hidden	training_\way\()_leaves
	function training_\way\()_leaves
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov	%edi, %ebx
3:	call	training_\way\()_leaf
	dec	%ebx
	jnz	3b
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	function_ends training_\way\()_leaves
	.endm

/* training_WAY_jumps(j): j is a struct training_jump, which begins with a jmp_buf. Each turn calls
 * a function that jumps back. */
	.macro	jumps way
	.type	training_\way\()_jumper, @function
	.p2align 4
training_\way\()_jumper:
	.cfi_startproc
	begins_\way
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	mov	$1, %esi
	call	*TRAINING_JUMP(%rdi)
	ud2
	.cfi_endproc
	.size	training_\way\()_jumper, . - training_\way\()_jumper

	.hidden	training_\way\()_jumps
	function training_\way\()_jumps
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov	%rdi, %rbx
	call	_setjmp@PLT
	decl	TRAINING_LEFT(%rbx)
	js	4f
	mov	%rbx, %rdi
	call	training_\way\()_jumper
4:	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	function_ends training_\way\()_jumps
	.endm

	turns	plain
	jumps	plain
	turns	entry
	leaves	entry
	jumps	entry
	.globl	training_sites_low, training_sites_high
	.hidden	training_sites_low, training_sites_high
training_sites_low:
	turns	sites
	leaves	sites
	jumps	sites
	.type	training_sites_follower, @function
	.p2align 4
training_sites_follower:
	.cfi_startproc
	begins_sites
	jmp	training_sites_leaf
	.cfi_endproc
	.size	training_sites_follower, . - training_sites_follower
	.hidden	training_sites_follows
	function training_sites_follows
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov	%edi, %ebx
5:	call	training_sites_follower
	dec	%ebx
	jnz	5b
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	function_ends training_sites_follows
training_sites_high:

	file_ends
#else
	.section .note.GNU-stack, "", %progbits
#endif
