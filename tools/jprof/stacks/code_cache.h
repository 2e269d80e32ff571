/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the VM's code blob that contains an address, by the segment map of each code heap, as the
 * VM itself does. It takes no lock: each load is guarded, and the blob found must contain the
 * address.
 */
#ifndef CODE_CACHE_H
#define CODE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "vm_layout.h"

enum code_kind {
	CODE_NONE,        /* not the VM's */
	CODE_INTERPRETER, /* code of a bytecode, or of a method's entry */
	CODE_METHOD,      /* a compiled method, or a native method's wrapper */
	CODE_STUB,        /* a stub; frame size 0 means unknown */
	CODE_UNKNOWN,     /* in the VM's code, but in no blob that can be found */
};

struct code_blob {
	enum code_kind kind;
	bool is_native; /* CODE_METHOD */
	uint64_t blob, begin, end;
	uint64_t complete; /* the frame is set up from this address on */
	uint64_t frame;    /* size in bytes */
};

/* Call it once the VM is up. */
bool code_cache_begin(const struct vm_layout *l);
struct code_blob code_cache_find(const struct vm_layout *l, uint64_t pc);

#endif
