/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which piece of the VM's code an address is in: by the map of segments that each heap of code has,
 * as the VM itself looks it up, and with no lock: each load is guarded, and what is found must hold
 * the address.
 */
#ifndef CODE_CACHE_H
#define CODE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "vm_layout.h"

enum code_kind {
	CODE_NONE,        /* not the VM's */
	CODE_INTERPRETER, /* a bytecode's, or a method's entry */
	CODE_METHOD,      /* compiled, or the way into a native one */
	CODE_STUB,        /* with a frame of a known size, or (0) none known */
	CODE_UNKNOWN,     /* of the VM's, but of no piece that can be found */
};

struct code_blob {
	enum code_kind kind;
	bool is_native; /* CODE_METHOD */
	uint64_t blob, begin, end;
	uint64_t complete; /* from here on the frame is there */
	uint64_t frame;    /* its bytes */
};

/* Once the VM is up. */
bool code_cache_begin(const struct vm_layout *l);
struct code_blob code_cache_find(const struct vm_layout *l, uint64_t pc);

#endif
