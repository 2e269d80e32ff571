/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a signal has interrupted its thread, by the registers that the kernel passes to the
 * handler. */
#ifndef INTERRUPTED_H
#define INTERRUPTED_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__) || defined(__aarch64__) || defined(__powerpc64__) || defined(__s390x__)
#define INTERRUPTED_KNOWN 1
#else
#define INTERRUPTED_KNOWN 0 /* the functions return 0 and false */
#endif

/* A system call at the interrupted instruction. */
struct interrupted_call {
	bool ended;     /* it has returned; otherwise it is restarted, or has not begun */
	int64_t number; /* -1: not known */
	int64_t result; /* of one that has ended: negative errno */
};

/* The address of the interrupted instruction. */
uintptr_t interrupted_at(const ucontext_t *u);
/* Reads the instruction and the one before it: expects the code of a library there. false: there is
 * no system call. */
bool interrupted_in_call(const ucontext_t *u, struct interrupted_call *c);

#endif
