/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Differences of machines besides sites, stubs and gates. */
#ifndef PATCH_MACHINE_H
#define PATCH_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* Returns NULL, or why nothing can be patched. */
const char *machine_begin(void);

/* The reach of the jumps of sites and stubs. */
#if defined(__x86_64__)
#define MACHINE_REACH (UINT64_C(2000) << 20)
#else
#define MACHINE_REACH (UINT64_C(127) << 20)
#endif

/* Writes the DWARF rules by which an unwinder proceeds from the return of a hooked function to its
 * caller, at most 40 bytes, and returns their size; and the column of the return address. */
size_t machine_unwinding(uint8_t *out);
uint8_t machine_return_column(void);

#endif
