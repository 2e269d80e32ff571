/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a thread of the VM notes the continuation that it has entered. */
#ifndef CONTINUATION_ENTRY_H
#define CONTINUATION_ENTRY_H

#include <stddef.h>

#include "code_cache.h"
#include "vm_layout.h"

/* Bytes into the VM's structure of the thread: as it is published, since JDK 24; before, as the
 * code that enters a continuation (b) has it. VM_NONE: not known. */
size_t continuation_entry_offset(const struct vm_layout *l, const struct code_blob *b);

#endif
