/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CRC32C (Castagnoli), as used in trace files: by the CPU's instruction where it exists. */
#ifndef PITRACE_CRC32C_H
#define PITRACE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues the checksum `crc` of the preceding data; start with 0. */
uint32_t crc32c(uint32_t crc, const void *data, size_t size);

/* The same by tables, which crc32c uses where the instruction is missing. Public for tests. */
uint32_t crc32c_table(uint32_t crc, const void *data, size_t size);

/* Names the implementation in use: "sse4.2", "armv8" or "table". */
const char *crc32c_method(void);

#endif
