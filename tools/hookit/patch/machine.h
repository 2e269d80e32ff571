/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What differs between machines beside sites, stubs and gates. */
#ifndef PATCH_MACHINE_H
#define PATCH_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* NULL, or why nothing can be patched. */
const char *machine_begin(void);

/* How far a site's jump, or a stub's, reaches. */
#if defined(__x86_64__)
#define MACHINE_REACH (UINT64_C(2000) << 20)
#else
#define MACHINE_REACH (UINT64_C(127) << 20)
#endif

/* The rules by which an unwinder goes from where a hooked function returns to its caller: so many
 * bytes of DWARF, no more than 40; and the register that it has the return address in. */
size_t machine_unwinding(uint8_t *out);
uint8_t machine_return_column(void);

#endif
