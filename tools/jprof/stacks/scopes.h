/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which methods a place in compiled code is in, innermost first: the compilers note for places
 * where the VM may stop (with an agent for compiled code, for nearly all) the bytecode, and the
 * methods into which that one was inlined.
 */
#ifndef SCOPES_H
#define SCOPES_H

#include "code_cache.h"

#define SCOPES_MOST 64

struct scope {
	uint64_t method;
	uint32_t bytecode;
};

/* pc: where it stands (top), or a return address. The number of scopes, 0: there is nothing. */
unsigned int scopes_of(const struct vm_layout *l, const struct code_blob *b, uint64_t pc,
		       struct scope scope[SCOPES_MOST]);

/* What the VM writes so: each byte but the last is large. at is moved behind it. */
bool scopes_number(const struct vm_layout *l, uint64_t *at, uint32_t *to);

#endif
