/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The methods of an address in compiled code, innermost first. The compilers record the bytecode
 * and the chain of inlined methods for addresses where the VM may stop (with an agent for compiled
 * code, for nearly all).
 */
#ifndef SCOPES_H
#define SCOPES_H

#include "code_cache.h"

#define SCOPES_MOST 64

struct scope {
	uint64_t method;
	uint32_t bytecode;
};

/* `pc` is the interrupted instruction (top frame) or a return address. Returns the number of
 * scopes, 0 if none is recorded. */
unsigned int scopes_of(const struct vm_layout *l, const struct code_blob *b, uint64_t pc,
		       struct scope scope[SCOPES_MOST]);

/* Reads the VM's compressed number: each byte but the last is large. Advances *at past it. */
bool scopes_number(const struct vm_layout *l, uint64_t *at, uint32_t *to);

#endif
