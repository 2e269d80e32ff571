/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions whose instructions are known one by one: as they are (plain), with what -mfentry and
 * -minstrument-return=call put into them (entry), and with sites to be patched (sites). What their
 * sequences take beside the events is told by training.c.
 */
#if defined(__x86_64__)
#include "patch/x86_64/keep.inc"

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

	turns	plain
	turns	entry
	.globl	training_sites_low, training_sites_high
	.hidden	training_sites_low, training_sites_high
training_sites_low:
	turns	sites
training_sites_high:

	file_ends
#else
	.section .note.GNU-stack, "", %progbits
#endif
