/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The field of the VM's thread structure that points to the continuation it has entered. */
#ifndef CONTINUATION_ENTRY_H
#define CONTINUATION_ENTRY_H

#include <stddef.h>

#include "code_cache.h"
#include "vm_layout.h"

/* Returns the field's offset: published since JDK 24; before, found in the code that enters a
 * continuation (b). VM_NONE if it is unknown. */
size_t continuation_entry_offset(const struct vm_layout *l, const struct code_blob *b);

#endif
