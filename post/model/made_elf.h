/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdw only reads unwind tables from ELF files. For generated code, this builds a file that
 * contains only the code's .eh_frame.
 */
#ifndef POST_MADE_ELF_H
#define POST_MADE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code starts at address 0, the table is at address `at`. machine: EM_*. Returns the file of
 * *length bytes, which the caller frees; NULL: no memory, or the file is not possible. */
uint8_t *made_elf(unsigned int machine, bool is_32, uint64_t code_size, const void *eh_frame,
		  size_t size, uint64_t at, size_t *length);

#endif
